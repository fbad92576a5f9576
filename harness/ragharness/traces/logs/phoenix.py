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
    tree = row.get("attributes")
    if isinstance(tree, dict):
        flat = dict(_flattened(tree))
    else:
        columns = {name: value for name, value in row.items() if "attributes." in name}
        flat = {name.removeprefix("attributes."): value for name, value in columns.items()}
    context = row.get("context") if isinstance(row.get("context"), dict) else None
    ids = context or {name: row.get(f"context.{name}") for name in ("trace_id", "span_id")}
    flat.setdefault("openinference.span.kind", row.get("span_kind") or "")
    common = {
        "trace": str(ids.get("trace_id")),
        "id": str(ids.get("span_id")),
        "parent": str(row.get("parent_id") or ""),
        "started": str(row.get("start_time") or ""),
    }
    yield step_of(flat, common)


def _flattened(tree: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in tree.items():
        if isinstance(value, dict) and value:
            yield from _flattened(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value
