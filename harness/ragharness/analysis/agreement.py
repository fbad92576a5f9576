"""Agreement of raters on nominal labels, rates corrected by them, and a grader's agreement with people."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import NamedTuple

from msgspec import Struct

from ragharness.analysis.intervals import Z95, wilson
from ragharness.records import BUCKETS, Bucket


class Coefficient(NamedTuple):
    """A coefficient of agreement with its 95 % interval."""

    value: float
    low: float
    high: float


def kappa(table: Sequence[Sequence[float]]) -> Coefficient | None:
    """Cohen's kappa (1960) of a square table of counts, interval by Fleiss et al. (1969); None for one."""
    n, shares, rows, columns = _shares(table)
    if n == 0:
        return None
    places = range(len(shares))
    observed = math.fsum(shares[i][i] for i in places)
    expected = math.fsum(rows[i] * columns[i] for i in places)
    if expected >= 1:
        return None
    value = (observed - expected) / (1 - expected)
    rest = 1 - value
    agreed = math.fsum(shares[i][i] * (1 - (rows[i] + columns[i]) * rest) ** 2 for i in places)
    apart = math.fsum(shares[i][j] * (columns[i] + rows[j]) ** 2 for i in places for j in places if i != j)
    spread = agreed + rest * rest * apart - (value - expected * rest) ** 2
    error = math.sqrt(max(0.0, spread) / n) / (1 - expected)
    return Coefficient(value, value - Z95 * error, value + Z95 * error)


