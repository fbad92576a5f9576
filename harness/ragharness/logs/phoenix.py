"""Spans of Phoenix (OpenInference): from its API, or the rows of its data frame as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ragharness.logs.assembling import ANSWERED, ASKED, Step, parsed, passages_in, text_in

if TYPE_CHECKING:
    from collections.abc import Iterator


def reads(row: Any) -> bool:
    """Whether a row is a span with its kind."""
    if not isinstance(row, dict):
        return False
    context = row.get("context")
    of_api = isinstance(context, dict) and "trace_id" in context
    return (of_api or "context.trace_id" in row) and "parent_id" in row


def steps(row: dict[str, Any]) -> Iterator[Step]:
    """Yield the one span of a row."""
    given = row.get("attributes")
    if isinstance(given, dict):
        flat = dict(_flattened(given))
    else:
        flat = {name.removeprefix("attributes."): each for name, each in row.items() if "attributes." in name}
    context = row.get("context") if isinstance(row.get("context"), dict) else None
    held = context or {name: row.get(f"context.{name}") for name in ("trace_id", "span_id")}
    flat.setdefault("openinference.span.kind", row.get("span_kind") or "")
    common = {
        "trace": str(held.get("trace_id")),
        "id": str(held.get("span_id")),
        "parent": str(row.get("parent_id") or ""),
        "started": str(row.get("start_time") or ""),
    }
    yield openinference(flat, common)


def openinference(flat: dict[str, Any], common: dict[str, str]) -> Step:
    """Return the step of a span with the attributes of OpenInference under their dotted names."""
    kind, tree = str(flat.get("openinference.span.kind")).upper(), nested(flat)
    retrieval = tree.get("retrieval")
    documents = parsed(retrieval.get("documents")) if isinstance(retrieval, dict) else None
    held = [each.get("document", each) if isinstance(each, dict) else each for each in _listed(documents)]
    # Spread out as document.content, document.id and the like.
    plain = [
        {name.removeprefix("document."): each for name, each in one.items()} if isinstance(one, dict) else one
        for one in held
    ]
    told = tree.get("llm") if isinstance(tree.get("llm"), dict) else {}
    return Step(
        **common,
        answers=kind == "LLM",
        retrieves=kind in ("RETRIEVER", "RERANKER") or bool(plain),
        asked=text_in(_messages(told, "input_messages"), ASKED) or text_in(flat.get("input.value"), ASKED),
        answered=text_in(flat.get("output.value"), ANSWERED)
        if kind != "LLM"
        else text_in(_messages(told, "output_messages"), ANSWERED)
        or text_in(flat.get("output.value"), ANSWERED),
        passages=passages_in(plain),
    )


def _messages(told: Any, name: str) -> list[Any]:
    given = _listed(parsed(told.get(name))) if isinstance(told, dict) else []
    found = []
    for each in given:
        inner = each.get("message", each) if isinstance(each, dict) else each
        if isinstance(inner, dict):
            inner = {key.removeprefix("message."): value for key, value in inner.items()}
        found.append(inner)
    return found


def _listed(value: Any) -> list[Any]:
    """Return a list that may be written as an object of numbered entries."""
    if isinstance(value, dict) and value and all(str(name).isdigit() for name in value):
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


def _flattened(tree: dict[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in tree.items():
        if isinstance(value, dict) and value:
            yield from _flattened(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value
