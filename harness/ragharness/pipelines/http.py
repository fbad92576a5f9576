"""A pipeline behind a URL: a question is one request, made from a JSON template, its reply the answer.

Settings: ``method``, ``template``, ``header-NAME`` (a value in which ``ENV:VARIABLE`` stands for what that
environment variable holds, so that no key is written down), and dotted paths to the parts of a reply, such as
``choices.0.message.content``: ``answer``, ``citations``, ``passages``, ``confidence``, ``usage``; without
them the usual shapes of answers are read. Time limits and repetition are the run's.

The template is filled on the parsed tree, never as text. A string may hold ``{question}``, ``{context}``
(passages' texts, each behind its id) and ``{k}`` among other words; a string that is nothing but
``{passages}`` (objects), ``{texts}``, ``{ids}`` or ``{k}`` becomes that value itself. ``{{name}}`` stands for
the letters ``{name}``. Keys are left as they are.
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
TEMPLATE = '{"question": "{question}"}'  # the default template: such a pipeline retrieves for itself
PARTS = ("citations", "passages", "confidence", "usage")
USUAL = (  # where the text stands in replies of known kinds, beside the keys that every pipeline may use
    "choices.0.message.content",
    "choices.0.text",
    "message.content",
    "content.*.text",
    "output.answer",
    "data.answer",
    "generated_text",
    "0.generated_text",
)
_EMBEDDED = ("question", "context", "k")
_ALONE = ("passages", "texts", "ids", "k")
_OF_PASSAGES = frozenset({"context", "passages", "texts", "ids"})
_INDEX = regex(r"-?[0-9]{1,9}")
_PLACEHOLDER = regex(r"\{\{(\w+)\}\}|\{(\w+)\}")
_HELP = 'write it like {"question": "{question}", "passages": "{passages}"}, or name a file: template=@FILE'


def build(context: Context, argument: str) -> BuiltPipeline:
    """The pipeline at ``http:argument``; raises PipelineNotUsable."""
    return _build_at(context, f"http:{argument}")


def build_encrypted(context: Context, argument: str) -> BuiltPipeline:
    """The pipeline at ``https:argument``; raises PipelineNotUsable."""
    return _build_at(context, f"https:{argument}")


def _build_at(context: Context, written: str) -> BuiltPipeline:
    options = context.options
    url = address(written)
    method = options.choice("method", "POST", METHODS)
    template = Template(options.text("template", TEMPLATE))
    if method == "GET" and not template.text.startswith("{"):
        raise PipelineNotUsable("method=GET needs a template that is an object: it becomes the query")
    paths = {name: options.text(name) for name in ("answer", *PARTS)}
    headers = Headers(options.starting("header-"))
    headers.hide(url.query.decode("ascii", "replace"))
    options.finish(f"the pipeline {written.partition(':')[0]!r}")
    must_be_allowed(url, offline=options.offline)
    must_listen(url)
    endpoint = Endpoint(Client(url, headers, {}), method, template, Paths(**paths), context.k)
    settings = {name: path for name, path in paths.items() if path} | headers.settings
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
        """The answer of a pipeline that brings its own passages."""
        return await self.ask(question, ())

    async def ask(self, question: str, passages: Sequence[Passage]) -> Any:
        """The answer; raises AccessRefused, TemporaryFailure for what a retry may mend, or UnusableReply."""
        value = self.template.fill(question, passages, self.k)
        if self.method == "GET":
            reply = await self.client.ask("GET", query=_query(value))
        else:
            reply = await self.client.ask(self.method, content=msgspec.json.encode(value))
        text = reply.text()
        if not reply.is_success:
            raise failure(reply, text)
        media_type = reply.headers.get("content-type", "").partition(";")[0].strip().lower()
        return self.paths.read(_value_of(media_type, text))


def _value_of(media_type: str, text: str) -> Any:
    if media_type == "text/event-stream":
        raise UnusableReply("the reply is a stream of events: ask for one without streaming")
    if is_page(text):
        raise UnusableReply(f"expected JSON or plain text, found a web page: {message_of(text)}")
    if media_type.endswith(("json", "javascript")) or text.lstrip()[:1] in ("{", "["):
        return json_of(text)
    return text


def _query(value: dict[str, Any]) -> dict[str, Any]:
    """A filled template as a query takes it: texts, numbers, lists of them, anything else as JSON."""

    def plain(part: Any) -> Any:
        return json.dumps(part, ensure_ascii=False) if isinstance(part, (dict, list)) else part

    return {
        key: [plain(element) for element in part] if isinstance(part, list) else plain(part)
        for key, part in value.items()
    }


class Template:
    """A checked template; ``fill`` makes the value to send."""

    def __init__(self, written: str) -> None:
        """Read a template from JSON text, or from the file behind ``@``; raises PipelineNotUsable."""
        text = written
        if written.startswith("@"):
            try:
                text = Path(written[1:]).read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                reason = getattr(error, "strerror", None) or error
                message = f"cannot read the template {written[1:]}: {reason}"
                raise PipelineNotUsable(message, help=_HELP) from error
        try:
            self._tree = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise PipelineNotUsable(f"the template is no JSON: {error}", help=_HELP) from error
        self.text = json.dumps(self._tree, ensure_ascii=False)  # in one spelling, as a run keeps it
        self._names: set[str] = set()
        self._check(self._tree)
        if "question" not in self._names:
            raise PipelineNotUsable(f"the template {self.text[:200]} lacks {{question}}", help=_HELP)

    @property
    def takes_passages(self) -> bool:
        """Whether the passages that the harness retrieves are part of what is sent."""
        return not self._names.isdisjoint(_OF_PASSAGES)

    def fill(self, question: str, passages: Sequence[Passage] = (), k: int = 0) -> Any:
        """The template's value with everything in its place."""
        values: dict[str, Any] = {"question": question, "k": k}
        if self.takes_passages:
            values |= {
                "passages": msgspec.to_builtins(list(passages)),
                "texts": [passage.text for passage in passages],
                "ids": [passage.id for passage in passages],
                "context": "\n\n".join(f"[{passage.id}] {passage.text}" for passage in passages),
            }
        return _filled(self._tree, values)

    def _check(self, node: Any) -> None:
        """Collect the names that a node asks for; raises PipelineNotUsable for an unknown one, a secret."""
        if isinstance(node, dict):
            for key, value in node.items():
                if isinstance(value, str) and not _PLACEHOLDER.search(value) and is_secret(key, value):
                    raise PipelineNotUsable(
                        f"the template, which is kept with the run, holds the secret {key!r} in plain text",
                        help="send it in a header: export NAME=...;"
                        f" --pipeline-option {header_option(key.lower())}",
                    )
            node = list(node.values())
        if isinstance(node, list):
            for inner in node:
                self._check(inner)
        if not isinstance(node, str):
            return
        for match in _PLACEHOLDER.finditer(node):
            name = match[2]
            if name is None:
                continue
            if name not in _EMBEDDED and not (name in _ALONE and match[0] == node):
                names = ", ".join(f"{{{name}}}" for name in dict.fromkeys((*_EMBEDDED, *_ALONE)))
                problem = "is a list, but is embedded in other text" if name in _ALONE else "is not known"
                raise PipelineNotUsable(
                    f"{{{name}}} in the template {problem}; it may hold {names}",
                    help=f"double the braces to keep them as text: {{{{{name}}}}}",
                )
            self._names.add(name)


