"""How well a grader finds each bucket, and how it agrees with people, over labelled answers."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from ragharness.calibration.note import Agreement, BucketFigures, Rate
from ragharness.calibration.sources import REVIEW
from ragharness.records import BUCKETS
from ragharness.statistics import ac1, alpha, kappa, wilson

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ragharness.calibration.correcting import Corrected, Pair
    from ragharness.labelling import Answered
    from ragharness.records import Bucket


def figures_of(
    bucket: Bucket, pairs: Sequence[Pair], answers: Sequence[Answered], corrected: Corrected | None
) -> BucketFigures:
    """Return recall, precision and corrected counts of one bucket."""
    mine = [pair for pair in pairs if pair.people == bucket]
    theirs = [pair for pair in pairs if pair.grader == bucket]
    return BucketFigures(
        people=len(mine),
        grader=sum(each.outcome == bucket for each in answers),
        recall=_rate(mine, lambda pair: pair.grader == bucket),
        precision=_rate(theirs, lambda pair: pair.people == bucket),
        corrected=corrected.in_run if corrected else None,
        long_run=corrected.long_run if corrected else None,
        why_not=corrected.why_not if corrected else "not calibrated",
        needed=corrected.needed if corrected else None,
        needed_long_run=corrected.needed_long_run if corrected else None,
    )


def _rate(pairs: Sequence[Pair], hit: Callable[[Pair], bool]) -> Rate:
    """Return a weighted share with Wilson's interval on the effective number of answers (Kish 1965)."""
    hits = [pair for pair in pairs if hit(pair)]
    total = math.fsum(pair.weight for pair in pairs)
    if not total:
        return Rate(count=0, n=0, rate=None, low=None, high=None)
    value = math.fsum(pair.weight for pair in hits) / total
    effective = total * total / math.fsum(pair.weight**2 for pair in pairs)
    low, high = wilson(min(effective, value * effective), effective)
    return Rate(count=len(hits), n=len(pairs), rate=value, low=low, high=high)


def confusion(pairs: Sequence[Pair]) -> dict[str, dict[str, int]]:
    """Return how many labelled answers of each of people's buckets came out as what."""
    counts = Counter((pair.people, pair.grader) for pair in pairs)
    return {row: {each: counts[row, each] for each in (*BUCKETS, REVIEW)} for row in BUCKETS}


def weighted(pairs: Sequence[Pair]) -> list[list[float]]:
    """Return people's buckets against the grader's, each answer by its weight, adding up to their number."""
    graded = [pair for pair in pairs if pair.grader in BUCKETS]
    scale = len(graded) / (math.fsum(pair.weight for pair in graded) or 1.0)
    table = [[0.0] * len(BUCKETS) for _ in BUCKETS]
    for pair in graded:
        table[BUCKETS.index(pair.people)][_place(pair.grader)] += scale * pair.weight
    return table


def _place(outcome: str) -> int:
    return next(place for place, bucket in enumerate(BUCKETS) if bucket == outcome)


def agreement_of(pairs: Sequence[Pair]) -> Agreement:
    """Return the agreement of people and grader over the answers that both gave a bucket."""
    graded = [pair for pair in pairs if pair.grader in BUCKETS]
    table = weighted(pairs)
    one, other = kappa(table), ac1(table)
    return Agreement(
        n=len(graded),
        accuracy=_rate(graded, lambda pair: pair.people == pair.grader),
        kappa=one.value if one else None,
        kappa_interval=(one.low, one.high) if one else None,
        ac1=other.value if other else None,
        ac1_interval=(other.low, other.high) if other else None,
        alpha=alpha([(pair.people, pair.grader) for pair in graded]),
    )
