"""Intervals of rates and quantiles, and the noise of shared documents and repeated answers."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

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


DRAWS = 2000


def cluster_intervals(
    sums: Sequence[Sequence[float]], sizes: Sequence[int], *, draws: int = DRAWS, seed: int = 0
) -> list[tuple[float, float]]:
    """Return the 95 % percentile interval of each mean, whole clusters being drawn with replacement.

    ``sums`` has a line for each cluster and in it the sum of each measure over its questions, ``sizes`` how
    many questions it has (Davison and Hinkley 1997, 3.8). Nothing without clusters.
    """
    if not sums:
        return []
    import numpy as np

    totals = cluster_totals(np.column_stack((np.asarray(sums, dtype=float), sizes)), draws=draws, seed=seed)
    low, high = np.quantile(totals[:, :-1] / totals[:, -1:], (0.025, 0.975), axis=0)
    return [(float(one), float(other)) for one, other in zip(low, high, strict=True)]


def cluster_totals(sums: Any, *, draws: int = DRAWS, seed: int = 0) -> Any:
    """Return the column totals of each draw of whole clusters with replacement, as an array of draws."""
    import numpy as np

    drawn, clusters = np.random.default_rng(seed), len(sums)
    totals = np.empty((draws, sums.shape[1]))
    for number in range(draws):
        times = np.bincount(drawn.integers(0, clusters, clusters), minlength=clusters)
        totals[number] = times @ sums
    return totals


def flip_rate(epochs: Sequence[Hashable]) -> float:
    """Return the chance that two different epochs of a question disagree."""
    n = len(epochs)
    alike = sum(epochs.count(each) - 1 for each in epochs)
    return 1 - alike / (n * (n - 1)) if n > 1 else 0.0


def majority_chance(chance: float, epochs: int) -> float:
    """Return the chance that at least half of the epochs have what each has with ``chance``."""
    return 1 - binomial_cdf((epochs + 1) // 2 - 1, epochs, chance)


def false_alarm(chances: Iterable[float]) -> float:
    """Return the chance that a count rises when nothing changed.

    ``chances`` are those of each question to be counted; both counts are drawn from them.
    """
    import numpy as np

    counts = np.ones(1)
    for chance in chances:
        if 0 < chance < 1:
            counts = np.convolve(counts, (1 - chance, chance))
    above = 1 - np.cumsum(counts)
    return max(0.0, float(counts @ above))
