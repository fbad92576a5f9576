"""Why a model service gave no answer, and whether a retry or the whole run can still succeed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ragharness.errors import AccessRefused, RagharnessError, UnusableReply
from ragharness.language.tables import regex
from ragharness.pipelines._services import ServiceReply, failure, message_of
from ragharness.records import Answer

_TOO_LONG = regex(
    r"(?i)context[ _-]*(?:length|window|size)|exceed_context|maximum context|prompt is too long"
    r"|too many (?:input )?tokens|input (?:is|length) (?:too long|exceeds)|string_above_max_length"
)
_FILTERED = regex(r"(?i)content[_ ](?:filter|policy)|moderation|was flagged|safety system|responsible ai")
_NO_CREDIT = regex(
    r"(?i)insufficient[_ ](?:quota|balance|credit|funds)|credit balance|payment required"
    r"|exceeded your current quota"
)
_STRUCTURE = regex(
    r"(?i)response_format|json_schema|output_config|output_format|structured output|grammar|guided|schema"
)
_UNTAKEN = regex(
    r"(?i)unsupported|not support|does not accept|deprecat|unknown|unrecognized|extra inputs|not permitted"
    r"|only the default|unexpected"
)
_SETTINGS = {
    "temperature": ("temperature", "none"),
    "seed": ("seed", "none"),
    "max_tokens": ("max-tokens", "N"),
    "max_completion_tokens": ("max-tokens", "N"),
}
"""Fields of a request, and the setting and value that leave each out or change it."""


@dataclass(frozen=True)
class ErrorReply:
    """A reply that is no success, and what is known of the request."""

    reply: ServiceReply
    model: str
    key_name: str
    """The environment variable that holds the key; empty: none was sent."""
    written: Callable[[str], str]
    """How a setting is given, up to its value."""

    @property
    def of_structure(self) -> bool:
        """Whether the service cannot do structured output, so that asking for plain text may help."""
        return self.reply.status in (400, 404, 405, 415, 422, 501) and bool(_STRUCTURE.search(self._said()))

    def error(self) -> RagharnessError:
        """Return what to raise."""
        said, where, status = self._said(), self.reply.where, self.reply.status
        if status == 401:
            return self._unauthorised()
        if status == 402 or (status in (400, 403, 429) and _NO_CREDIT.search(said)):
            return AccessRefused(f"{where} has no credit left for this key: {self._told()}")
        if status in (400, 403) and _FILTERED.search(said):
            return UnusableReply(f"the content filter of {where} blocked the answer: {self._told()}")
        if status == 403:
            to_whom = f" to the key in {self.key_name}" if self.key_name else ""
            return AccessRefused(f"{where} refused the model {self.model!r}{to_whom}: {self._told()}")
        if status in (400, 413, 422, 500) and _TOO_LONG.search(said):
            return too_long(self.model, self._told())
        return self._lasting(said) or failure(self.reply, self._told())

    def _unauthorised(self) -> AccessRefused:
        # What the service says of a key may repeat a part of it.
        if self.key_name:
            return AccessRefused(
                f"{self.reply.where} refused the key in the environment variable {self.key_name}",
                help=f"export {self.key_name}=...; {self.written('key-env')}NAME names another variable",
            )
        return AccessRefused(
            f"{self.reply.where} requires a key, and none was sent",
            help=f"{self.written('key-env')}NAME names the environment variable that holds it",
        )

    def _lasting(self, said: str) -> AccessRefused | None:
        """Return what to raise for what no question can escape: an unknown model, a setting not taken."""
        if self.reply.status == 404:
            return AccessRefused(
                f"{self.reply.where} knows no model {self.model!r}, or is not this API: {self._told()}",
                help="correct --model or --base-url; the base URL of most services ends in /v1",
            )
        if self.reply.status not in (400, 422) or not _UNTAKEN.search(said):
            return None
        for field, (setting, value) in _SETTINGS.items():
            if field in said:
                return AccessRefused(
                    f"the model {self.model!r} does not accept {field} as sent: {self._told()}",
                    help=f"{self.written(setting)}{value}",
                )
        return None

    def _said(self) -> str:
        return self.reply.text()[:10_000]

    def _told(self) -> str:
        """Return the message that the body holds."""
        try:
            held: Any = json.loads(self.reply.text())
        except (ValueError, RecursionError):
            held = None
        for name in ("error", "detail", "message"):
            inner = held.get(name) if isinstance(held, dict) else None
            held = inner if isinstance(inner, (dict, str)) else held
        return message_of(held if isinstance(held, str) else self.reply.text())


def too_long(model: str, why: str, answer: Answer | None = None) -> UnusableReply:
    """Return what is raised when the prompt leaves no room in the model's context."""
    return UnusableReply(
        f"the prompt does not fit the context of the model {model!r}: {why}",
        help="pass fewer or shorter passages (--k, --passage-words), or give the model a larger context",
        answer=answer,
    )