def _filled(node: Any, values: dict[str, Any]) -> Any:
    if isinstance(node, dict):
        return {key: _filled(value, values) for key, value in node.items()}
    if isinstance(node, list):
        return [_filled(value, values) for value in node]
    if not isinstance(node, str):
        return node
    whole = _PLACEHOLDER.fullmatch(node)
    if whole and whole[2]:
        return values[whole[2]]
    return _PLACEHOLDER.sub(lambda match: f"{{{match[1]}}}" if match[1] else str(values[match[2]]), node)


class Paths:
    """Where the parts of an answer stand in a reply; an empty path means the usual places."""

    def __init__(self, answer: str = "", **parts: str) -> None:
        self._answer = _steps("answer", answer)
        self._parts = {name: _steps(name, parts[name]) for name in PARTS if parts.get(name)}

    def read(self, reply: Any) -> Any:
        """The answer in a form that ``read_answer`` takes; raises UnusableReply."""
        if not self._answer and not self._parts and _usual_text(reply) is MISSING:
            return reply
        keys = reply if isinstance(reply, dict) else {}
        answer = {key: keys[key] for key in PARTS if key in keys}
        if "sources" in keys and all(steps[0] != "sources" for steps in self._parts.values()):
            answer.setdefault("citations", keys["sources"])
        parts = {name: at_path(reply, steps) for name, steps in self._parts.items()}
        answer |= {name: None if part is MISSING else part for name, part in parts.items()}
        answer["text"] = self._text(reply)
        return answer

    def _text(self, reply: Any) -> Any:
        text = at_path(reply, self._answer) if self._answer else _usual_text(reply)
        if text is MISSING and not self._answer and isinstance(reply, dict):
            text = next((reply[key] for key in TEXT_KEYS if key in reply), text)
        if text is not MISSING:
            return text
        path = ".".join(self._answer) or "a usual place"
        # How far the path leads, and what stands there.
        reached, value = [], reply
        for count in range(len(self._answer)):
            if (inner := at_path(reply, self._answer[:count])) is not MISSING:
                reached, value = self._answer[:count], inner
        where = f" at {'.'.join(reached)}" if reached else ""
        raise UnusableReply(f"expected the answer at {path}, found {_description(value)}{where}")


def _usual_text(reply: Any) -> Any:
    """The text of a reply of one of the ``USUAL`` kinds; MISSING for any other."""
    if isinstance(reply, dict) and any(isinstance(reply.get(key), str) for key in TEXT_KEYS):
        return MISSING
    for path in USUAL:
        text = at_path(reply, path.split("."))
        if isinstance(text, list) and text and all(isinstance(part, str) for part in text):
            text = "".join(text)
        if isinstance(text, str):
            return text
    return MISSING


def at_path(value: Any, steps: list[str]) -> Any:
    """The value at the end of a path; MISSING where a step leads nowhere.

    A number is an index of a list, ``*`` goes into every element and leaves out those that lead nowhere.
    """
    for number, step in enumerate(steps):
        if step == "*":
            if not isinstance(value, list):
                return MISSING
            inner = (at_path(element, steps[number + 1 :]) for element in value)
            return [element for element in inner if element is not MISSING]
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and _INDEX.fullmatch(step) and -len(value) <= int(step) < len(value):
            value = value[int(step)]
        else:
            return MISSING
    return value


def _description(value: Any) -> str:
    if isinstance(value, dict):
        names = ", ".join(str(key)[:40] for key in list(value)[:8])
        return f"an object with {names}" if names else "an empty object"
    return f"a list of {len(value)}" if isinstance(value, list) else f"{value!r:.80}"


def _steps(name: str, path: str) -> list[str]:
    steps = path.removeprefix("$.").split(".") if path else []
    if not all(steps):
        message = f"the path {name}={path!r} is not made of keys, numbers and * with dots between them"
        raise PipelineNotUsable(message, help="such as choices.0.message.content or sources.*.id")
    return steps
