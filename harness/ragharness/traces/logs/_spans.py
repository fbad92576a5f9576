"""Spans of traces: what their attributes say by several conventions, and how they become answers.

The conventions are those of GenAI (OpenTelemetry), OpenLLMetry, OpenInference and Langfuse.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ragharness.pipelines.adapters.fields import passage_of
from ragharness.records import Passage

QUESTION_KEYS = (
    "question", "query", "input", "inputs", "prompt", "text", "content", "messages", "value", "parts",
    "kwargs",
)  # fmt: skip
ANSWER_KEYS = (
    "answer", "output", "outputs", "response", "result", "completion", "text", "content", "messages",
    "generations", "message", "value", "parts", "kwargs",
)  # fmt: skip
_PASSAGE_KEYS = (
    "documents", "source_documents", "retrieved_documents", "context", "passages", "output", "nodes",
)  # fmt: skip
_CALL_KEYS = {"args", "kwargs"}  # the keys under which decorators write the call of a function
_ASKING_ROLES = ("user", "human")
_PART_TYPES = ("text", "constructor", "output_text", "input_text")  # of a message, no roles
_DEEPEST = 8

_INPUTS = (
    "gen_ai.input.messages", "gen_ai.prompt", "traceloop.entity.input", "input.value",
    "gen_ai.retrieval.query.text",
)  # fmt: skip
_OUTPUTS = ("gen_ai.output.messages", "gen_ai.completion", "traceloop.entity.output", "output.value")
_RETRIEVED = "gen_ai.retrieval.documents"
_RETRIEVAL_OPERATIONS = ("retrieval", "vector_db_retrieve")
_MODEL_OPERATIONS = ("chat", "text_completion", "generate_content", "invoke_agent")
_LANGFUSE = "langfuse.observation."
_NUMBER = re.compile(r"[0-9]{1,18}")


class Entry(Struct, frozen=True, kw_only=True):
    """One answer of a system in production."""

    id: str
    question: str
    answer: str  # empty: it gave none
    citations: tuple[str, ...] | None = None  # None: they are read from the text
    passages: tuple[Passage, ...] | None = None  # None: the log does not say what was retrieved
    numbered: bool = False  # the log gives passages no ids; they are named by their position: 1, 2, ...


class Step(Struct, frozen=True, kw_only=True):
    """One span: its input, its output, and the passages it retrieved."""

    trace: str
    id: str
    parent: str = ""
    is_model_call: bool = False
    is_retrieval: bool = False
    question: str = ""
    answer: str = ""
    passages: tuple[Passage, ...] | None = None  # None: the log does not say which
    started: str = ""


def assembled(steps: Iterable[Step]) -> tuple[list[Entry], int]:
    """An entry for each trace, in the order of their first steps, and how many hold no question.

    Question and answer are those of the outermost step if there is one, else of the last call of a model;
    passages are those of every retrieval, each once.
    """
    traces: dict[str, list[Step]] = {}
    for step in steps:
        traces.setdefault(step.trace, []).append(step)
    entries = [_entry(name, sorted(spans, key=lambda step: step.started)) for name, spans in traces.items()]
    answered = [entry for entry in entries if entry.question]
    return answered, len(entries) - len(answered)


def _entry(name: str, steps: Sequence[Step]) -> Entry:
    ids = {step.id for step in steps}
    outermost = [step for step in steps if step.parent not in ids and not step.is_retrieval]
    model_calls = [step for step in reversed(steps) if step.is_model_call]
    candidates = [*outermost, *model_calls] if len(outermost) == 1 else [*model_calls, *outermost]
    retrievals = [step.passages for step in steps if step.passages is not None]
    passages = [passage for retrieval in retrievals for passage in retrieval]
    return Entry(
        id=name,
        question=next((step.question for step in candidates if step.question), ""),
        answer=next((step.answer for step in candidates if step.answer), ""),
        passages=named(passages) if retrievals else None,
        numbered=not any(passage.id for passage in passages),
    )


def named(passages: Iterable[Passage]) -> tuple[Passage, ...]:
    """Passages, each once, those without an id named by their position: 1, 2, ..."""
    unique = dict.fromkeys(passages)
    with_ids = (replace(passage, id=passage.id or str(n)) for n, passage in enumerate(unique, 1))
    return tuple({passage.id: passage for passage in with_ids}.values())


def passages_in(value: object) -> tuple[Passage, ...]:
    """The passages of a list, or of an object that holds one as its documents or nodes."""
    value = parsed(value)
    if isinstance(value, dict):
        inner = (parsed(value.get(name)) for name in _PASSAGE_KEYS)
        value = next((child for child in inner if isinstance(child, (list, dict)) and child), None)
        if isinstance(value, dict):
            return passages_in(value)
    if not isinstance(value, list):
        return ()
    rows = ({"text": row} if isinstance(row, str) else row for row in value)
    return tuple(passage for row in rows if (passage := passage_of(row)) is not None)


def text_in(value: object, keys: Sequence[str], depth: int = 0) -> str:
    """The text that a value is or holds under one of the keys; of messages the last that fits."""
    value = parsed(value)
    if isinstance(value, str):
        return value.strip()
    if depth > _DEEPEST:
        return ""
    if isinstance(value, dict):
        inner = [value[key] for key in keys if key in value]
        if value.keys() == _CALL_KEYS:
            # Arguments by name come last: once for names that are known, then in order.
            positional, by_name = value["args"], value["kwargs"]
            inner = list(positional) if isinstance(positional, list) else []
            inner += [by_name, *by_name.values()] if isinstance(by_name, dict) else []
        return next(filter(None, (text_in(child, keys, depth + 1) for child in inner)), "")
    return _text_in_list(value, keys, depth) if isinstance(value, list) else ""


def _text_in_list(values: list[Any], keys: Sequence[str], depth: int) -> str:
    asking = keys is QUESTION_KEYS
    roles = [_role(message) for message in values]
    if any(roles):
        pairs = zip(reversed(values), reversed(roles), strict=True)
        fitting = (message for message, role in pairs if role and (role in _ASKING_ROLES) == asking)
        return next(filter(None, (text_in(message, keys, depth + 1) for message in fitting)), "")
    # Parts of one text, or batches of messages.
    return "\n".join(filter(None, (text_in(part, keys, depth + 1) for part in values)))


def _role(message: object) -> str:
    """Who speaks; a message of LangChain says it as its type, or as the name of its class."""
    if not isinstance(message, dict):
        return ""
    role = message.get("role") or message.get("type") or ""
    if isinstance(message.get("id"), list) and message["id"]:
        role = str(message["id"][-1]).removesuffix("Chunk").removesuffix("Message")
    inner = message.get("message")
    if not role and isinstance(inner, dict):
        return _role(inner)
    return str(role).casefold() if role not in _PART_TYPES else ""


def objects_in(value: object) -> list[dict[str, Any]]:
    """The objects of a list, whatever else is in it; nothing of any other value."""
    return [child for child in value if isinstance(child, dict)] if isinstance(value, list) else []


def parsed(value: object) -> Any:
    """A JSON object or list in a text; any other value as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return msgspec.json.decode(value)
        except (msgspec.DecodeError, RecursionError):
            return value
    return value


