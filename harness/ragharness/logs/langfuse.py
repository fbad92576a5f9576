"""Traces and observations of Langfuse: a downloaded trace, or the rows of an export."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ragharness.logs.assembling import ANSWERED, ASKED, Step, objects_in, passages_in, text_in

if TYPE_CHECKING:
    from collections.abc import Iterator

_KINDS = (
    "SPAN",
    "GENERATION",
    "EVENT",
    "EMBEDDING",
    "AGENT",
    "TOOL",
    "CHAIN",
    "RETRIEVER",
    "EVALUATOR",
    "GUARDRAIL",
)


def reads(row: Any) -> bool:
    """Whether a row is a trace with its observations, or an observation."""
    if not isinstance(row, dict):
        return False
    whole = isinstance(row.get("observations"), list) and ("trace" in row or "id" in row)
    return whole or (str(row.get("type")).upper() in _KINDS and bool(_trace(row)))


def steps(row: dict[str, Any]) -> Iterator[Step]:
    """Yield a trace as the outermost step, and its observations; or the one observation of a row."""
    observations = row.get("observations")
    if not isinstance(observations, list):
        yield _step(row, _trace(row))
        return
    held = row.get("trace")
    trace = held if isinstance(held, dict) else row
    name = str(trace.get("id", ""))
    yield Step(
        trace=name,
        id=name,
        asked=text_in(trace.get("input"), ASKED),
        answered=text_in(trace.get("output"), ANSWERED),
    )
    for each in objects_in(observations):
        yield _step(each, name)


def _step(row: dict[str, Any], trace: str) -> Step:
    kind = str(row.get("type")).upper()
    named = "retriev" in str(row.get("name", "")).casefold()
    passages = passages_in(row.get("output")) if kind == "RETRIEVER" or (named and kind == "SPAN") else ()
    return Step(
        trace=trace,
        id=str(row.get("id", "")),
        # Its parent is the trace, where it has no other.
        parent=str(row.get("parentObservationId") or row.get("parent_observation_id") or trace),
        answers=kind == "GENERATION",
        retrieves=kind == "RETRIEVER" or bool(passages),
        asked=text_in(row.get("input"), ASKED),
        answered=text_in(row.get("output"), ANSWERED),
        passages=passages,
        started=str(row.get("startTime") or row.get("start_time") or ""),
    )


def _trace(row: dict[str, Any]) -> str:
    return str(row.get("traceId") or row.get("trace_id") or "")
