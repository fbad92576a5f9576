"""Spans of Phoenix (OpenInference): from its API, or the rows of its data frame as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ragharness.traces.logs._spans import Step, step_of


def reads(row: Any) -> bool:
    """Whether a row is a span with its kind."""
    if not isinstance(row, dict) or "span_kind" not in row:
        return False
    context = row.get("context")
    return (isinstance(context, dict) and "trace_id" in context) or "context.trace_id" in row


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
    yield step_of(flat, common)


def _flattened(tree: dict[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in tree.items():
        if isinstance(value, dict) and value:
            yield from _flattened(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value
