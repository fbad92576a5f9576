"""A pipeline behind a URL: a question is one request, made from a JSON template, its reply the answer.

Settings: ``method``, ``template``, ``header-NAME`` (a value in which ``ENV:VARIABLE`` stands for what that
environment variable holds, so that no key is written down), and dotted paths to the parts of a reply:
``answer``, ``citations``, ``passages``, ``confidence``, ``usage``. Time limits and repetition are the run's.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from ragharness.errors import PipelineNotUsable, UnusableReply
from ragharness.language.tables import regex
from ragharness.pipelines import BuiltPipeline, Context
from ragharness.pipelines._answers import TEXT_KEYS
from ragharness.pipelines._services import (
    Client,
    Headers,
    address,
    failure,
    header_option,
    is_page,
    is_secret,
    json_of,
    message_of,
    must_be_allowed,
    must_listen,
)
from ragharness.pipelines.adapters.fields import MISSING
from ragharness.records import Passage

METHODS = ("POST", "GET", "PUT", "PATCH")
TEMPLATE = '{"question": "{question}"}'
"""What is sent when no template is given: such a pipeline retrieves for itself."""


def build(context: Context, argument: str) -> BuiltPipeline:
    """Return the pipeline at ``http:argument``; raises PipelineNotUsable."""
    return build_at(context, f"http:{argument}")


def build_encrypted(context: Context, argument: str) -> BuiltPipeline:
    """Return the pipeline at ``https:argument``; raises PipelineNotUsable."""
    return build_at(context, f"https:{argument}")


def build_at(context: Context, written: str) -> BuiltPipeline:
    """Return the pipeline at a URL at which somebody listens; raises PipelineNotUsable."""
    options = context.options
    url = address(written)
    method = options.choice("method", "POST", METHODS)
    template = Template(options.text("template", TEMPLATE))
    if method == "GET" and not template.text.startswith("{"):
        raise PipelineNotUsable("expected a template that is an object for method=GET: it becomes the query")
    places = {name: options.text(name) for name in ("answer", *PARTS)}
    headers = Headers(options.starting("header-"))
    headers.hide(url.query.decode("ascii", "replace"))
    options.finish(f"the pipeline {written.partition(':')[0]!r}")
    must_be_allowed(url, offline=options.offline)
    must_listen(url)
    endpoint = Endpoint(Client(url, headers, {}), method, template, Paths(**places), context.k)
    settings = {name: path for name, path in places.items() if path} | headers.settings
    return BuiltPipeline(
        endpoint.ask if template.takes_passages else endpoint.ask_alone,
        name=f"{url.netloc.decode()}{url.path}",
        settings={"method": method, "template": template.text, **settings},
        # The query may hold a secret: it counts, but it is not written down.
        source=url.query,
    )


@dataclass(frozen=True)
class Endpoint:
    """Asks questions of one service: what is sent and where its reply holds the answer."""

    client: Client
    method: str
    template: Template
    paths: Paths
    k: int

    async def ask_alone(self, question: str) -> Any:
        """Return what the pipeline answered out of what it knows itself."""
        return await self.ask(question, ())

    async def ask(self, question: str, passages: Sequence[Passage]) -> Any:
        """Return what the pipeline answered.

        Raises AccessRefused, TemporaryFailure for what another try may mend, and UnusableReply for the rest.
        """
        value = self.template.fill(question, passages, self.k)
        if self.method == "GET":
            reply = await self.client.ask("GET", query=_query(value))
        else:
            reply = await self.client.ask(self.method, content=msgspec.json.encode(value))
        text = reply.text()
        if not reply.is_success:
            raise failure(reply, text)
        kind = reply.headers.get("content-type", "").partition(";")[0].strip().lower()
        return self.paths.read(value_of(kind, text))


def value_of(kind: str, text: str) -> Any:
    """Return the JSON value or the plain text of a reply of this content type; raises UnusableReply."""
    if kind == "text/event-stream":
        raise UnusableReply("expected one reply, found a stream of events: ask for one without streaming")
    if is_page(text):
        raise UnusableReply(f"expected JSON or plain text, found a web page: {message_of(text)}")
    if kind.endswith(("json", "javascript")) or text.lstrip()[:1] in ("{", "["):
        return json_of(text)
    return text


def _query(value: dict[str, Any]) -> dict[str, Any]:
    """Return a filled template as a query takes it: texts, numbers, lists of them, anything else as JSON."""

    def plain(part: Any) -> Any:
        return json.dumps(part, ensure_ascii=False) if isinstance(part, (dict, list)) else part

    return {
        key: [plain(each) for each in part] if isinstance(part, list) else plain(part)
        for key, part in value.items()
    }


_INLINE = ("question", "context", "k")
_WHOLE = ("passages", "texts", "ids", "k")
_OF_PASSAGES = frozenset({"context", "passages", "texts", "ids"})
_PLACE = regex(r"\{\{(\w+)\}\}|\{(\w+)\}")

_HELP = 'write it like {"question": "{question}", "passages": "{passages}"}, or name a file: template=@FILE'

Values = dict[str, Any]

USUAL = (
    "choices.0.message.content",
    "choices.0.text",
    "message.content",
    "content.*.text",
    "output.answer",
    "data.answer",
    "generated_text",
    "0.generated_text",
)
"""Where the text stands in replies of known kinds, beside the keys that every pipeline may use."""

PARTS = ("citations", "passages", "confidence", "usage")


class Template:
    """A checked template; ``fill`` makes the value to send."""

    def __init__(self, written: str) -> None:
        """Read a template from JSON text, or from the file behind ``@``; raises PipelineNotUsable."""
        text = _content(written)
        try:
            self._tree = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise PipelineNotUsable(f"expected a template in JSON, found: {error}", help=_HELP) from error
        self.text = json.dumps(self._tree, ensure_ascii=False)
        """The template in one spelling, as a run keeps it."""
        self._used: set[str] = set()
        _check(self._tree, self._used)
        if "question" not in self._used:
            raise PipelineNotUsable(
                f"expected {{question}} somewhere in the template, found {self.text[:200]}", help=_HELP
            )

    @property
    def takes_passages(self) -> bool:
        """Whether the passages that the harness retrieves are part of what is sent."""
        return not self._used.isdisjoint(_OF_PASSAGES)

    def fill(self, question: str, passages: Sequence[Passage] = (), k: int = 0) -> Any:
        """Return the template's value with everything in its place."""
        values: Values = {"question": question, "k": k}
        if self.takes_passages:
            values |= passage_values(passages)
        return _filled(self._tree, values)


