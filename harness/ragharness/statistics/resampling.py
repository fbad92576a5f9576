"""Questions that share a document, and answers that change from time to time: what they add to the noise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ragharness.statistics.intervals import binomial_cdf

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

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
