"""Traces and observations of Langfuse: a downloaded trace, or the rows of an export."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ragharness.traces.logs._spans import ANSWER_KEYS, QUESTION_KEYS, Step, objects_in, observation, text_in

_KINDS = (
    "SPAN", "GENERATION", "EVENT", "EMBEDDING", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR",
    "GUARDRAIL",
)  # fmt: skip
_TRACE_FIELDS = ("id", "timestamp", "input", "output")


def reads(row: Any) -> bool:
    """Whether a row is a trace, alone or with its observations, or an observation."""
    if not isinstance(row, dict):
        return False
    whole = isinstance(row.get("observations"), list) and ("trace" in row or "id" in row)
    is_observation = str(row.get("type")).upper() in _KINDS and bool(_trace_id(row))
    return whole or is_observation or all(name in row for name in _TRACE_FIELDS)


def steps(row: dict[str, Any]) -> Iterator[Step]:
    """Yield a trace as the outermost step, and its observations; or the one observation of a row."""
    if _trace_id(row) and not isinstance(row.get("observations"), list):
        yield _step(row, _trace_id(row))
        return
    trace = row["trace"] if isinstance(row.get("trace"), dict) else row
    name = str(trace.get("id", ""))
    yield Step(
        trace=name,
        id=name,
        question=text_in(trace.get("input"), QUESTION_KEYS),
        answer=text_in(trace.get("output"), ANSWER_KEYS),
    )
    for inner in objects_in(row.get("observations")):
        yield _step(inner, name)


def _step(row: dict[str, Any], trace: str) -> Step:
    common = {
        "trace": trace,
        "id": str(row.get("id", "")),
        # Its parent is the trace, where it has no other.
        "parent": str(row.get("parentObservationId") or row.get("parent_observation_id") or trace),
        "started": str(row.get("startTime") or row.get("start_time") or ""),
    }
    return observation(row, common)


def _trace_id(row: dict[str, Any]) -> str:
    return str(row.get("traceId") or row.get("trace_id") or "")