def passage_values(passages: Sequence[Passage]) -> Values:
    """Return passages in the four forms in which a template may ask for them."""
    return {
        "passages": msgspec.to_builtins(list(passages)),
        "texts": [passage.text for passage in passages],
        "ids": [passage.id for passage in passages],
        "context": "\n\n".join(f"[{passage.id}] {passage.text}" for passage in passages),
    }


def _content(written: str) -> str:
    if not written.startswith("@"):
        return written
    try:
        return Path(written[1:]).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise PipelineNotUsable(
            f"expected a template in {written[1:]}, found: {reason}", help=_HELP
        ) from error


def _check(node: Any, used: set[str]) -> None:
    """Collect the names that a template asks for; raises PipelineNotUsable for an unknown one, a secret."""
    if isinstance(node, dict):
        for key, value in node.items():
            if isinstance(value, str) and not _PLACE.search(value) and is_secret(key, value):
                raise PipelineNotUsable(
                    f"expected no secret in the template, which is kept with the run, found {key!r}"
                    " in plain text",
                    help="send it in a header: export NAME=...;"
                    f" --pipeline-option {header_option(key.lower())}",
                )
        node = list(node.values())
    if isinstance(node, list):
        for each in node:
            _check(each, used)
    if not isinstance(node, str):
        return
    for found in _PLACE.finditer(node):
        name = found[2]
        if name is None:
            continue
        alone = found[0] == node
        if name not in _INLINE and not (alone and name in _WHOLE):
            known = ", ".join(f"{{{each}}}" for each in dict.fromkeys((*_INLINE, *_WHOLE)))
            told = "is a list, but is embedded in other text" if name in _WHOLE else "is not known"
            raise PipelineNotUsable(
                f"expected {known} in the template, found {{{name}}}, which {told}",
                help=f"double the braces to keep them as text: {{{{{name}}}}}",
            )
        used.add(name)


