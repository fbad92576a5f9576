"""Counts of buckets and desired outcomes by row."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ragharness.records import BUCKETS, ROWS
from ragharness.scores.schema import Intervals, Row, Wanted
from ragharness.scores.values import share
from ragharness.statistics import clopper_pearson

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.scores.tally import Outcome
    from ragharness.scores.values import Share

STATUSES = ("ok", "no_answer", "needs_review", "error", "timeout", "not_asked")


def count_rows(outcomes: Sequence[Outcome]) -> dict[str, Row]:
    """Return the counts of each of the seven rows, also of those that the set does not use."""
    rows = {name: Row() for name in ROWS}
    for outcome in outcomes:
        rows[outcome.question.row].add(outcome.bucket)
    return rows


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
    return Intervals(
        **{bucket: share(count, n) for bucket, count in buckets.items()},
        unacceptable=share(unacceptable, n),
        at_most={name: clopper_pearson(0, n)[1] for name, count in bad.items() if count == 0 and n},
    )


def wanted(outcomes: Sequence[Outcome]) -> Wanted:
    """Return how many answers came out as their questions want: in all, pooled by wish, by row."""
    return Wanted(
        total=_as_wanted(outcomes),
        answer=_as_wanted([each for each in outcomes if each.question.wanted == "correct"]),
        refusal=_as_wanted([each for each in outcomes if each.question.wanted == "refused"]),
        rows={row: _as_wanted([each for each in outcomes if each.question.row == row]) for row in ROWS},
    )


def _as_wanted(outcomes: Sequence[Outcome]) -> Share:
    return share(sum(outcome.as_wanted for outcome in outcomes), len(outcomes))
