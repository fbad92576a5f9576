"""Where each question that did not come out as wanted belongs, and which ones to read first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.scores.layout import ErrorGroup, Failures, Miss, ProblemGroup

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.scores.tally import Outcome

_STATUSES = {"error": "pipeline_error"}
_SEVERITY = ("wrong", "unsupported", "error", "timeout", "no_answer", "needs_review", "refused", "correct")
"""The order in which misses are worth reading: false answers before missing ones."""


def failures(outcomes: Sequence[Outcome]) -> Failures:
    """Return how many misses belong to each place; a miss belongs to exactly one."""
    found = Failures()
    for outcome in outcomes:
        if not outcome.as_wanted:
            place = _place(outcome)
            setattr(found, place, getattr(found, place) + 1)
    return found


def _place(outcome: Outcome) -> str:
    if outcome.bucket is None:
        return _STATUSES.get(outcome.status, outcome.status)
    if outcome.question.wanted == "refused":
        return "answered_without_evidence"
    if not outcome.evidence_found:
        return "retriever_missed"
    return {"wrong": "misread", "unsupported": "miscited"}.get(outcome.bucket, "refused_though_found")


def errors(outcomes: Sequence[Outcome]) -> list[ErrorGroup]:
    """Return the failures by type and message, the most frequent first."""
    groups: dict[tuple[str, str], list[str]] = {}
    for outcome in outcomes:
        if outcome.failure:
            key = outcome.failure.type, outcome.failure.message
            groups.setdefault(key, []).append(outcome.question.id)
    made = [ErrorGroup(type=kind, message=text, questions=ids) for (kind, text), ids in groups.items()]
    return sorted(made, key=lambda group: -len(group.questions))


def problems(outcomes: Sequence[Outcome]) -> list[ProblemGroup]:
    """Return what was odd about returned values, the most frequent first."""
    groups: dict[str, list[str]] = {}
    for outcome in outcomes:
        for problem in outcome.problems:
            groups.setdefault(problem, []).append(outcome.question.id)
    made = [ProblemGroup(problem=text, questions=ids) for text, ids in groups.items()]
    return sorted(made, key=lambda group: -len(group.questions))


def misses(outcomes: Sequence[Outcome]) -> list[Miss]:
    """Return the questions that were asked and did not come out as wanted, the worst first."""
    found = [
        Miss(
            question=outcome.question.id,
            row=outcome.question.row,
            came_out=outcome.bucket or outcome.status,
            reason=_reason(outcome),
        )
        for outcome in outcomes
        if not outcome.as_wanted and outcome.status != "not_asked"
    ]
    return sorted(found, key=lambda miss: _SEVERITY.index(miss.came_out))


def _reason(outcome: Outcome) -> str:
    if outcome.failure:
        return outcome.failure.type
    return outcome.verdict.reason if outcome.verdict else ""