def ac1(table: Sequence[Sequence[float]]) -> Coefficient | None:
    """Gwet's AC1 (2008) of a square table of counts, interval by his variance; None without any."""
    n, shares, rows, columns = _shares(table)
    labels = len(shares)
    if n == 0 or labels < 2:
        return None
    places = range(labels)
    means = [(rows[i] + columns[i]) / 2 for i in places]
    observed = math.fsum(shares[i][i] for i in places)
    expected = math.fsum(each * (1 - each) for each in means) / (labels - 1)
    value = (observed - expected) / (1 - expected)
    if n < 2:
        return Coefficient(value, -1.0, 1.0)
    spread = 0.0
    for i in places:
        for j in places:
            agreed = ((i == j) - expected) / (1 - expected)
            chance = (2 - means[i] - means[j]) / 2 / (labels - 1)
            each = agreed - 2 * (1 - value) * (chance - expected) / (1 - expected)
            spread += shares[i][j] * (each - value) ** 2
    # 97.5 % point of Student's t, within .001 from 10 on (Abramowitz and Stegun 26.7.5).
    z, freedom = Z95, n - 1
    second = (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    student = z + (z**3 + z) / (4 * freedom) + second + third
    reach = student * math.sqrt(spread / freedom)
    return Coefficient(value, value - reach, min(1.0, value + reach))


def alpha(items: Iterable[Sequence[Hashable]]) -> float | None:
    """Krippendorff's alpha for nominal labels; None where nothing can disagree.

    ``items`` are the labels that each item got, from any number of raters; one label alone tells nothing.
    Krippendorff 2004, Content Analysis, 11.3.
    """
    paired = [Counter(labels) for labels in items if len(labels) > 1]
    totals: Counter[Hashable] = sum(paired, Counter())
    n = totals.total()
    apart = math.fsum(
        (each.total() ** 2 - sum(count * count for count in each.values())) / (each.total() - 1)
        for each in paired
    )
    chance = n * n - sum(count * count for count in totals.values())
    return 1 - (n - 1) * apart / chance if chance else None


def _shares(table: Sequence[Sequence[float]]) -> tuple[float, list[list[float]], list[float], list[float]]:
    """Total, the table as shares of it, and the sums of its rows and columns."""
    if any(len(row) != len(table) for row in table):
        raise ValueError(f"expected a square table, found rows of {[len(row) for row in table]}")
    n = math.fsum(map(math.fsum, table))
    shares = [[cell / n if n else 0.0 for cell in row] for row in table]
    rows, columns = ([*map(math.fsum, lines)] for lines in (shares, zip(*shares, strict=True)))
    return n, shares, rows, columns


class Part(NamedTuple):
    """One stratum of a sample, 1 where people or the grader gave a labelled answer the label, else 0."""

    size: int  # answers of the stratum, labelled or not
    graded: int  # those of them that the grader gives the label
    people: Sequence[int]
    grader: Sequence[int]  # of the same answers in the same order


class Estimate(NamedTuple):
    """A rate with its standard error and its 95 % interval; neither is cut at 0 or 1."""

    value: float
    error: float
    low: float
    high: float


def difference(parts: Sequence[Part]) -> Estimate:
    """Rate of a label in this finite population, the grader's rate mended by its errors.

    est = mean_all(f) + sum_h W_h mean_h(y - f), SE^2 = sum_h W_h^2 (1 - n_h/N_h) s_h^2 / n_h: Cochran 1977,
    Sampling Techniques, 7.9 and 5.4, with slope 1. Where nobody disagreed, the exact bound of the share that
    still might (Clopper and Pearson 1934); where only some strata have no disagreement, the variance of a
    rate of 1 / (n_h + 2) there, by Laplace's rule of succession.
    """
    whole = sum(part.size for part in parts)
    value = sum(part.graded for part in parts) / whole
    spread, agreed = 0.0, True
    for part in parts:
        weight, n = part.size / whole, len(part.people)
        errors = [y - f for y, f in zip(part.people, part.grader, strict=True)]
        value += weight * math.fsum(errors) / n
        same = min(errors) == max(errors)
        agreed = agreed and same
        rate = 1 / (n + 2)
        found = rate * (1 - rate) if same else _variance(errors, 1)
        spread += weight * weight * (1 - n / part.size) * found / n
    if agreed:
        effective = 1 / math.fsum((part.size / whole) ** 2 / len(part.people) for part in parts)
        unseen = 1 - sum(len(part.people) for part in parts) / whole
        reach = min(1 - 0.025 ** (1 / effective), unseen)
        return Estimate(value, reach / Z95, value - reach, value + reach)
    return _normal(value, spread)


def ppi(parts: Sequence[Part], weight: float | None = None) -> Estimate:
    """Rate of a label in the population that the answers are a sample of: PPI++.

    Angelopoulos, Duchi and Zrnic 2023 (arXiv:2311.01453) in each stratum, joined by the strata's shares
    (Fisch et al. 2024, arXiv:2406.04291); as these vary too, sum_h W_h (theta_h - theta)^2 / N is
    added to the variance. ``weight`` is lambda: 0 is people's labels alone, 1 is PPI; None: the one with the
    least variance, between 0 and 1.
    """
    whole = sum(part.size for part in parts)
    found = [(part.size / whole, *_tuned(part, weight)) for part in parts]
    value = math.fsum(share * theta for share, theta, _ in found)
    within = math.fsum(share * share * variance for share, _, variance in found)
    between = math.fsum(share * (theta - value) ** 2 for share, theta, _ in found)
    return _normal(value, within + between / whole)


def tuned_weight(part: Part) -> float:
    """Lambda of PPI++ for one stratum."""
    n, rest = len(part.people), part.size - len(part.people)
    if not rest or not 0 < part.graded < part.size:
        return 0.0
    mean_y, mean_f = (math.fsum(labels) / n for labels in (part.people, part.grader))
    both = math.fsum((y - mean_y) * (f - mean_f) for y, f in zip(part.people, part.grader, strict=True))
    rate = part.graded / part.size
    variance = part.size * rate * (1 - rate) / (part.size - 1)
    return min(1.0, max(0.0, both / n / ((1 + n / rest) * variance)))


def labels_needed(
    rate: float, correlation: float, size: int, half: float = 0.05, *, finite: bool = True
) -> int | None:
    """How many labels make the interval of a rate ``half`` wide on either side; None: no number does.

    ``correlation`` is that of the grader's label with people's. ``finite``: of the rate in these ``size``
    answers, else in the population that they are a sample of, by the variances of ``difference`` and ``ppi``
    (p(1-p)(1-rho^2)(1-n/M)/n and p(1-p)/n (1-rho^2(M-n)/M)).
    """
    left = rate * (1 - rate) * (1 - correlation * correlation)
    wanted = (half / Z95) ** 2
    room = wanted + left / size if finite else wanted - (rate * (1 - rate) - left) / size
    if room <= 0:
        return None
    needed = math.ceil(left / room - 1e-9)
    return needed if needed <= size else None


def neyman(sizes: Sequence[int], deviations: Sequence[float], n: int, least: int = 5) -> list[int]:
    """How many of each stratum to label for the least variance: in proportion to W_h s_h.

    Neyman 1934; at least ``least`` of each, at most all, ``n`` altogether as far as these allow. Strata that
    all have a deviation of 0 share by size.
    """
    weights = [size * spread for size, spread in zip(sizes, deviations, strict=True)]
    if not any(weights):
        weights = [float(size) for size in sizes]
    given = [min(least, size) for size in sizes]
    while sum(given) < n:
        open_ones = [place for place, size in enumerate(sizes) if given[place] < size]
        if not open_ones:
            break
        # The place that is the furthest behind its share; strata without weight come last.
        behind = max(open_ones, key=lambda place: (weights[place] / (given[place] + 0.5), -place))
        given[behind] += 1
    return given


def correlation(people: Sequence[int], grader: Sequence[int], weights: Sequence[float]) -> float:
    """Weighted correlation of two labels: 1.0 where they are equal, 0.0 where one never varies."""
    if list(people) == list(grader):
        return 1.0
    total = math.fsum(weights)

    def mean(values: Sequence[float]) -> float:
        return math.fsum(w * v for w, v in zip(weights, values, strict=True)) / total

    y, f = mean(people), mean(grader)
    both = mean([a * b for a, b in zip(people, grader, strict=True)]) - y * f
    spread = y * (1 - y) * f * (1 - f)
    return both / math.sqrt(spread) if spread > 0 else 0.0


def _tuned(part: Part, weight: float | None) -> tuple[float, float]:
    """Estimate of one stratum and its variance."""
    n, rest = len(part.people), part.size - len(part.people)
    chosen = tuned_weight(part) if weight is None else weight
    unseen = (part.graded - sum(part.grader)) / rest if rest else 0.0
    left = [y - chosen * f for y, f in zip(part.people, part.grader, strict=True)]
    spread = _variance(left) / n
    if rest:
        spread += chosen * chosen * unseen * (1 - unseen) / rest
    return chosen * unseen + math.fsum(left) / n, spread


def _variance(values: Sequence[float], lost: int = 0) -> float:
    mean = math.fsum(values) / len(values)
    return math.fsum((each - mean) ** 2 for each in values) / max(1, len(values) - lost)


def _normal(value: float, variance: float) -> Estimate:
    error = math.sqrt(variance)
    return Estimate(value, error, value - Z95 * error, value + Z95 * error)


REVIEW = "needs_review"


class Pair(NamedTuple):
    """One labelled answer: people's bucket, the grader's outcome, its stratum and weight."""

    people: Bucket
    grader: str
    stratum: str = "all"
    weight: float = 1.0


class Rate(Struct, frozen=True, kw_only=True):
    """A share of labelled answers, weighted by how they were drawn; null where nothing was counted."""

    count: int
    n: int
    rate: float | None
    low: float | None
    high: float | None


class Agreement(Struct, frozen=True, kw_only=True):
    """Grader and people over the answers that both gave a bucket."""

    n: int
    accuracy: Rate
    kappa: float | None
    kappa_interval: tuple[float, float] | None
    ac1: float | None
    ac1_interval: tuple[float, float] | None
    alpha: float | None


def confusion(pairs: Sequence[Pair]) -> dict[str, dict[str, int]]:
    """How many labelled answers of each of people's buckets came out as what."""
    counts = Counter((pair.people, pair.grader) for pair in pairs)
    return {row: {each: counts[row, each] for each in (*BUCKETS, REVIEW)} for row in BUCKETS}


def weighted(pairs: Sequence[Pair]) -> list[list[float]]:
    """People's buckets against the grader's, each answer by its weight, adding up to their number."""
    graded = [pair for pair in pairs if pair.grader in BUCKETS]
    scale = len(graded) / (math.fsum(pair.weight for pair in graded) or 1.0)
    table = [[0.0] * len(BUCKETS) for _ in BUCKETS]
    for pair in graded:
        table[BUCKETS.index(pair.people)][BUCKETS.index(pair.grader)] += scale * pair.weight
    return table


def agreement_of(pairs: Sequence[Pair]) -> Agreement:
    """Agreement of people and grader over the answers that both gave a bucket."""
    graded = [pair for pair in pairs if pair.grader in BUCKETS]
    table = weighted(pairs)
    one, other = kappa(table), ac1(table)
    return Agreement(
        n=len(graded),
        accuracy=rate_of(graded, lambda pair: pair.people == pair.grader),
        kappa=one.value if one else None,
        kappa_interval=(one.low, one.high) if one else None,
        ac1=other.value if other else None,
        ac1_interval=(other.low, other.high) if other else None,
        alpha=alpha([(pair.people, pair.grader) for pair in graded]),
    )


def rate_of(pairs: Sequence[Pair], hit: Callable[[Pair], bool]) -> Rate:
    """Weighted share with Wilson's interval on the effective number of answers (Kish 1965)."""
    hits = [pair for pair in pairs if hit(pair)]
    total = math.fsum(pair.weight for pair in pairs)
    if not total:
        return Rate(count=0, n=0, rate=None, low=None, high=None)
    value = math.fsum(pair.weight for pair in hits) / total
    effective = total * total / math.fsum(pair.weight**2 for pair in pairs)
    low, high = wilson(min(effective, value * effective), effective)
    return Rate(count=len(hits), n=len(pairs), rate=value, low=low, high=high)
