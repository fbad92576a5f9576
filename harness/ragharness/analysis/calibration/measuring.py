"""Confusion counts of human labels against verdicts, and rates with intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from ragharness.analysis.calibration.labelled import LABELS, Labelled
from ragharness.analysis.metrics import Share, share
from ragharness.graders import Grader, waits
from ragharness.graders.verdicts.buckets import decide, grade
from ragharness.records import Reading, Verdict
from ragharness.support.calls import in_order

OUTCOMES = ("correct", "wrong", "unsupported", "refused", "needs_review", "no_answer")
"""What a grader says of an answer."""

Confusion = dict[str, dict[str, int]]
"""Label of people -> outcome of the grader -> answers."""


class Rates(NamedTuple):
    """The rates of a confusion, in the order in which they are told; None: the labels do not allow it."""

    false_correct: Share
    """Of our corrects those that people call incorrect or a refusal."""
    false_wrong: Share
    """Of people's corrects those that we call wrong."""
    needs_review: Share
    refusal_recall: Share | None
    """Of people's refusals those that we call refused; None without such labels."""
    refusal_precision: Share | None
    agreement_all: Share
    """Correct or not on both sides; an answer left to review agrees with nobody."""
    agreement_graded: Share
    """The same without the answers left to review."""


class Difference(NamedTuple):
    """An answer on which people and the grader differ."""

    labelled: Labelled
    verdict: Verdict


class Calibration(NamedTuple):
    """How a grader fared on labelled answers."""

    grader: str
    n: int
    confusion: Confusion
    by_kind: dict[str, Confusion]
    differences: tuple[Difference, ...]
    """The first ones, by how bad they are: false wrongs, false corrects, others, reviews."""


def calibrate(
    grader: Grader,
    answers: Sequence[Labelled],
    *,
    show: int = 0,
    concurrency: int = 1,
    on_progress: Callable[[str, int, int, str], None] | None = None,
) -> Calibration:
    """Return how a grader fares on labelled answers, with the ``show`` worst differences.

    A grader that waits for a service reads ``concurrency`` answers at once.
    """
    counts: Counter[tuple[str, str, str]] = Counter()
    refusals = any(each.label == "refusal" for each in answers)
    differing: list[list[Difference]] = [[] for _ in range(_RANKS)]
    verdicts = in_order(partial(judge, grader), answers, concurrency if waits(grader) else 1)
    for done, (each, verdict) in enumerate(zip(answers, verdicts, strict=True)):
        if on_progress is not None:
            on_progress("grading", done, len(answers), "answers")
        outcome = outcome_of(verdict)
        counts[each.shape, each.label, outcome] += 1
        rank = _rank(each.label, outcome, refusals=refusals)
        if rank is not None and len(differing[rank]) < show:
            differing[rank].append(Difference(each, verdict))
    kinds = sorted({kind for kind, _, _ in counts})
    return Calibration(
        f"{grader.name}@{grader.version}",
        len(answers),
        _confusion(counts, kinds),
        {kind: _confusion(counts, [kind]) for kind in kinds},
        tuple(each for rank in differing for each in rank)[:show],
    )


def outcome_of(verdict: Verdict) -> str:
    """Return the bucket of a verdict, or the status that kept it from one."""
    return verdict.bucket or verdict.status


def agrees(label: str, outcome: str) -> bool:
    """Whether both say correct, or neither does; review says nothing."""
    return outcome != "needs_review" and (label == "correct") == (outcome == "correct")


_RANKS = 5


def _rank(label: str, outcome: str, *, refusals: bool) -> int | None:
    """Return how bad a difference is, 0 the worst; None: there is none."""
    if outcome == "needs_review":
        return 4
    if label == "correct":
        return {"correct": None, "wrong": 0}.get(outcome, 2)
    if outcome == "correct":
        return 1
    return 3 if refusals and (label == "refusal") != (outcome == "refused") else None


def rates(confusion: Confusion) -> Rates:
    """Return the rates of a confusion."""
    cells = [(label, outcome, n) for label, row in confusion.items() for outcome, n in row.items()]

    def count(when: Callable[[str, str], bool]) -> int:
        return sum(n for label, outcome, n in cells if when(label, outcome))

    def of(part: Callable[[str, str], bool], whole: Callable[[str, str], bool]) -> Share:
        return share(count(lambda a, b: part(a, b) and whole(a, b)), count(whole))

    labelled = count(lambda label, _: label == "refusal") > 0
    return Rates(
        false_correct=of(lambda label, _: label != "correct", lambda _, outcome: outcome == "correct"),
        false_wrong=of(lambda _, outcome: outcome == "wrong", lambda label, _: label == "correct"),
        needs_review=of(lambda _, outcome: outcome == "needs_review", lambda *_: True),
        refusal_recall=of(lambda _, outcome: outcome == "refused", lambda label, _: label == "refusal")
        if labelled
        else None,
        refusal_precision=of(lambda label, _: label == "refusal", lambda _, outcome: outcome == "refused")
        if labelled
        else None,
        agreement_all=of(agrees, lambda *_: True),
        agreement_graded=of(agrees, lambda _, outcome: outcome != "needs_review"),
    )


def _confusion(counts: Counter[tuple[str, str, str]], kinds: Sequence[str]) -> Confusion:
    return {
        label: {outcome: sum(counts[kind, label, outcome] for kind in kinds) for outcome in OUTCOMES}
        for label in LABELS
    }


def judge(grader: Grader, each: Labelled) -> Verdict:
    """Return the verdict on a labelled answer; without passages on the answer alone."""
    if not each.judged_alone:
        return grade(grader, each.question, each.answer, each.passages, each.supporting)
    reading = grader.read(each.question, each.answer, (), frozenset())
    said = decide(each.question, with_support_given(reading), grader=f"{grader.name}@{grader.version}")
    alone = "No passages were given: only the answer was judged, not its support."
    return replace(said, why=alone) if said.bucket == "correct" else said


def with_support_given(reading: Reading) -> Reading:
    """Return a reading as if the evidence was retrieved and cited, so that only the answer is judged."""
    return replace(reading, evidence_retrieved=True, any_valid_support=True)
