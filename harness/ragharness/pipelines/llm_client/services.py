"""The two service APIs: request bodies, replies, and why there is none.

OpenAI's chat completions, which vLLM, Ollama, llama.cpp and most hosted services speak too:
https://platform.openai.com/docs/api-reference/chat. Anthropic's messages: https://platform.claude.com/docs/en/api/messages.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple
from urllib.parse import urlsplit

import msgspec

from ragharness.errors import AccessRefused, RagharnessError, UnusableReply, UsageError, install_command
from ragharness.language.tables import regex
from ragharness.pipelines._services import ServiceReply, failure, is_local, message_of
from ragharness.pipelines.llm_client.prompting import Message
from ragharness.records import Answer
from ragharness.support.files import expand_home
from ragharness.support.options import read_toml

SCHEMA: dict[str, Any] = {  # the structured reply of the generator
    "type": "object",
    "properties": {"answer": {"type": "string"}, "citations": {"type": "array", "items": {"type": "string"}}},
    "required": ["answer", "citations"],
    "additionalProperties": False,
}
ANTHROPIC_VERSION = "2023-06-01"


class Form(NamedTuple):
    """The JSON that a reply is asked to be."""

    name: str
    schema: dict[str, Any]


ANSWER = Form("answer", SCHEMA)


@dataclass(frozen=True)
class Sampling:
    """How a model writes; None is left to the service."""

    temperature: float | None
    seed: int | None
    max_tokens: int


class Request(NamedTuple):
    """A request, in the words of neither API."""

    model: str
    instruction: str
    messages: Sequence[Message]
    sampling: Sampling
    form: Form | None

    def fields(self) -> dict[str, Any]:
        """The fields that both APIs call by the same names."""
        sampling = {"temperature": self.sampling.temperature, "seed": self.sampling.seed}
        return {
            "model": self.model,
            "messages": [{"role": message.role, "content": message.text} for message in self.messages],
            **{name: value for name, value in sampling.items() if value is not None},
        }


@dataclass(frozen=True)
class Reply:
    """A service's reply."""

    text: str
    ended: str  # why it ended: ``complete``, ``length`` (cut off), ``context`` (no room left) or ``filtered``
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int = 0  # prompt tokens kept from earlier requests, billed at another price
    cost: float | None = None  # in US dollars, where the service tells it


