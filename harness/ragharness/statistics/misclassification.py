"""The mix of labels behind a grader's labels, from what the grader makes of labels that are known."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from ragharness.statistics.intervals import Z95

if TYPE_CHECKING:
    from collections.abc import Sequence

DRAWS = 2000
_LARGEST_CONDITION = 10.0
_SMALLEST_HIT = 0.5


class Mix(NamedTuple):
    """The shares of the labels: as solved, within [0, 1], and the 95 % interval of each."""

    solved: list[float]
    """They add up to 1 but may lie outside [0, 1]."""
    projected: list[float]
    """The nearest shares that may exist."""
    intervals: list[tuple[float, float]]
    dropped: int
    """Resamples without any answer of some label, which tell nothing."""
    condition: float


def why_not(table: Sequence[Sequence[float]], labels: Sequence[str]) -> str:
    """Return why a table of people's labels (rows) against the grader's cannot be solved; empty: it can."""
    import numpy as np

    for label, row in zip(labels, table, strict=True):
        if not sum(row):
            return f"no labelled answer is {label}"
    for place, (label, row) in enumerate(zip(labels, table, strict=True)):
        if row[place] <= _SMALLEST_HIT * sum(row):
            return f"the grader recognises {row[place]:g} of {sum(row):g} {label}, at most half"
    condition = float(np.linalg.cond(_columns(table)))
    if condition > _LARGEST_CONDITION:
        return f"its errors are too alike to be told apart (condition {condition:.1f}, at most 10)"
    return ""


def rogan_gladen(
    table: Sequence[Sequence[float]], counts: Sequence[int], *, draws: int = DRAWS, seed: int = 0
) -> Mix:
    """Return the mix of labels behind the grader's ``counts``: M p = q solved for p.

    ``table`` has people's labels as rows and the grader's as columns, of answers of another run; the share
    of each verdict given a label is taken to be the same here. Rogan and Gladen 1978; percentile bootstrap of
    both samples. Ask ``why_not`` first.
    """
    import numpy as np

    known, seen = np.asarray(table, dtype=float), np.asarray(counts, dtype=float)
    matrix = _columns(table)
    shares = seen / seen.sum()
    solved = np.linalg.solve(matrix, shares)
    drawn = np.random.default_rng(seed)
    flat, labels = known.ravel() / known.sum(), len(known)
    found, dropped = [], 0
    for _ in range(draws):
        again = drawn.multinomial(int(known.sum()), flat).reshape(labels, labels)
        other = drawn.multinomial(int(seen.sum()), shares) / seen.sum()
        if not again.sum(axis=1).all():
            dropped += 1
            continue
        columns = _columns(again)
        if np.linalg.matrix_rank(columns) < labels:
            dropped += 1
            continue
        found.append(np.linalg.solve(columns, other))
    low, high = np.quantile(np.array(found), (0.025, 0.975), axis=0)
    return Mix(
        [float(each) for each in solved],
        _projected(matrix, shares),
        [(float(one), float(other)) for one, other in zip(low, high, strict=True)],
        dropped,
        float(np.linalg.cond(matrix)),
    )


def rogan_gladen_rate(
    rate: float, n: int, sensitivity: float, positives: int, specificity: float, negatives: int
) -> tuple[float, float, float] | None:
    """Return one rate corrected for both errors, with its 95 % interval; None where they are too large.

    (p + sp - 1) / (se + sp - 1): Rogan and Gladen 1978, by the delta method over all three samples.
    """
    gain = sensitivity + specificity - 1
    if gain <= 0:
        return None
    value = (rate + specificity - 1) / gain
    spread = (
        rate * (1 - rate) / n
        + (1 - value) ** 2 * specificity * (1 - specificity) / negatives
        + value**2 * sensitivity * (1 - sensitivity) / positives
    )
    reach = Z95 * math.sqrt(spread) / gain
    return value, value - reach, value + reach


def _columns(table: Any) -> Any:
    """Return P(grader j | people i) as the matrix [j, i], whose columns add up to 1."""
    import numpy as np

    counts = np.asarray(table, dtype=float)
    return (counts / counts.sum(axis=1, keepdims=True)).T


def _projected(matrix: Any, shares: Any) -> list[float]:
    """Return the shares p of the simplex with the least |M p - q|: the best over every set of labels."""
    import numpy as np

    labels = len(shares)
    best, least = np.full(labels, 1 / labels), math.inf
    for size in range(1, labels + 1):
        for kept in combinations(range(labels), size):
            part = matrix[:, kept]
            system = np.zeros((size + 1, size + 1))
            system[:size, :size] = 2 * part.T @ part
            system[:size, size] = system[size, :size] = 1
            right = np.append(2 * part.T @ shares, 1)
            found = np.linalg.lstsq(system, right, rcond=None)[0][:size]
            off = float(np.sum((part @ found - shares) ** 2))
            if (found >= -1e-12).all() and off < least - 1e-15:
                best, least = np.zeros(labels), off
                best[list(kept)] = np.clip(found, 0, 1)
    return [float(each) for each in best]