def _filled(node: Any, values: Values) -> Any:
    if isinstance(node, dict):
        return {key: _filled(value, values) for key, value in node.items()}
    if isinstance(node, list):
        return [_filled(value, values) for value in node]
    if not isinstance(node, str):
        return node
    alone = _PLACE.fullmatch(node)
    if alone and alone[2]:
        return values[alone[2]]
    return _PLACE.sub(lambda found: f"{{{found[1]}}}" if found[1] else str(values[found[2]]), node)


class Paths:
    """Where the parts of an answer stand in a reply; an empty path means the usual places."""

    def __init__(self, answer: str = "", **parts: str) -> None:
        self._answer = _steps("answer", answer)
        self._parts = {name: _steps(name, parts[name]) for name in PARTS if parts.get(name)}

    def read(self, reply: Any) -> Any:
        """Return what the pipeline answered, in a form that ``read_answer`` takes; raises UnusableReply."""
        if not self._answer and not self._parts and text_at_usual_place(reply) is MISSING:
            return reply
        answer = {key: reply[key] for key in PARTS if isinstance(reply, dict) and key in reply}
        taken = {steps[0] for steps in self._parts.values()}
        if isinstance(reply, dict) and "sources" in reply and "sources" not in taken:
            answer.setdefault("citations", reply["sources"])
        parts = {name: at_path(reply, steps) for name, steps in self._parts.items()}
        answer |= {name: None if part is MISSING else part for name, part in parts.items()}
        answer["text"] = self._text(reply)
        return answer

    def _text(self, reply: Any) -> Any:
        text = at_path(reply, self._answer) if self._answer else text_at_usual_place(reply)
        if text is MISSING and not self._answer:
            text = next((reply[key] for key in TEXT_KEYS if isinstance(reply, dict) and key in reply), text)
        if text is MISSING:
            reached, there = _last_reached(reply, self._answer)
            place = ".".join(self._answer) or "a usual place"
            where = f" at {'.'.join(reached)}" if reached else ""
            raise UnusableReply(f"expected the answer at {place}, found {described_json(there)}{where}")
        return text


def text_at_usual_place(reply: Any) -> Any:
    """Return the text of a reply of one of the ``USUAL`` kinds; MISSING for any other."""
    if isinstance(reply, dict) and any(isinstance(reply.get(key), str) for key in TEXT_KEYS):
        return MISSING
    for path in USUAL:
        text = at_path(reply, path.split("."))
        if isinstance(text, list) and text and all(isinstance(each, str) for each in text):
            text = "".join(text)
        if isinstance(text, str):
            return text
    return MISSING


def at_path(value: Any, steps: list[str]) -> Any:
    """Return what stands at the end of a path; MISSING where a step leads nowhere.

    A number is an index of a list, ``*`` goes into every element and leaves out those that lead nowhere.
    """
    for number, step in enumerate(steps):
        if step == "*":
            if not isinstance(value, list):
                return MISSING
            inner = (at_path(each, steps[number + 1 :]) for each in value)
            return [each for each in inner if each is not MISSING]
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and _is_index(step, len(value)):
            value = value[int(step)]
        else:
            return MISSING
    return value


def _last_reached(value: Any, steps: list[str]) -> tuple[list[str], Any]:
    """Return how far a path leads that leads nowhere in the end, and what stands there."""
    ends = [(steps[:length], at_path(value, steps[:length])) for length in range(len(steps))]
    return next((end for end in reversed(ends) if end[1] is not MISSING), ([], value))


def described_json(value: Any) -> str:
    """Return what a JSON value is, in a few words."""
    if isinstance(value, dict):
        names = ", ".join(str(key)[:40] for key in list(value)[:8])
        return f"an object with {names}" if names else "an empty object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return f"{value!r:.80}"


def _steps(name: str, path: str) -> list[str]:
    steps = path.removeprefix("$.").split(".") if path else []
    if not all(steps):
        raise PipelineNotUsable(
            f"expected {name}= as keys, numbers and * with dots between them, found {path!r}",
            help="such as choices.0.message.content or sources.*.id",
        )
    return steps


def _is_index(step: str, length: int) -> bool:
    return (
        step.isascii()
        and step.removeprefix("-").isdigit()
        and len(step) < 10
        and -length <= int(step) < length
    )
