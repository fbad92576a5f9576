"""The verdict of a run in one sentence: whether it is a result, and what it says of the pipeline."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ragharness.statistics import sign_test
from ragharness.support.messages import told

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.scores.schema import Desired, ErrorGroup, VerdictKind
    from ragharness.scores.tally import Outcome

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
