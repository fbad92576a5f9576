"""Intervals and quantiles: pure arithmetic on counts, nothing beyond the standard library."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Z95 = 1.959963984540054
"""The 97.5 % point of the standard normal distribution."""

_HALVINGS = 64
"""Bisection steps: the interval [0, 1] is halved below the spacing of floats near 1."""


def wilson(count: float, n: float, z: float = Z95) -> tuple[float, float]:
    """Return Wilson's score interval of a proportion; (0, 1) where nothing was counted.

    Wilson 1927. Never empty at 0 or n, where the textbook interval collapses to a point.
    """
    _check(count, n)
    if n == 0:
        return 0.0, 1.0
    share, square = count / n, z * z
    middle = share + square / (2 * n)
    spread = z * math.sqrt(share * (1 - share) / n + square / (4 * n * n))
    low = 0.0 if count == 0 else (middle - spread) / (1 + square / n)
    high = 1.0 if count == n else (middle + spread) / (1 + square / n)
    return low, high


def clopper_pearson(count: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the exact interval of a proportion, which holds its promise for every n; (0, 1) where n is 0.

    Clopper and Pearson 1934: each limit is the proportion under which a result as extreme has probability
    (1 - confidence) / 2.
    """
    _check(count, n)
    tail = (1 - confidence) / 2
    low = 0.0 if count == 0 else _crossing(lambda share: 1 - binomial_cdf(count - 1, n, share) < tail)
    high = 1.0 if count == n else _crossing(lambda share: binomial_cdf(count, n, share) > tail)
    return low, high


def difference_interval(count1: int, n1: int, count2: int, n2: int) -> tuple[float, float]:
    """Return the 95 % interval of the first rate less the second, those of different answers.

    Newcombe 1998, method 10 for unpaired rates: Wilson's limits of either, joined.
    """
    (low1, high1), (low2, high2) = wilson(count1, n1), wilson(count2, n2)
    rate1, rate2 = count1 / n1 if n1 else 0.5, count2 / n2 if n2 else 0.5
    difference = rate1 - rate2
    return (
        difference - math.hypot(rate1 - low1, high2 - rate2),
        difference + math.hypot(high1 - rate1, rate2 - low2),
    )


def sign_test(better: int, worse: int) -> float:
    """Return the exact two-sided p value of pairs that differ; 1.0 where none does.

    The binomial test of ``better`` against one half; for paired yes/no outcomes McNemar's test (1947), exact.
    """
    n = better + worse
    return min(1.0, 2 * binomial_cdf(min(better, worse), n, 0.5)) if n else 1.0


def quantile(values: Sequence[float], share: float) -> float:
    """Return the quantile of sorted or unsorted values by linear interpolation; 0.0 of nothing."""
    if not values:
        return 0.0
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def _check(count: float, n: float) -> None:
    if not 0 <= count <= n:
        raise ValueError(f"a count between 0 and {n} was expected, found {count}")


def _crossing(before: Callable[[float], bool]) -> float:
    """Return the point of [0, 1] up to which ``before`` holds."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if before(middle) else (low, middle)
    return (low + high) / 2


def binomial_cdf(count: int, n: int, share: float) -> float:
    """Return the chance of at most ``count`` of n, each with chance ``share``."""
    if share <= 0.0 or share >= 1.0:
        return 1.0 if share <= 0.0 or count >= n else 0.0
    log_share, log_rest, log_all = math.log(share), math.log1p(-share), math.lgamma(n + 1)
    terms = (
        math.exp(log_all - math.lgamma(i + 1) - math.lgamma(n - i + 1) + i * log_share + (n - i) * log_rest)
        for i in range(count + 1)
    )
    return min(1.0, math.fsum(terms))
