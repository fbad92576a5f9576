"""Counts of buckets and desired outcomes by row."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ragharness.records import BUCKETS, ROWS
from ragharness.scores.schema import ROW_NAMES, Desired, Intervals, Row
from ragharness.scores.values import share, span
from ragharness.statistics import clopper_pearson

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.scores.tally import Outcome
    from ragharness.scores.values import Share

STATUSES = ("ok", "no_answer", "needs_review", "error", "timeout", "not_asked")


def count_rows(outcomes: Sequence[Outcome]) -> dict[str, Row]:
    """Return the counts of each of the seven rows, also of those that the set does not use."""
    rows = {name: Row() for name in ROWS}
    desired = dict.fromkeys(ROWS, 0)
    for outcome in outcomes:
        rows[outcome.question.row].add(outcome.bucket)
        desired[outcome.question.row] += outcome.as_wanted
    for name, row in rows.items():
        row.desired = share(desired[name], row.n)
    return {ROW_NAMES[name]: row for name, row in rows.items()}


def count_buckets(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """Return how many answers are in each bucket."""
    counts = Counter(outcome.bucket for outcome in outcomes)
    return {bucket: counts[bucket] for bucket in BUCKETS}


def count_statuses(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """Return how many questions have each status, those not asked yet included."""
    counts = Counter(outcome.status for outcome in outcomes)
    return {status: counts[status] for status in STATUSES}


def intervals(buckets: dict[str, int], n: int) -> Intervals:
    """Return the buckets with their intervals over all questions."""
    unacceptable = buckets["wrong"] + buckets["unsupported"]
    bad = {"wrong": buckets["wrong"], "unsupported": buckets["unsupported"], "unacceptable": unacceptable}
    ungraded = n - sum(buckets.values())
    return Intervals(
        **{bucket: span(count, ungraded, n) for bucket, count in buckets.items()},
        unacceptable=span(unacceptable, ungraded, n),
        at_most={
            name: clopper_pearson(0, n)[1] for name, count in bad.items() if count == 0 and n and not ungraded
        },
    )


def desired(outcomes: Sequence[Outcome]) -> Desired:
    """Return how many answers are in the desired bucket: in all, and by what should be done."""
    answerable = [each for each in outcomes if each.question.wanted == "correct"]
    return Desired(
        total=_as_wanted(outcomes),
        answer=_as_wanted(answerable),
        refusal=_as_wanted([each for each in outcomes if each.question.wanted == "refused"]),
        needless_refusals=sum(each.bucket == "refused" for each in answerable),
    )


def _as_wanted(outcomes: Sequence[Outcome]) -> Share:
    return share(sum(outcome.as_wanted for outcome in outcomes), len(outcomes))
