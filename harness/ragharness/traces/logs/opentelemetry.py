"""Spans and events of OpenTelemetry: OTLP JSON, single spans, or what its console exporter prints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ragharness.traces.logs._spans import Step, objects_in, parsed, step_of

_HOLDERS = {
    "resourceSpans": ("scopeSpans", "spans"),
    "resource_spans": ("scope_spans", "spans"),
    "resourceLogs": ("scopeLogs", "logRecords"),
    "resource_logs": ("scope_logs", "log_records"),
}
_DETAILS = "gen_ai.client.inference.operation.details"
_WHOLE = ("gen_ai.content.prompt", "gen_ai.content.completion", _DETAILS)


def reads(row: Any) -> bool:
    """Whether a row is an export of spans or events, or a span."""
    if not isinstance(row, dict):
        return False
    if any(isinstance(row.get(name), list) for name in _HOLDERS):
        return True
    given = isinstance(row.get("attributes"), (dict, list)) and "span_kind" not in row
    return given and bool(_of(row, "traceId") and _of(row, "spanId"))


def steps(row: dict[str, Any]) -> Iterator[Step]:
    """Yield the spans and events of an export, or the one span of a row."""
    held = next((name for name in _HOLDERS if isinstance(row.get(name), list)), None)
    if held is None:
        yield _span(row)
        return
    scopes, name = _HOLDERS[held]
    for resource in objects_in(row[held]):
        for scope in objects_in(resource.get(scopes)):
            for each in objects_in(scope.get(name)):
                yield _span(each) if name == "spans" else _event(each)


def _span(span: dict[str, Any]) -> Step:
    flat = _attributes(span)
    for event in objects_in(span.get("events")):
        flat = {**_content(str(event.get("name")), _attributes(event)), **flat}
    return step_of(flat, _common(span, ("startTimeUnixNano", "start_time")))


def _event(record: dict[str, Any]) -> Step:
    """Return an event of the logs as a step within its span."""
    flat = _attributes(record)
    body, name = _value(record.get("body")), _of(record, "eventName") or flat.get("event.name")
    told = {**flat, **body} if isinstance(body, dict) else flat
    within = _common(record, ("timeUnixNano", "observedTimeUnixNano"))
    common = {**within, "id": f"{within['id']} {name} {within['started']}", "parent": within["id"]}
    return step_of({**_content(str(name), told), "gen_ai.operation.name": "chat"}, common)


def _content(name: str, told: dict[str, Any]) -> dict[str, Any]:
    """Return the attributes that an event stands for; until 1.36 of the conventions it held the contents."""
    if name in _WHOLE:
        return told
    if name == "gen_ai.user.message":
        return {"gen_ai.prompt": told.get("content")}
    return {"gen_ai.completion": told.get("message", told.get("content"))} if name == "gen_ai.choice" else {}


def _common(row: dict[str, Any], times: tuple[str, str]) -> dict[str, str]:
    started = next((str(found) for name in times if (found := _of(row, name))), "")
    return {
        "trace": str(_of(row, "traceId")),
        "id": str(_of(row, "spanId")),
        "parent": str(_of(row, "parentSpanId") or row.get("parent_id") or ""),
        "started": started.zfill(20),
    }


def _of(row: dict[str, Any], name: str) -> Any:
    """Return a field of a span, written as in JSON or in Python, or in its context; None without."""
    snake = "".join(f"_{each.lower()}" if each.isupper() else each for each in name)
    context = row.get("context")
    inner = context.get(snake) if isinstance(context, dict) else None
    return row.get(name) or row.get(snake) or inner


def _attributes(holder: dict[str, Any]) -> dict[str, Any]:
    given = holder.get("attributes")
    if isinstance(given, dict):
        return {str(name): parsed(value) for name, value in given.items()}
    return {str(each["key"]): _value(each.get("value")) for each in objects_in(given) if "key" in each}


def _value(value: Any) -> Any:
    """Return a value of OTLP without its type; some exports name the other types, too, as null."""
    told = {name: each for name, each in value.items() if each is not None} if isinstance(value, dict) else {}
    if len(told) != 1:
        return parsed(value)
    ((kind, inner),) = told.items()
    if kind in ("arrayValue", "array_value"):
        held = inner.get("values") if isinstance(inner, dict) else None
        return [_value(each) for each in held] if isinstance(held, list) else []
    if kind in ("kvlistValue", "kvlist_value"):
        return _attributes({"attributes": inner.get("values")} if isinstance(inner, dict) else {})
    return parsed(inner)