def step_of(flat: dict[str, Any], common: dict[str, str]) -> Step:
    """The step of a span with these attributes; ``common``: its trace, id, parent and start."""
    if "openinference.span.kind" in flat:
        return _openinference(flat, common)
    if f"{_LANGFUSE}type" in flat:
        row = {name.removeprefix(_LANGFUSE): parsed(value) for name, value in flat.items()}
        return observation(row, common)
    return _gen_ai(flat, common)


def observation(row: dict[str, Any], common: dict[str, str]) -> Step:
    """The step of an observation of Langfuse."""
    kind, output = str(row.get("type")).upper(), row.get("output")
    is_named_retriever = kind == "SPAN" and "retriev" in str(row.get("name", "")).casefold()
    retrieved = passages_in(output) if kind == "RETRIEVER" or is_named_retriever else ()
    return Step(
        **common,
        is_model_call=kind == "GENERATION",
        is_retrieval=kind == "RETRIEVER" or bool(retrieved),
        question=text_in(row.get("input"), QUESTION_KEYS),
        answer=text_in(output, ANSWER_KEYS),
        passages=retrieved if retrieved or (kind == "RETRIEVER" and output == []) else None,
    )


def _gen_ai(flat: dict[str, Any], common: dict[str, str]) -> Step:
    tree = nested(flat)
    operation = str(flat.get("gen_ai.operation.name") or flat.get("traceloop.span.kind") or "")
    retrieved = passages_in(flat.get(_RETRIEVED))
    if operation in _RETRIEVAL_OPERATIONS and not retrieved:
        retrieved = passages_in(flat.get("traceloop.entity.output"))
    has_completion = "gen_ai.completion" in flat or "gen_ai.output.messages" in flat
    return Step(
        **common,
        is_model_call=operation in _MODEL_OPERATIONS or has_completion,
        is_retrieval=operation in _RETRIEVAL_OPERATIONS or bool(retrieved),
        question=_attribute_text(flat, tree, _INPUTS, QUESTION_KEYS),
        answer=_attribute_text(flat, tree, _OUTPUTS, ANSWER_KEYS),
        # Documents are opt-in there: none may have been left out as well as not found.
        passages=retrieved or None,
    )


