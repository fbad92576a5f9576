"""Intervals of rates, quantiles, and tests of the same questions asked of two runs: arithmetic alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple

Z95 = 1.959963984540054  # the 97.5 % point of the standard normal distribution

_HALVINGS = 64  # bisection steps: the interval [0, 1] is halved below the spacing of floats near 1


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
    for _ in range(_HALVINGS):
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


DRAWS = 2000


def cluster_intervals(
    sums: Sequence[Sequence[float]], sizes: Sequence[int], *, draws: int = DRAWS, seed: int = 0
) -> list[tuple[float, float]]:
    """95 % percentile interval of each mean, whole clusters being drawn with replacement.

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
    """Column totals of each draw of whole clusters with replacement, as an array of draws."""
    import numpy as np

    drawn, clusters = np.random.default_rng(seed), len(sums)
    totals = np.empty((draws, sums.shape[1]))
    for number in range(draws):
        times = np.bincount(drawn.integers(0, clusters, clusters), minlength=clusters)
        totals[number] = times @ sums
    return totals


def flip_rate(epochs: Sequence[Hashable]) -> float:
    """Chance that two different epochs of a question disagree."""
    n = len(epochs)
    alike = sum(epochs.count(each) - 1 for each in epochs)
    return 1 - alike / (n * (n - 1)) if n > 1 else 0.0


