"""How far a pipeline that answers differently from time to time moves its own counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.statistics.intervals import binomial_cdf

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence


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
