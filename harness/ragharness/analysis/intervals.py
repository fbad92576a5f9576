"""Intervals of rates, quantiles, and tests of the same questions asked of two runs: arithmetic alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

Z95 = 1.959963984540054  # the 97.5 % point of the standard normal distribution
Z80 = 0.8416212335729143  # its 80 % point: the power with which a rise is to be seen


def wilson(count: float, n: float, z: float = Z95) -> tuple[float, float]:
    """Wilson's score interval (1927) of a proportion, never empty at 0 or n; (0, 1) where n is 0."""
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
    """Exact interval of a proportion, which holds its promise for every n; (0, 1) where n is 0.

    Clopper and Pearson 1934: each limit is the proportion under which a result as extreme has probability
    (1 - confidence) / 2.
    """
    _check(count, n)
    tail = (1 - confidence) / 2
    low = 0.0 if count == 0 else _crossing(lambda share: 1 - binomial_cdf(count - 1, n, share) < tail)
    high = 1.0 if count == n else _crossing(lambda share: binomial_cdf(count, n, share) > tail)
    return low, high


def difference_interval(count1: int, n1: int, count2: int, n2: int) -> tuple[float, float]:
    """95 % interval of the first rate less the second, of different answers (Newcombe 1998, method 10)."""
    (low1, high1), (low2, high2) = wilson(count1, n1), wilson(count2, n2)
    rate1, rate2 = count1 / n1 if n1 else 0.5, count2 / n2 if n2 else 0.5
    below, above = math.hypot(rate1 - low1, high2 - rate2), math.hypot(high1 - rate1, rate2 - low2)
    return rate1 - rate2 - below, rate1 - rate2 + above


def sign_test(better: int, worse: int) -> float:
    """Exact two-sided p of pairs that differ (of yes/no outcomes: McNemar 1947); 1.0 where none does."""
    n = better + worse
    return min(1.0, 2 * binomial_cdf(min(better, worse), n, 0.5)) if n else 1.0


def quantile(values: Sequence[float], share: float) -> float:
    """Quantile of sorted or unsorted values by linear interpolation; 0.0 of nothing."""
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
    """Point of [0, 1] up to which ``before`` holds."""
    low, high = 0.0, 1.0
    for _ in range(64):  # halved below the spacing of floats near 1
        middle = (low + high) / 2
        low, high = (middle, high) if before(middle) else (low, middle)
    return (low + high) / 2


def binomial_cdf(count: int, n: int, share: float) -> float:
    """Chance of at most ``count`` of n, each with chance ``share``."""
    if share <= 0.0 or share >= 1.0:
        return 1.0 if share <= 0.0 or count >= n else 0.0
    log_share, log_rest, log_all = math.log(share), math.log1p(-share), math.lgamma(n + 1)
    terms = (
        math.exp(log_all - math.lgamma(i + 1) - math.lgamma(n - i + 1) + i * log_share + (n - i) * log_rest)
        for i in range(count + 1)
    )
    return min(1.0, math.fsum(terms))


def cluster_totals(sums: Any) -> Any:
    """Column totals of each draw of whole clusters with replacement, as an array of draws."""
    import numpy as np

    drawn, clusters = np.random.default_rng(0), len(sums)
    totals = np.empty((2000, sums.shape[1]))
    for draw in totals:
        times = np.bincount(drawn.integers(0, clusters, clusters), minlength=clusters)
        draw[:] = times @ sums
    return totals


_DRAWS = 10_000


def paired_interval(both: int, worse: int, better: int, neither: int) -> tuple[float, float]:
    """95 % interval of the difference (worse - better) / n of two paired rates.

    Newcombe 1998, method 10: Wilson's limits of either rate, joined by their correlation phi with a
    continuity correction. Never empty, also where nothing changed.
    """
    n = both + worse + better + neither
    if n == 0:
        return -1.0, 1.0
    first, second = both + worse, both + better
    margins = first * (n - first) * second * (n - second)
    odds = both * neither - worse * better
    excess = max(odds - n / 2, 0) if odds > 0 else odds
    phi = excess / math.sqrt(margins) if margins else 0.0
    (low1, high1), (low2, high2) = wilson(first, n), wilson(second, n)
    rate1, rate2 = first / n, second / n

    def reach(mine: float, other: float) -> float:
        return math.sqrt(max(0.0, mine * mine - 2 * phi * mine * other + other * other))

    below, above = reach(rate1 - low1, high2 - rate2), reach(high1 - rate1, rate2 - low2)
    return rate1 - rate2 - below, rate1 - rate2 + above


