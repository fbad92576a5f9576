"""Runs of LangSmith: an export of its runs, those of a trace nested or one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ragharness.traces.logs._spans import ANSWER_KEYS, QUESTION_KEYS, Step, objects_in, passages_in, text_in


def reads(row: Any) -> bool:
    """Whether a row is a run."""
    return isinstance(row, dict) and "run_type" in row and "id" in row


def steps(row: dict[str, Any]) -> Iterator[Step]:
    """Yield a run and those within it."""
    yield from _steps(row, str(row.get("trace_id") or row["id"]), "")


def _steps(row: dict[str, Any], trace: str, parent: str) -> Iterator[Step]:
    kind, name = str(row.get("run_type")).lower(), str(row.get("id", ""))
    yield Step(
        trace=trace,
        id=name,
        parent=str(row.get("parent_run_id") or parent),
        is_model_call=kind == "llm",
        is_retrieval=kind == "retriever",
        question=text_in(row.get("inputs"), QUESTION_KEYS),
        answer=text_in(row.get("outputs"), ANSWER_KEYS),
        passages=passages_in(row["outputs"]) if kind == "retriever" and row.get("outputs") else None,
        started=str(row.get("dotted_order") or row.get("start_time") or ""),
    )
    for run in objects_in(row.get("child_runs")):
        yield from _steps(run, trace, name)