class OpenAI:
    """Chat completions; ``limit_name`` is what the service calls the most tokens of a reply."""

    path = "/chat/completions"
    key_header, key_value = "authorization", "Bearer {}"

    def __init__(self, limit_name: str = "max_tokens") -> None:
        self.headers: dict[str, str] = {}
        self._limit_name = limit_name

    def body(self, request: Request) -> dict[str, Any]:
        """The JSON of a request."""
        body = request.fields()
        body[self._limit_name] = request.sampling.max_tokens
        if request.instruction:
            body["messages"].insert(0, {"role": "system", "content": request.instruction})
        if form := request.form:
            schema = {"name": form.name, "strict": True, "schema": form.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        return body

    def read(self, reply: Any) -> Reply:
        """The reply; raises UnusableReply for something else than the API's."""
        choices = _at(reply, "choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = _at(choice, "message")
        if not isinstance(message, dict):
            raise _not_a_reply("choices[0].message", reply)
        usage, cost = _at(reply, "usage"), _at(_at(reply, "usage"), "cost")
        has_cost = isinstance(cost, (int, float)) and not isinstance(cost, bool) and cost >= 0
        ends = {"length": "length", "content_filter": "filtered"}
        return Reply(
            _texts(_at(message, "content")) or _text(_at(message, "refusal")),
            ends.get(_text(_at(choice, "finish_reason")), "complete"),
            _count(_at(usage, "prompt_tokens")),
            _count(_at(usage, "completion_tokens")),
            _count(_at(_at(usage, "prompt_tokens_details"), "cached_tokens")) or 0,
            float(cost) if has_cost else None,
        )


class Anthropic:
    """Messages."""

    path = "/messages"
    key_header, key_value = "x-api-key", "{}"

    def __init__(self) -> None:
        self.headers = {"anthropic-version": ANTHROPIC_VERSION}

    def body(self, request: Request) -> dict[str, Any]:
        """The JSON of a request."""
        body = {**request.fields(), "max_tokens": request.sampling.max_tokens}
        if request.instruction:
            body["system"] = request.instruction
        if request.form:
            body["output_config"] = {"format": {"type": "json_schema", "schema": request.form.schema}}
        return body

    def read(self, reply: Any) -> Reply:
        """The reply; raises UnusableReply for something else than the API's."""
        content = _at(reply, "content")
        if not isinstance(content, list):
            raise _not_a_reply("content", reply)
        usage = _at(reply, "usage")
        fresh = _count(_at(usage, "input_tokens"))
        stored = _count(_at(usage, "cache_creation_input_tokens")) or 0
        cached = _count(_at(usage, "cache_read_input_tokens")) or 0
        ends = {"max_tokens": "length", "model_context_window_exceeded": "context", "refusal": "filtered"}
        return Reply(
            _texts(content),
            ends.get(_text(_at(reply, "stop_reason")), "complete"),
            None if fresh is None else fresh + stored + cached,
            _count(_at(usage, "output_tokens")),
            cached,
        )


Service = OpenAI | Anthropic  # one API: its path, headers (``{}``: where the key goes), requests and replies


def encode(body: dict[str, Any]) -> bytes:
    """Bytes of a request, equal for equal bodies; a schema's properties stay in order: models heed it."""
    return json.dumps(_sorted(body), ensure_ascii=False).encode("utf-8", "replace")


def _sorted(value: Any, *, as_is: bool = False) -> Any:
    if isinstance(value, dict):
        names = value if as_is else sorted(value)
        return {name: _sorted(value[name], as_is=name == "properties") for name in names}
    return [_sorted(element) for element in value] if isinstance(value, list) else value


def parse_structured(text: str) -> tuple[str, tuple[str, ...] | None]:
    """The text and the citations of a structured reply; a plain one is all text."""
    try:
        reply = json.loads(text)
    except (ValueError, RecursionError):
        return text, None
    answer, citations = _at(reply, "answer"), _at(reply, "citations")
    if not isinstance(answer, str):
        return text, None
    listed = citations if isinstance(citations, list) else []
    return answer, tuple(citation for citation in listed if isinstance(citation, str))


def _at(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: Any) -> str:
    """A text, or those of a list of parts."""
    parts = value if isinstance(value, list) else []
    return _text(value) or "".join(_text(_at(part, "text")) for part in parts)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _not_a_reply(part: str, reply: Any) -> UnusableReply:
    content = ", ".join(sorted(map(str, reply)))[:200] if isinstance(reply, dict) else type(reply).__name__
    return UnusableReply(f"expected a reply of the API with {part}, found one with {content or 'nothing'}")


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
_NOT_ACCEPTED = regex(
    r"(?i)unsupported|not support|does not accept|deprecat|unknown|unrecognized|extra inputs|not permitted"
    r"|only the default|unexpected"
)
_SETTINGS = {  # fields of a request, and the setting and value that leave each out or change it
    "temperature": ("temperature", "none"),
    "seed": ("seed", "none"),
    "max_tokens": ("max-tokens", "N"),
    "max_completion_tokens": ("max-tokens", "N"),
}


@dataclass(frozen=True)
class ErrorReply:
    """A reply that is no success: whether a retry or the whole run can still succeed."""

    reply: ServiceReply
    model: str
    key_name: str  # the environment variable that holds the key; empty: none was sent
    written: Callable[[str], str]  # how a setting is given, up to its value

    @property
    def of_structure(self) -> bool:
        """Whether the service cannot do structured output, so that asking for plain text may help."""
        return self.reply.status in (400, 404, 405, 415, 422, 501) and bool(_STRUCTURE.search(self._body()))

    def error(self) -> RagharnessError:
        """The exception to raise."""
        body, message, where, status = self._body(), self._message(), self.reply.where, self.reply.status
        if status == 401:
            return self._unauthorised()
        if status == 402 or (status in (400, 403, 429) and _NO_CREDIT.search(body)):
            return AccessRefused(f"{where} has no credit left for this key: {message}")
        if status in (400, 403) and _FILTERED.search(body):
            return UnusableReply(f"the content filter of {where} blocked the answer: {message}")
        if status == 403:
            to_whom = f" to the key in {self.key_name}" if self.key_name else ""
            return AccessRefused(f"{where} refused the model {self.model!r}{to_whom}: {message}")
        if status in (400, 413, 422, 500) and _TOO_LONG.search(body):
            return too_long(self.model, message)
        if status == 404:
            return AccessRefused(
                f"{where} knows no model {self.model!r}, or is not this API: {message}",
                help="correct --model or --base-url; the base URL of most services ends in /v1",
            )
        field = next((name for name in _SETTINGS if name in body), "")
        if status in (400, 422) and _NOT_ACCEPTED.search(body) and field:
            setting, value = _SETTINGS[field]
            message = f"the model {self.model!r} does not accept {field} as sent: {message}"
            return AccessRefused(message, help=f"{self.written(setting)}{value}")
        return failure(self.reply, message)

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

    def _body(self) -> str:
        return self.reply.text()[:10_000]

    def _message(self) -> str:
        try:
            message: Any = json.loads(self.reply.text())
        except (ValueError, RecursionError):
            message = None
        for name in ("error", "detail", "message"):
            inner = _at(message, name)
            message = inner if isinstance(inner, (dict, str)) else message
        return message_of(message if isinstance(message, str) else self.reply.text())


def too_long(model: str, why: str, answer: Answer | None = None) -> UnusableReply:
    """The exception for a prompt that leaves no room in the model's context."""
    return UnusableReply(
        f"the prompt does not fit the context of the model {model!r}: {why}",
        help="pass fewer or shorter passages (--k, --passage-words), or give the model a larger context",
        answer=answer,
    )


_Amount = Annotated[float, msgspec.Meta(ge=0, le=sys.float_info.max)]


class OwnPrice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """US dollars per million tokens, by a table of the user's."""

    model: str
    input: _Amount
    output: _Amount
    cached_input: _Amount | None = None  # for prompt tokens that the service had kept; None: as ``input``
    up_to: _Amount | None = None  # prompt tokens up to which the price holds; None: all
    host: str = ""  # the only one at which it holds; empty: at any
    source: ClassVar[str] = "your price table"

    def cost(self, prompt_tokens: int, completion_tokens: int, cached_tokens: int = 0) -> float | None:
        """US dollars of one call; None for a prompt that is longer than the price holds for."""
        if self.up_to and prompt_tokens > self.up_to:
            return None
        cached = min(cached_tokens, prompt_tokens)
        cached_price = self.input if self.cached_input is None else self.cached_input
        fresh = (prompt_tokens - cached) * self.input
        return (fresh + cached * cached_price + completion_tokens * self.output) / 1_000_000


@dataclass(frozen=True)
class ListPrice:
    """The price that genai-prices lists for a model at a service; it comes with the package, no network."""

    model: str
    base_url: str

    @property
    def source(self) -> str:
        """The version of the list."""
        from importlib.metadata import version

        return f"list price, genai-prices {version('genai-prices')}"

    def cost(self, prompt_tokens: int, completion_tokens: int, cached_tokens: int = 0) -> float | None:
        """US dollars of one call; None where the list does not know the model or the service."""
        from genai_prices import Usage, calc_price

        cached = min(cached_tokens, prompt_tokens)
        usage = Usage(input_tokens=prompt_tokens, output_tokens=completion_tokens, cache_read_tokens=cached)
        try:
            return float(calc_price(usage, self.model, provider_api_url=self.base_url).total_price)
        except (LookupError, ValueError):
            return None


Price = OwnPrice | ListPrice


def find_price(model: str, base_url: str, table: str | Path = "") -> Price | None:
    """Price of a model where it is served: the table's, else the listed; raises UsageError for no table."""
    host = urlsplit(base_url).hostname or ""
    prices = [price for price in (_read(expand_home(table)) if table else []) if price.model == model]
    # A price of the host goes before one of any.
    for price in sorted(prices, key=lambda price: not price.host):
        if price.host in (host, ""):
            return price
    if is_local(host) or not find_spec("genai_prices"):
        return None
    listed = ListPrice(model, base_url)
    return listed if listed.cost(0, 0) is not None else None


def if_unknown() -> str:
    """Help for a model without a known price."""
    remedy = "a table of your own names it: prices=FILE (docs/llm.md)"
    return remedy if find_spec("genai_prices") else f"{install_command('llm')} brings list prices; {remedy}"


def _read(table: Path) -> list[OwnPrice]:
    example = "docs/llm.md shows one; its fields are " + ", ".join(sorted(OwnPrice.__struct_fields__))
    try:
        return msgspec.convert(read_toml(table, example).get("price", []), list[OwnPrice])
    except msgspec.ValidationError as error:
        raise UsageError(
            f"{table} needs [[price]] tables, each with model, input and output in US dollars per million"
            f" tokens: {error}",
            help=example,
        ) from error
