"""From spans to answers: the steps of each trace become a question, its passages and an answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ragharness.pipelines.adapters.fields import passage_of
from ragharness.records import Passage

ASKED = (
    "question", "query", "input", "inputs", "prompt", "text", "content", "messages", "value", "parts",
    "kwargs",
)  # fmt: skip
ANSWERED = (
    "answer", "output", "outputs", "response", "result", "completion", "text", "content", "messages",
    "generations", "message", "value", "parts", "kwargs",
)  # fmt: skip
_DOCUMENTS = (
    "documents",
    "source_documents",
    "retrieved_documents",
    "context",
    "passages",
    "output",
    "nodes",
)
_CALL = {"args", "kwargs"}
"""What decorators write of the call of a function."""
_ASKING = ("user", "human")
_DEEPEST = 8


class Entry(Struct, frozen=True, kw_only=True):
    """One answer of a system in production."""

    id: str
    question: str
    answer: str
    """Empty: it gave none."""
    citations: tuple[str, ...] | None = None
    """None: they are read from the text."""
    passages: tuple[Passage, ...] | None = None
    """None: the log does not say what was retrieved."""
    numbered: bool = False
    """The log gives passages no ids; they are named by their place: 1, 2, ..."""


class Step(Struct, frozen=True, kw_only=True):
    """One span: what went in, what came out, and the passages it retrieved."""

    trace: str
    id: str
    parent: str = ""
    answers: bool = False
    """A call of a model."""
    retrieves: bool = False
    asked: str = ""
    answered: str = ""
    passages: tuple[Passage, ...] | None = None
    """None: the log does not say which."""
    started: str = ""


def assembled(steps: Iterable[Step]) -> tuple[list[Entry], int]:
    """Return an entry for each trace, in the order of their first steps, and how many hold no question.

    Question and answer are those of the outermost step if there is one, else of the last call of a model;
    passages are those of every retrieval, each once.
    """
    traces: dict[str, list[Step]] = {}
    for step in steps:
        traces.setdefault(step.trace, []).append(step)
    found = [_entry(name, sorted(each, key=lambda step: step.started)) for name, each in traces.items()]
    entries = [each for each in found if each.question]
    return entries, len(found) - len(entries)


def _entry(name: str, steps: Sequence[Step]) -> Entry:
    ids = {step.id for step in steps}
    outer = [step for step in steps if step.parent not in ids and not step.retrieves]
    models = [step for step in reversed(steps) if step.answers]
    tried = [*outer, *models] if len(outer) == 1 else [*models, *outer]
    retrieved = [step.passages for step in steps if step.passages is not None]
    passages = [passage for each in retrieved for passage in each]
    return Entry(
        id=name,
        question=next((step.asked for step in tried if step.asked), ""),
        answer=next((step.answered for step in tried if step.answered), ""),
        passages=named(passages) if retrieved else None,
        numbered=not any(each.id for each in passages),
    )


def named(passages: Iterable[Passage]) -> tuple[Passage, ...]:
    """Return passages, each once, those without an id named by their place: 1, 2, ..."""
    told = dict.fromkeys(passages)
    places = (replace(each, id=each.id or str(place)) for place, each in enumerate(told, 1))
    return tuple({each.id: each for each in places}.values())


def passages_in(value: object) -> tuple[Passage, ...]:
    """Return the passages of a list, or of what holds one: its documents, source documents or nodes."""
    value = parsed(value)
    if isinstance(value, dict):
        inner = (parsed(value.get(name)) for name in _DOCUMENTS)
        value = next((each for each in inner if isinstance(each, (list, dict)) and each), None)
        if isinstance(value, dict):
            return passages_in(value)
    if not isinstance(value, list):
        return ()
    given = ({"text": each} if isinstance(each, str) else each for each in value)
    return tuple(passage for each in given if (passage := passage_of(each)) is not None)


def text_in(value: object, names: Sequence[str], depth: int = 0) -> str:
    """Return the text that a value is or holds under one of the names; of messages the last that fits."""
    value = parsed(value)
    if isinstance(value, str):
        return value.strip()
    if depth > _DEEPEST:
        return ""
    if isinstance(value, dict):
        inner = (
            _arguments(value) if value.keys() == _CALL else [value[each] for each in names if each in value]
        )
        return next(filter(None, (text_in(each, names, depth + 1) for each in inner)), "")
    if isinstance(value, list):
        return _in_list(value, names, depth)
    return ""


def _arguments(call: dict[str, Any]) -> list[Any]:
    """Return the arguments of a call, those by name last: once for names that are known, then in order."""
    args, named = call["args"], call["kwargs"]
    by_name = [named, *named.values()] if isinstance(named, dict) else []
    return [*(args if isinstance(args, list) else []), *by_name]


def _in_list(value: list[Any], names: Sequence[str], depth: int) -> str:
    asks = names is ASKED
    roles = [_role(each) for each in value]
    if any(roles):
        fitting = [
            each for each, role in zip(value, roles, strict=True) if role and (role in _ASKING) == asks
        ]
        texts = (text_in(each, names, depth + 1) for each in reversed(fitting))
        return next(filter(None, texts), "")
    # Parts of one text, or batches of messages.
    texts = (text_in(each, names, depth + 1) for each in value)
    return "\n".join(filter(None, texts))


def _role(message: object) -> str:
    """Return who speaks; a message of LangChain says it as its type, or as the name of its class."""
    if not isinstance(message, dict):
        return ""
    told = message.get("role") or message.get("type") or ""
    if isinstance(message.get("id"), list) and message["id"]:
        told = str(message["id"][-1]).removesuffix("Chunk").removesuffix("Message")
    inner = message.get("message")
    if not told and isinstance(inner, dict):
        return _role(inner)
    return str(told).casefold() if told not in ("text", "constructor", "output_text", "input_text") else ""


def objects_in(value: object) -> list[dict[str, Any]]:
    """Return the objects of a list, whatever else is in it; nothing of any other value."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def parsed(value: object) -> Any:
    """Return what a JSON object or list in a text says; any other value as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return msgspec.json.decode(value)
        except (msgspec.DecodeError, RecursionError):
            return value
    return value


_INPUTS = (
    "gen_ai.input.messages", "gen_ai.prompt", "traceloop.entity.input", "input.value",
    "gen_ai.retrieval.query.text",
)  # fmt: skip
_OUTPUTS = ("gen_ai.output.messages", "gen_ai.completion", "traceloop.entity.output", "output.value")
_RETRIEVED = "gen_ai.retrieval.documents"
_RETRIEVES = ("retrieval", "vector_db_retrieve")
_ANSWERS = ("chat", "text_completion", "generate_content", "invoke_agent")
_LANGFUSE = "langfuse.observation."
_PLACE = re.compile(r"[0-9]{1,18}")


def step_of(flat: dict[str, Any], common: dict[str, str]) -> Step:
    """Return the step of a span with these attributes; ``common``: its trace, id, parent and start."""
    if "openinference.span.kind" in flat:
        return _openinference(flat, common)
    if f"{_LANGFUSE}type" in flat:
        held = {name.removeprefix(_LANGFUSE): parsed(value) for name, value in flat.items()}
        return observation(held, common)
    return _gen_ai(flat, common)


def observation(row: dict[str, Any], common: dict[str, str]) -> Step:
    """Return the step of an observation of Langfuse."""
    kind, output = str(row.get("type")).upper(), row.get("output")
    named = kind == "SPAN" and "retriev" in str(row.get("name", "")).casefold()
    retrieved = passages_in(output) if kind == "RETRIEVER" or named else ()
    return Step(
        **common,
        answers=kind == "GENERATION",
        retrieves=kind == "RETRIEVER" or bool(retrieved),
        asked=text_in(row.get("input"), ASKED),
        answered=text_in(output, ANSWERED),
        passages=retrieved if retrieved or (kind == "RETRIEVER" and output == []) else None,
    )


def _gen_ai(flat: dict[str, Any], common: dict[str, str]) -> Step:
    tree = nested(flat)
    operation = str(flat.get("gen_ai.operation.name") or flat.get("traceloop.span.kind") or "")
    retrieved = passages_in(flat.get(_RETRIEVED))
    if operation in _RETRIEVES and not retrieved:
        retrieved = passages_in(flat.get("traceloop.entity.output"))
    return Step(
        **common,
        answers=operation in _ANSWERS or "gen_ai.completion" in flat or "gen_ai.output.messages" in flat,
        retrieves=operation in _RETRIEVES or bool(retrieved),
        asked=_first(flat, tree, _INPUTS, ASKED),
        answered=_first(flat, tree, _OUTPUTS, ANSWERED),
        # Documents are opt-in there: none may have been left out as well as not found.
        passages=retrieved or None,
    )


def _openinference(flat: dict[str, Any], common: dict[str, str]) -> Step:
    kind, tree = str(flat.get("openinference.span.kind")).upper(), nested(flat)
    told = tree.get("llm") if isinstance(tree.get("llm"), dict) else {}
    retrieves = kind in ("RETRIEVER", "RERANKER")
    retrieved = _documents(tree, flat.get("output.value") if retrieves else None)
    replied = text_in(_messages(told, "output_messages"), ANSWERED) if kind == "LLM" else ""
    return Step(
        **common,
        answers=kind == "LLM",
        retrieves=retrieves or bool(retrieved),
        asked=text_in(_messages(told, "input_messages"), ASKED) or text_in(flat.get("input.value"), ASKED),
        answered=replied or text_in(flat.get("output.value"), ANSWERED),
        passages=retrieved or None,
    )


def _documents(tree: dict[str, Any], output: Any) -> tuple[Passage, ...]:
    """Return the documents of a retrieval; the ids that its attributes leave out stand in its output."""
    holder = next(
        (each for name in ("retrieval", "reranker") if isinstance(each := tree.get(name), dict)), {}
    )
    documents = parsed(holder.get("documents") or holder.get("output_documents"))
    held = [each.get("document", each) if isinstance(each, dict) else each for each in _listed(documents)]
    # Spread out as document.content, document.id and the like.
    plain = [
        {name.removeprefix("document."): each for name, each in one.items()} if isinstance(one, dict) else one
        for one in held
    ]
    found, written = passages_in(plain), passages_in(output)
    same = [each.text for each in found] == [each.text for each in written]
    return written if not found or (same and not all(each.id for each in found)) else found


def _messages(told: Any, name: str) -> list[Any]:
    given = _listed(parsed(told.get(name))) if isinstance(told, dict) else []
    found = []
    for each in given:
        inner = each.get("message", each) if isinstance(each, dict) else each
        if isinstance(inner, dict):
            inner = {key.removeprefix("message."): value for key, value in inner.items()}
        found.append(inner)
    return found


def _first(flat: dict[str, Any], tree: Any, names: tuple[str, ...], keys: tuple[str, ...]) -> str:
    for name in names:
        value = flat.get(name)
        if value is None:
            # Older versions of OpenLLMetry number their messages: gen_ai.prompt.0.content.
            value = tree
            for part in name.split("."):
                value = value.get(part) if isinstance(value, dict) else None
        if isinstance(value, str) and value[:1] == value[-1:] == '"' and name.startswith("traceloop."):
            # Its decorators write what a function returned as JSON.
            value = parsed(f"[{value}]")
        if text := text_in(value, keys):
            return text
    return ""


def _listed(value: Any) -> list[Any]:
    """Return a list that may be written as an object of numbered entries."""
    if isinstance(value, dict) and value and all(_PLACE.fullmatch(name) for name in map(str, value)):
        return [value[name] for name in sorted(value, key=int)]
    return value if isinstance(value, list) else []


def nested(flat: dict[str, Any]) -> dict[str, Any]:
    """Return dotted names as objects within objects; a name that is a value, too, keeps the value."""
    tree: dict[str, Any] = {}
    for name, value in flat.items():
        *path, last = name.split(".")
        at: Any = tree
        for part in path:
            at = at.setdefault(part, {}) if isinstance(at, dict) else None
        if isinstance(at, dict) and last not in at:
            at[last] = value
    return {name: _with_lists(value) for name, value in tree.items()}


def _with_lists(tree: Any) -> Any:
    if not isinstance(tree, dict):
        return tree
    inner = {name: _with_lists(value) for name, value in tree.items()}
    return _listed(inner) or inner