def _openinference(flat: dict[str, Any], common: dict[str, str]) -> Step:
    kind, tree = str(flat.get("openinference.span.kind")).upper(), nested(flat)
    llm = tree.get("llm") if isinstance(tree.get("llm"), dict) else {}
    is_retriever = kind in ("RETRIEVER", "RERANKER")
    retrieved = _documents(tree, flat.get("output.value") if is_retriever else None)
    question = text_in(_messages(llm, "input_messages"), QUESTION_KEYS)
    answer = text_in(_messages(llm, "output_messages"), ANSWER_KEYS) if kind == "LLM" else ""
    return Step(
        **common,
        is_model_call=kind == "LLM",
        is_retrieval=is_retriever or bool(retrieved),
        question=question or text_in(flat.get("input.value"), QUESTION_KEYS),
        answer=answer or text_in(flat.get("output.value"), ANSWER_KEYS),
        passages=retrieved or None,
    )


def _documents(tree: dict[str, Any], output: Any) -> tuple[Passage, ...]:
    """The documents of a retrieval; the ids that its attributes leave out stand in its output."""
    holders = (tree.get(name) for name in ("retrieval", "reranker"))
    holder = next((child for child in holders if isinstance(child, dict)), {})
    rows = _listed(parsed(holder.get("documents") or holder.get("output_documents")))
    documents = [row.get("document", row) if isinstance(row, dict) else row for row in rows]
    # Spread out as document.content, document.id and the like.
    attributes = passages_in([_without_prefix(document, "document.") for document in documents])
    written = passages_in(output)
    same = [passage.text for passage in attributes] == [passage.text for passage in written]
    if not attributes or (same and not all(passage.id for passage in attributes)):
        return written
    return attributes


def _messages(llm: Any, name: str) -> list[Any]:
    rows = _listed(parsed(llm.get(name))) if isinstance(llm, dict) else []
    messages = (row.get("message", row) if isinstance(row, dict) else row for row in rows)
    return [_without_prefix(message, "message.") for message in messages]


def _without_prefix(row: Any, prefix: str) -> Any:
    if not isinstance(row, dict):
        return row
    return {name.removeprefix(prefix): value for name, value in row.items()}


def _attribute_text(flat: dict[str, Any], tree: Any, names: tuple[str, ...], keys: tuple[str, ...]) -> str:
    """The text of the first attribute that has one."""
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
    """A list, which may be written as an object of numbered entries."""
    if isinstance(value, dict) and value and all(_NUMBER.fullmatch(name) for name in map(str, value)):
        return [value[name] for name in sorted(value, key=int)]
    return value if isinstance(value, list) else []


def nested(flat: dict[str, Any]) -> dict[str, Any]:
    """Dotted names as objects within objects; a name that is a value, too, keeps the value."""
    tree: dict[str, Any] = {}
    for name, value in flat.items():
        *path, last = name.split(".")
        node: Any = tree
        for part in path:
            node = node.setdefault(part, {}) if isinstance(node, dict) else None
        if isinstance(node, dict) and last not in node:
            node[last] = value
    return {name: _with_lists(value) for name, value in tree.items()}


def _with_lists(tree: Any) -> Any:
    if not isinstance(tree, dict):
        return tree
    inner = {name: _with_lists(value) for name, value in tree.items()}
    return _listed(inner) or inner
