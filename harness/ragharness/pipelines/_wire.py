"""What goes out and comes back: headers with their secrets, untrusted bytes to text and JSON."""

from __future__ import annotations

import codecs
import json
import os
from typing import Any
from urllib.parse import unquote_plus

from ragharness.errors import PipelineNotUsable, UnusableReply
from ragharness.language.tables import regex
from ragharness.support.privacy import SHORTEST_SECRET

REPLY_LIMIT = 16 * 2**20
"""Bytes of one reply, unpacked; a longer one is given up."""

EXCERPT = 300
"""Characters of a reply that are quoted in a message."""

_UNPRINTABLE = regex(r"\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]+")

_VARIABLE = regex(r"ENV:([A-Za-z_][A-Za-z0-9_]*)")
_NAME = regex(r"[a-z0-9!#$%&'*+.^_`|~-]+")
_SECRET = regex(r"auth|key|token|secret|password|credential|cookie")
_SECRET_SETTING = regex(
    r".*(?:(?:api|access|private)[_-]?key|secret|password|passwd|passphrase|authorization|cookie|jwt)"
    r"|(?:.*[_-])?(?:pwd|pass|pat)"
    r"|(?:.*[_-])?(?:access|auth|api|bearer|session)?token"
)
"""What keys of JSON and options of commands are called that hold a secret; ``max_tokens`` is none."""
_SENDABLE = regex(r"[\x20-\x7e\t]*")


class Headers:
    """Headers with their values, and the settings that say where the values came from."""

    def __init__(self, written: dict[str, str]) -> None:
        """Fill in the variables; raises PipelineNotUsable for one that is absent or cannot be sent."""
        self.settings = {f"header-{name}": value for name, value in written.items()}
        self._secrets: dict[str, str] = {}
        self.values = {name: self._filled(name, value) for name, value in written.items()}

    def hide(self, query: str) -> None:
        """Blank the values of a URL's query too: some services take their key there."""
        for part in query.split("&"):
            value = part.partition("=")[2]
            for written in (value, unquote_plus(value)):
                if len(written) >= SHORTEST_SECRET:
                    self._secrets[written] = "URL"

    def blanked(self, text: str) -> str:
        """Return a text with the names of variables where their values stood."""
        for value, name in self._secrets.items():
            text = text.replace(value, f"[{name}]")
        return text

    def blanked_bytes(self, content: bytes) -> bytes:
        """Return bytes with the names of variables where their values stood."""
        for value, name in self._secrets.items():
            content = content.replace(value.encode(), f"[{name}]".encode())
        return content

    def _filled(self, header: str, written: str) -> str:
        if not _NAME.fullmatch(header):
            raise PipelineNotUsable(f"expected a header name after 'header-', found {header!r}")
        if _SECRET.search(header) and not _VARIABLE.search(written):
            raise PipelineNotUsable(
                f"expected the header {header!r} to take its value from the environment, found it"
                " in plain text",
                help=f"put it into a variable: export NAME=...; --pipeline-option {header_option(header)}",
            )
        return _VARIABLE.sub(lambda found: self._value(header, found[1]), written)

    def _value(self, header: str, variable: str) -> str:
        value = os.environ.get(variable, "").strip()
        if not value or not _SENDABLE.fullmatch(value):
            found = "characters that a header cannot hold" if value else "none of that name"
            raise PipelineNotUsable(
                f"expected the environment variable {variable} for the header {header!r}, found {found}",
                help=f"export {variable}=...",
            )
        if len(value) >= SHORTEST_SECRET:
            self._secrets[value] = variable
        return value


def is_secret(name: str, value: str) -> bool:
    """Whether a value that is written out under this name, in JSON or in a command, must not be kept."""
    return len(value) >= SHORTEST_SECRET and bool(_SECRET_SETTING.fullmatch(name.lower()))


def header_option(header: str) -> str:
    """Return how the header of this name is set."""
    return f"'header-{header}={'Bearer ' if header == 'authorization' else ''}ENV:NAME'"


def too_long() -> UnusableReply:
    """Return what is raised for a reply beyond the limit."""
    return UnusableReply(f"expected a reply of at most {REPLY_LIMIT // 2**20} MiB, found a longer one")


def text_of(content: bytes, charset: str = "") -> str:
    """Return the text that the bytes are in ``charset`` (UTF-8 if none is told); raises UnusableReply."""
    try:
        name = codecs.lookup(charset or "utf-8").name
    except LookupError:
        raise UnusableReply(f"expected a reply in a known encoding, found {excerpt(charset)!r}") from None
    try:
        return content.decode("utf-8-sig" if name == "utf-8" else name)
    except UnicodeDecodeError as error:
        found = " ".join(f"{byte:02x}" for byte in content[error.start : error.start + 4])
        raise UnusableReply(
            f"expected a reply in {name}, found the bytes {found} at position {error.start:,}"
        ) from None
    except (LookupError, ValueError, AttributeError):
        raise UnusableReply(f"expected a reply in an encoding of text, found {name}") from None


def json_of(text: str) -> Any:
    """Return the one JSON value that a text is; raises UnusableReply."""
    try:
        return json.loads(text)
    except RecursionError:
        raise UnusableReply("expected JSON, found it nested too deeply") from None
    except ValueError as error:
        more = "more than one JSON value" if "Extra data" in str(error) else f"({error}) {excerpt(text)!r}"
        raise UnusableReply(f"expected one JSON value, found {more}") from None


def excerpt(text: str, limit: int = EXCERPT) -> str:
    """Return the beginning of a text on one line, without anything that a terminal would act upon."""
    words = " ".join(_UNPRINTABLE.sub(" ", text[: 4 * limit]).split())
    return words if len(words) <= limit else f"{words[: limit - 3]}..."
