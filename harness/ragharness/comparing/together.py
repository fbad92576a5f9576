"""Whether the ungraded answers could still turn out so that every rule passes at once."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragharness.comparing.gates import Gates
    from ragharness.comparing.sides import Pair, Pairs

Point = tuple[float, ...]
"""What some questions add to the five rules and to *newly wrong*, so that a rule passes at 0 or below."""

_MOST = 2_000
"""Ways to turn out that are followed; with more of them the verdict stays open."""

_TINY = 1e-9


def could_pass(pairs: Pairs, gates: Gates) -> bool:
    """Return whether some outcome of the open answers passes all five rules, and ``no_new_wrong`` if set.

    Each rule alone may be within reach while one answer cannot serve two of them. Exact for
    single epochs, and never too strict: what a refusal may be worth is taken at its best.
    """
    reached: set[Point] = {(0.0,) * 6}
    for pair, times in pairs.counts.items():
        ways = _best(_ways(pair, gates))
        if len(ways) == 1:
            (way,) = ways
            reached = {tuple(a + times * b for a, b in zip(point, way, strict=True)) for point in reached}
            continue
        for _ in range(times):
            reached = _best(
                {tuple(a + b for a, b in zip(*each, strict=True)) for each in product(reached, ways)}
            )
            if len(reached) > _MOST:
                return True
    return any(all(value <= _TINY for value in point) for point in reached)


def _ways(pair: Pair, gates: Gates) -> set[Point]:
    found: set[Point] = set()
    base, candidate = pair.base, pair.candidate
    claims = 0.0 if pair.tied else candidate.claims[0] - base.claims[1]
    for was, now in product(base.buckets, candidate.buckets):
        if pair.tied and was != now:
            continue
        quality = 0.0
        if was == now == "refused" and base.quality and candidate.quality and not pair.tied:
            quality = base.quality[0] - candidate.quality[1]
        kept = now == "correct" or (gates.allow_refusal_shift and was == "correct" and now == "refused")
        found.add(
            (
                float(now == "wrong") - (was == "wrong"),
                float(now == "unsupported") - (was == "unsupported"),
                quality,
                claims,
                float(was == "correct") - kept,
                float(gates.no_new_wrong and now == "wrong" and was != "wrong"),
            )
        )
    return found


def _best(points: set[Point]) -> set[Point]:
    """Return the points that no other one beats in every rule."""
    kept: list[Point] = []
    for point in sorted(points):
        if not any(all(a <= b for a, b in zip(other, point, strict=True)) for other in kept):
            kept.append(point)
    return set(kept)
