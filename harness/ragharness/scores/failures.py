"""Causes of misses, groups of errors, and the order in which to read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.scores.schema import ErrorGroup, Failures, Miss, ProblemGroup
from ragharness.support.messages import kind_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.records import Failure
    from ragharness.scores.tally import Outcome

_STATUSES = {"error": "pipeline_error"}
_SEVERITY = ("wrong", "unsupported", "error", "timeout", "no_answer", "needs_review", "refused", "correct")
"""The order in which misses are worth reading: false answers before missing ones."""


def failures(outcomes: Sequence[Outcome]) -> Failures:
    """Return the number of misses by cause; each miss has exactly one."""
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
    """Return the failures by type and message, most frequent first, with their first message."""
    first: dict[str, Failure] = {}
    texts: dict[Failure, str] = {}
    failed = []
    for each in outcomes:
        if each.failure:
            # Outcomes share what failed alike: so do the texts made of it, in long runs too.
            told = f"{each.failure.type} {each.failure.where}: {each.failure.message}"
            text = texts.setdefault(each.failure, told)
            first.setdefault(text, each.failure)
            failed.append((text, each.question.id))
    return [
        ErrorGroup(type=first[text].type, message=first[text].message, where=first[text].where, questions=ids)
        for text, ids in _grouped(failed)
    ]


def problems(outcomes: Sequence[Outcome]) -> list[ProblemGroup]:
    """Return the malformed results by kind, most frequent first, with the first of each."""
    groups = _grouped([(problem, each.question.id) for each in outcomes for problem in each.problems])
    return [ProblemGroup(problem=text, questions=ids) for text, ids in groups]


def _grouped(texts: Sequence[tuple[str, str]]) -> list[tuple[str, list[str]]]:
    """Put texts together that differ only in quotations and numbers; return the first of each and all ids."""
    groups: dict[str, tuple[str, list[str]]] = {}
    for text, question in texts:
        _, ids = groups.setdefault(kind_of(text), (text, []))
        if question not in ids[-1:]:
            ids.append(question)
    return sorted(groups.values(), key=lambda group: -len(group[1]))


def misses(outcomes: Sequence[Outcome]) -> list[Miss]:
    """Return the misses among the questions asked, worst first.

    What came of one question in the same way in several epochs is named once.
    """
    found = dict.fromkeys(
        Miss(
            question=outcome.question.id,
            row=outcome.question.row,
            came_out=outcome.bucket or outcome.status,
            reason=_reason(outcome),
        )
        for outcome in outcomes
        if not outcome.as_wanted and outcome.status != "not_asked"
    )
    return sorted(found, key=lambda miss: _SEVERITY.index(miss.came_out))


def _reason(outcome: Outcome) -> str:
    if outcome.failure:
        return outcome.failure.type
    return outcome.verdict.reason if outcome.verdict else ""
