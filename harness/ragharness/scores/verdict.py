"""Causes of misses, groups of errors, and the verdict on a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ragharness.scores.schema import ErrorGroup, Failures, Miss, ProblemGroup
from ragharness.statistics.intervals import sign_test
from ragharness.support.messages import kind_of, told

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.records import Failure
    from ragharness.scores.schema import Desired, VerdictKind
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
    if outcome.wanted == "refused":
        return "answered_without_evidence"
    if not outcome.evidence_found:
        return "retriever_missed"
    return {"wrong": "misread", "unsupported": "miscited"}.get(outcome.bucket, "refused_though_found")


def error_groups(outcomes: Sequence[Outcome]) -> list[ErrorGroup]:
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


def problem_groups(outcomes: Sequence[Outcome]) -> list[ProblemGroup]:
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


MOST_UNGRADED = 0.2
"""The share of ungraded answers above which a run is no result [choice]."""

ALPHA = 0.05
"""The p value up to which a pipeline counts as clearly better than refusing everything [choice]."""

NOT_IN_CORPUS = "passages that the corpus does not hold"
"""How the problem of a passage begins that was not found in the corpus."""


class Conclusion(NamedTuple):
    """The verdict of a run."""

    kind: VerdictKind
    sentence: str
    reasons: list[str]
    """Why it is no result, and what to do about it; empty for a result."""


def conclude(
    outcomes: Sequence[Outcome],
    desired: Desired,
    unacceptable: int,
    errors: Sequence[ErrorGroup],
    takes: str,
    shortfall: str = "",
) -> Conclusion:
    """Return the verdict on a run; ``shortfall`` is why its questions can carry no result.

    A result is compared with refusing everything, question by question (sign test): what it answers correctly
    is gained, what it should refuse and does not is lost.
    """
    n = len(outcomes)
    reasons = _no_result(outcomes, errors, takes) + ([shortfall] if shortfall else [])
    if reasons:
        return Conclusion("not_a_result", f"Not a result: {reasons[0]}", reasons)
    gained, lost = desired.answer.count, desired.refusal.n - desired.refusal.count
    against = f"{desired.total.count} against {desired.refusal.n} of {n} as desired"
    if gained <= lost:
        return Conclusion("not_better", f"Not better than refusing everything: {against}", [])
    if sign_test(gained, lost) > ALPHA:
        return Conclusion("not_clearly_better", f"Not clearly better than refusing everything: {against}", [])
    answers = f"Answers {gained} of {desired.answer.n}"
    if unacceptable:
        return Conclusion("misleads", f"{answers}, but {unacceptable} of {n} answers would mislead", [])
    return Conclusion("good", f"{answers} and none of {n} would mislead", [])


def _no_result(outcomes: Sequence[Outcome], errors: Sequence[ErrorGroup], takes: str) -> list[str]:
    reasons = _whose_passages(outcomes) if takes == "own" else []
    ungraded = [each for each in outcomes if each.bucket is None]
    unasked = any(each.status == "not_asked" for each in outcomes)
    if unasked or len(ungraded) > MOST_UNGRADED * len(outcomes):
        reasons += _why_ungraded(outcomes, errors)
    return reasons


def _whose_passages(outcomes: Sequence[Outcome]) -> list[str]:
    """Return what is wrong with the passages that a pipeline brings, if all of them are without use."""
    answered = [each for each in outcomes if each.verdict]
    brought = [each for each in answered if each.passages]
    lost = [each for each in brought if any(note.startswith(NOT_IN_CORPUS) for note in each.problems)]
    if brought and len(lost) == len(brought) and not any(each.document_rank for each in brought):
        told = "no passage of the pipeline is in the corpus. If it has documents of its own: --corpus PATH"
        return [told]
    claimed = [each for each in answered if each.bucket != "refused"]
    if claimed and not brought:
        told = f"{len(claimed)} of {len(claimed)} answers came without the passages that they rest on."
        return [f"{told} Return the documents too: docs/pipelines.md"]
    return []


def _why_ungraded(outcomes: Sequence[Outcome], errors: Sequence[ErrorGroup]) -> list[str]:
    n = len(outcomes)
    counts: dict[str, int] = {}
    for each in outcomes:
        if each.bucket is None:
            counts[each.status] = counts.get(each.status, 0) + 1
    failed = sum(counts.pop(status, 0) for status in ("error", "timeout"))
    unasked = counts.pop("not_asked", 0)
    reasons = []
    if failed:
        calls = "every call" if failed == n - unasked else f"{failed} of {n} calls"
        first = errors[0]
        most = "" if len(errors) == 1 else ", most often"
        reasons.append(f"{calls} failed{most} with {told(first.type, first.message, first.where)}")
    texts = {
        "needs_review": "{0} of {1} answers need review: a judge or a person has to decide",
        "no_answer": "{0} of {1} answers are empty",
        "not_asked": "{0} of {1} questions were not asked: the same command continues",
    }
    found = [(counts.get(name, 0) if name != "not_asked" else unasked, text) for name, text in texts.items()]
    ordered = sorted((each for each in found if each[0]), key=lambda each: -each[0])
    return reasons + [text.format(count, n) for count, text in ordered]
