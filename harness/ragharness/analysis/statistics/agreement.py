"""Agreement of two raters, or more, on nominal labels."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

from ragharness.analysis.statistics.intervals import Z95


class Coefficient(NamedTuple):
    """A coefficient of agreement with its 95 % interval."""

    value: float
    low: float
    high: float


def kappa(table: Sequence[Sequence[float]]) -> Coefficient | None:
    """Return Cohen's kappa of a square table of counts; None where both raters know one label only.

    Cohen 1960; the standard error of Fleiss, Cohen and Everitt 1969.
    """
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
    """Return Gwet's AC1 of a square table of counts over all labels that may be given; None without any.

    Gwet 2008, Computing inter-rater reliability in the presence of high agreement; the interval by his
    variance over items and Student's t.
    """
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
    reach = _student(n - 1) * math.sqrt(spread / (n - 1))
    return Coefficient(value, value - reach, min(1.0, value + reach))


def alpha(items: Iterable[Sequence[Hashable]]) -> float | None:
    """Return Krippendorff's alpha for nominal labels; None where nothing can disagree.

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
    """Return the total, the table as shares of it, and the sums of its rows and columns."""
    if any(len(row) != len(table) for row in table):
        raise ValueError(f"expected a square table, found rows of {[len(row) for row in table]}")
    n = math.fsum(map(math.fsum, table))
    shares = [[cell / n if n else 0.0 for cell in row] for row in table]
    return (
        n,
        shares,
        [math.fsum(row) for row in shares],
        [math.fsum(row) for row in zip(*shares, strict=True)],
    )


def _student(freedom: float) -> float:
    """Return the 97.5 % point of Student's t, within .001 from 10 on (Abramowitz and Stegun 26.7.5)."""
    z = Z95
    return (
        z
        + (z**3 + z) / (4 * freedom)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    )