def majority_chance(chance: float, epochs: int) -> float:
    """Chance that at least half of the epochs have what each has with ``chance``."""
    return 1 - binomial_cdf((epochs + 1) // 2 - 1, epochs, chance)


def false_alarm(chances: Iterable[float]) -> float:
    """Chance that a count rises when nothing changed, by the chance of each question to be counted."""
    import numpy as np

    counts = np.ones(1)
    for chance in chances:
        if 0 < chance < 1:
            counts = np.convolve(counts, (1 - chance, chance))
    above = 1 - np.cumsum(counts)
    return max(0.0, float(counts @ above))


Z80 = 0.8416212335729143  # the 80 % point of the standard normal distribution: the power that is planned for

ALPHA = 0.05

_EXACT_UP_TO = 20  # differences whose signs are flipped in every way; more of them are drawn

_DRAWS = 10_000
_STEP = 0.0025  # steps in which the smallest rise is looked for

_EXACT_POWER = 400
"""Questions up to which the power is summed; the normal approximation is within a point beyond."""


class McNemar(NamedTuple):
    """p values of the exact McNemar test on the pairs that changed."""

    exact: float  # two-sided
    mid: float
    """Two-sided, with half the chance of the result itself (Lancaster 1961): less strict, not guaranteed."""
    one_sided: float  # that more became worse than better
    always_valid: float  # two-sided, and valid however often one looked while the pairs came in


def mcnemar(worse: int, better: int) -> McNemar:
    """P values of McNemar's test for ``worse`` and ``better`` changes.

    ``always_valid`` is 1 / e with Robbins' mixture (1970) over the chance of a change for the worse, here
    Beta(1/2, 1/2): e is a martingale while pairs come in, so that Ville's inequality holds at every look
    (Johari, Koomen, Pekelis and Walsh 2022, Always Valid Inference).
    """
    n = worse + better
    if n == 0:
        return McNemar(1.0, 1.0, 1.0, 1.0)
    exact = sign_test(better, worse)
    point = math.exp(_log_choose(n, worse) - n * math.log(2))
    mixture = n * math.log(2) + math.lgamma(worse + 0.5) + math.lgamma(better + 0.5) - math.lgamma(n + 1)
    return McNemar(
        exact,
        exact - point if worse != better else 1.0,
        binomial_cdf(better, n, 0.5),
        min(1.0, math.exp(math.log(math.pi) - mixture)),
    )


def fewest_significant(better: int, *, one_sided: bool = False) -> int:
    """Changes for the worse that make p at most 0.05 beside ``better`` ones for the better."""
    worse, p = better, mcnemar(better, better)
    while (p.one_sided if one_sided else p.exact) > ALPHA:
        worse, p = worse + 1, mcnemar(worse + 1, better)
    return worse


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


def sign_flip(differences: Sequence[float], seed: int = 0) -> float:
    """Two-sided p that paired differences have mean 0: their signs are flipped at random.

    Exact for up to 20 differences other than 0, else 10,000 draws with (k + 1) / (B + 1), which is never 0
    (Phipson and Smyth 2010).
    """
    sizes = [abs(each) for each in differences if each]
    if not sizes:
        return 1.0
    # Means of epochs are not exact in binary.
    observed = abs(math.fsum(differences)) - 1e-9
    if len(sizes) <= _EXACT_UP_TO:
        sums: dict[float, int] = {0.0: 1}
        for size in sizes:
            grown: dict[float, int] = {}
            for total, ways in sums.items():
                for each in (round(total + size, 9), round(total - size, 9)):
                    grown[each] = grown.get(each, 0) + ways
            sums = grown
        return float(sum(ways for total, ways in sums.items() if abs(total) >= observed) / 2 ** len(sizes))
    import numpy as np

    drawn = np.random.default_rng(seed)
    totals = np.zeros(_DRAWS)
    values, counts = np.unique(np.array(sizes, dtype=float), return_counts=True)
    for value, count in zip(values, counts, strict=True):
        totals += value * (2 * drawn.binomial(count, 0.5, _DRAWS) - count)
    return (int(np.sum(np.abs(totals) >= observed)) + 1) / (_DRAWS + 1)


def holm(values: Sequence[float]) -> list[float]:
    """P values adjusted for being looked at together, in their order (Holm 1979)."""
    adjusted, least = [0.0] * len(values), 0.0
    for rank, place in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        least = max(least, min(1.0, (len(values) - rank) * values[place]))
        adjusted[place] = least
    return adjusted


def smallest_mean(deviation: float, n: int) -> float:
    """Smallest mean difference that n pairs show with power 0.8 at 0.05 two-sided."""
    return (Z95 + Z80) * deviation / math.sqrt(n) if n else math.inf


def smallest_rise(n: int, better: float = 0.0) -> float | None:
    """Smallest rise of a rate that McNemar's test on n questions shows with power 0.8.

    ``better`` is the rate of changes for the better that happen beside it. Exact in steps of a quarter point
    up to 400 questions, Connor's approximation (1987) beyond; None where no rise is shown.
    """
    near = _normal_rise(n, better)
    if n > _EXACT_POWER or near is None:
        return near
    critical = [_critical(changed) for changed in range(n + 1)]
    step = max(1, int(0.7 * near / _STEP))
    while (rise := step * _STEP) + 2 * better <= 1:
        if _power(n, rise + better, better, critical) >= 0.8:
            return rise
        step += 1
    return None


def _normal_rise(n: int, better: float) -> float | None:
    def shown(rise: float) -> bool:
        changed = rise + 2 * better
        needed = Z95 * math.sqrt(changed) + Z80 * math.sqrt(max(0.0, changed - rise * rise))
        return rise * math.sqrt(n) >= needed

    most = 1 - 2 * better
    if n == 0 or most <= 0 or not shown(most):
        return None
    low, high = 0.0, most
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if shown(middle) else (middle, high)
    return high


def _critical(changed: int) -> int:
    """Largest count of the rarer change that is significant; -1: none is."""
    tail, count = 0.0, -1
    while 2 * (tail := tail + math.exp(_log_choose(changed, count + 1) - changed * math.log(2))) <= ALPHA:
        count += 1
    return count


def _power(n: int, worse: float, better: float, critical: Sequence[int]) -> float:
    changed = worse + better
    share = worse / changed
    middle, spread = n * changed, 8 * math.sqrt(n * changed) + 8
    total = 0.0
    for count in range(max(0, int(middle - spread)), min(n, int(middle + spread)) + 1):
        if critical[count] >= 0:
            rejects = binomial_cdf(critical[count], count, 1 - share)
            rejects += binomial_cdf(critical[count], count, share) if better else 0.0
            log = _log_choose(n, count) + count * math.log(changed)
            rest = (n - count) * math.log1p(-changed) if changed < 1 else 0.0
            total += math.exp(log + rest) * rejects
    return total


def _log_choose(n: int, count: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(count + 1) - math.lgamma(n - count + 1)