class JointTest(NamedTuple):
    """Several measures of the same questions under one test: a value for each measure, in their order."""

    p: list[float]  # chance that an equal candidate shows any measure to rise as clearly as this one
    totals: list[float]  # sums of the differences
    errors: list[float]  # standard errors of the totals, whole clusters being drawn
    null_errors: list[float]  # the same if the candidate equals the base
    critical: float  # the multiple of a null error from which a total is a rise


_WAYS = 13  # clusters up to which every way to flip their signs is counted
_SIGNS = 2_000  # clusters up to which signs are drawn; the sums of more are normal


def joint_test(differences: Any, clusters: Any, error: float, seed: int = 0) -> JointTest:
    """Test of whether any column of ``differences`` (a line for each question) rises, one-sided.

    The signs of whole clusters (their numbers stand in ``clusters``) are flipped together, and the largest
    of the studentised sums is compared with its own distribution (Westfall and Young 1993): all measures
    together show a rise of an equal candidate with chance ``error`` at most. Exact for few clusters, else
    from 10,000 draws with (k + 1) / (B + 1).
    """
    import numpy as np

    columns = differences.shape[1]
    count = int(clusters.max()) + 1 if len(clusters) else 0
    by_column = (np.bincount(clusters, weights=column, minlength=count) for column in differences.T)
    sums = np.column_stack([*by_column])
    sizes = np.bincount(clusters, minlength=count)[:, None]
    totals = sums.sum(axis=0)
    null_errors = np.sqrt((sums**2).sum(axis=0))
    centred = sums - sizes * totals / max(1, len(differences))
    errors = np.sqrt((centred**2).sum(axis=0) * (count / max(1, count - 1)))
    scaled = sums / np.where(null_errors > 0, null_errors, 1.0)
    scaled = scaled[(scaled != 0).any(axis=1)]
    moving = len(scaled)
    drawn = np.random.default_rng(seed)
    if moving <= _WAYS:
        ways = (np.arange(2**moving)[:, None] >> np.arange(moving)) & 1
        largest = ((2.0 * ways - 1) @ scaled).max(axis=1)
    elif moving <= _SIGNS:
        signs = drawn.integers(0, 2, (_DRAWS, moving), dtype=np.int8)
        largest = ((2.0 * signs - 1) @ scaled).max(axis=1)
    else:
        largest = drawn.multivariate_normal(np.zeros(columns), scaled.T @ scaled, _DRAWS).max(axis=1)
    largest.sort()
    extra = int(moving > _WAYS)
    statistics = scaled.sum(axis=0)
    above = len(largest) - np.searchsorted(largest, statistics - 1e-9)
    p = (above + extra) / (len(largest) + extra)
    allowed = max(0, math.floor(error * (len(largest) + extra)) - extra)
    critical = float(largest[len(largest) - allowed - 1]) if allowed < len(largest) else 0.0
    p = np.where(null_errors > 0, p, 1.0)
    return JointTest(p.tolist(), totals.tolist(), errors.tolist(), null_errors.tolist(), critical)


def chance_of_flips(counts: Sequence[int], epochs: int, base: int, candidate: int) -> float:
    """Expected number of questions that come out all wrong in one run and never in the other by noise alone.

    ``counts`` says how often each question was wrong in its ``epochs`` of both runs together. The chances of
    the questions are taken to follow the beta distribution of the same mean and spread.
    """
    n, mean = len(counts), sum(counts) / (len(counts) * epochs) if counts else 0.0
    if not 0 < mean < 1:
        return 0.0
    spread = math.fsum((count / epochs - mean) ** 2 for count in counts) / n / (mean * (1 - mean))
    alike = (spread - 1 / epochs) / (1 - 1 / epochs)  # the correlation of two epochs of a question
    if alike < 1e-3:
        return float(n * mean**candidate * (1 - mean) ** base)
    size = max(1 / alike - 1, 1e-6)
    first, second = mean * size, (1 - mean) * size
    return n * math.exp(_log_beta(first + candidate, second + base) - _log_beta(first, second))


def _log_beta(first: float, second: float) -> float:
    return math.lgamma(first) + math.lgamma(second) - math.lgamma(first + second)


def poisson_tail(count: int, mean: float) -> float:
    """Chance of at least ``count`` where ``mean`` are expected."""
    terms = (math.exp(-mean) * mean**i / math.factorial(i) for i in range(count))
    return max(0.0, 1 - math.fsum(terms))
