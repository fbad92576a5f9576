"""What the attributes of a span say, by the conventions of GenAI, OpenLLMetry, OpenInference or Langfuse."""

from __future__ import annotations

import re
from typing import Any

from ragharness.records import Passage
from ragharness.traces.logs.assembling import ANSWERED, ASKED, Step, parsed, passages_in, text_in

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
