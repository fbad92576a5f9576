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
    has_attributes = isinstance(row.get("attributes"), (dict, list)) and "span_kind" not in row
    return has_attributes and bool(_field(row, "traceId") and _field(row, "spanId"))


def steps(row: dict[str, Any]) -> Iterator[Step]:
    """Yield the spans and events of an export, or the one span of a row."""
    holder = next((name for name in _HOLDERS if isinstance(row.get(name), list)), None)
    if holder is None:
        yield _span(row)
        return
    scopes, name = _HOLDERS[holder]
    for resource in objects_in(row[holder]):
        for scope in objects_in(resource.get(scopes)):
            for record in objects_in(scope.get(name)):
                yield _span(record) if name == "spans" else _event(record)


def _span(span: dict[str, Any]) -> Step:
    flat = _attributes(span)
    for event in objects_in(span.get("events")):
        flat = {**_content(str(event.get("name")), _attributes(event)), **flat}
    return step_of(flat, _common(span, ("startTimeUnixNano", "start_time")))


def _event(record: dict[str, Any]) -> Step:
    """An event of the logs as a step within its span."""
    flat = _attributes(record)
    body, name = _value(record.get("body")), _field(record, "eventName") or flat.get("event.name")
    fields = {**flat, **body} if isinstance(body, dict) else flat
    within = _common(record, ("timeUnixNano", "observedTimeUnixNano"))
    common = {**within, "id": f"{within['id']} {name} {within['started']}", "parent": within["id"]}
    return step_of({**_content(str(name), fields), "gen_ai.operation.name": "chat"}, common)


def _content(name: str, fields: dict[str, Any]) -> dict[str, Any]:
    """The attributes that an event stands for; until 1.36 of the conventions it held the contents."""
    if name in _WHOLE:
        return fields
    if name == "gen_ai.user.message":
        return {"gen_ai.prompt": fields.get("content")}
    if name == "gen_ai.choice":
        return {"gen_ai.completion": fields.get("message", fields.get("content"))}
    return {}


def _common(row: dict[str, Any], times: tuple[str, str]) -> dict[str, str]:
    started = next((str(time) for name in times if (time := _field(row, name))), "")
    return {
        "trace": str(_field(row, "traceId")),
        "id": str(_field(row, "spanId")),
        "parent": str(_field(row, "parentSpanId") or row.get("parent_id") or ""),
        "started": started.zfill(20),
    }


def _field(row: dict[str, Any], name: str) -> Any:
    """A field of a span, written as in JSON or in Python, or in its context; None without."""
    snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    context = row.get("context")
    inner = context.get(snake) if isinstance(context, dict) else None
    return row.get(name) or row.get(snake) or inner


def _attributes(holder: dict[str, Any]) -> dict[str, Any]:
    rows = holder.get("attributes")
    if isinstance(rows, dict):
        return {str(name): parsed(value) for name, value in rows.items()}
    return {str(row["key"]): _value(row.get("value")) for row in objects_in(rows) if "key" in row}


def _value(value: Any) -> Any:
    """A value of OTLP without its type; some exports name the other types, too, as null."""
    items = value.items() if isinstance(value, dict) else ()
    typed = [(kind, inner) for kind, inner in items if inner is not None]
    if len(typed) != 1:
        return parsed(value)
    ((kind, inner),) = typed
    if kind in ("arrayValue", "array_value"):
        values = inner.get("values") if isinstance(inner, dict) else None
        return [_value(element) for element in values] if isinstance(values, list) else []
    if kind in ("kvlistValue", "kvlist_value"):
        return _attributes({"attributes": inner.get("values")} if isinstance(inner, dict) else {})
    return parsed(inner)
