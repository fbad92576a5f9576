"""From spans to answers: the steps of each trace become a question, its passages and an answer."""

from __future__ import annotations

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
