"""Spans of OpenTelemetry as OTLP JSON, with the attributes of its GenAI conventions, or of OpenInference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ragharness.logs.assembling import ANSWERED, ASKED, Step, objects_in, parsed, passages_in, text_in
from ragharness.logs.phoenix import nested, openinference

if TYPE_CHECKING:
    from collections.abc import Iterator

_INPUTS = ("gen_ai.input.messages", "gen_ai.prompt", "traceloop.entity.input", "input.value")
_OUTPUTS = ("gen_ai.output.messages", "gen_ai.completion", "traceloop.entity.output", "output.value")
_RETRIEVED = ("gen_ai.retrieval.documents",)


def reads(row: Any) -> bool:
    """Whether a row is an export of spans."""
    return isinstance(row, dict) and isinstance(row.get("resourceSpans"), list)


def steps(row: dict[str, Any]) -> Iterator[Step]:
    """Yield the spans of an export."""
    for resource in objects_in(row["resourceSpans"]):
        for scope in objects_in(resource.get("scopeSpans")):
            for span in objects_in(scope.get("spans")):
                yield _step(span)


def _step(span: dict[str, Any]) -> Step:
    flat = _attributes(span)
    for event in objects_in(span.get("events")):
        name, told = event.get("name", ""), _attributes(event)
        # Until 1.36 of the conventions, and in their event of a whole call, contents stood in events.
        if name in (
            "gen_ai.content.prompt",
            "gen_ai.content.completion",
            "gen_ai.client.inference.operation.details",
        ):
            flat = {**told, **flat}
        elif name == "gen_ai.user.message":
            flat.setdefault("gen_ai.prompt", told.get("content"))
        elif name == "gen_ai.choice":
            flat.setdefault("gen_ai.completion", told.get("message", told.get("content")))
    common = {
        "trace": str(span.get("traceId", "")),
        "id": str(span.get("spanId", "")),
        "parent": str(span.get("parentSpanId") or ""),
        "started": str(span.get("startTimeUnixNano", "")).zfill(20),
    }
    if "openinference.span.kind" in flat:
        return openinference(flat, common)
    tree = nested(flat)
    operation = str(flat.get("gen_ai.operation.name") or flat.get("traceloop.span.kind") or "")
    passages = next((found for name in _RETRIEVED if (found := passages_in(flat.get(name)))), ())
    retrieves = operation == "retrieval" or bool(passages)
    return Step(
        **common,
        answers=operation in ("chat", "text_completion", "generate_content", "invoke_agent")
        or "gen_ai.completion" in flat
        or "gen_ai.output.messages" in flat,
        retrieves=retrieves,
        asked=_first(flat, tree, _INPUTS, ASKED),
        answered=_first(flat, tree, _OUTPUTS, ANSWERED),
        passages=passages,
    )


def _first(flat: dict[str, Any], tree: Any, names: tuple[str, ...], keys: tuple[str, ...]) -> str:
    for name in names:
        value = flat.get(name)
        if value is None:
            # OpenLLMetry numbers its messages: gen_ai.prompt.0.content.
            value = tree
            for part in name.split("."):
                value = value.get(part) if isinstance(value, dict) else None
        if text := text_in(value, keys):
            return text
    return ""


def _attributes(holder: dict[str, Any]) -> dict[str, Any]:
    given = objects_in(holder.get("attributes"))
    return {str(each["key"]): _value(each.get("value")) for each in given if "key" in each}


def _value(value: Any) -> Any:
    """Return a value of OTLP without its type."""
    if not isinstance(value, dict) or len(value) != 1:
        return parsed(value)
    ((kind, inner),) = value.items()
    if kind == "arrayValue":
        held = inner.get("values") if isinstance(inner, dict) else None
        return [_value(each) for each in held] if isinstance(held, list) else []
    if kind == "kvlistValue":
        return _attributes({"attributes": inner.get("values")} if isinstance(inner, dict) else {})
    return parsed(inner)
