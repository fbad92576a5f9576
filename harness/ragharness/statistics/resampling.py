"""Bootstrap intervals over clusters of questions that share a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

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

    drawn = np.random.default_rng(seed)
    table = np.column_stack((np.asarray(sums, dtype=float), np.asarray(sizes, dtype=float)))
    clusters = len(table)
    means = np.empty((draws, table.shape[1] - 1))
    for number in range(draws):
        times = np.bincount(drawn.integers(0, clusters, clusters), minlength=clusters)
        total = times @ table
        means[number] = total[:-1] / total[-1]
    low, high = np.quantile(means, (0.025, 0.975), axis=0)
    return [(float(one), float(other)) for one, other in zip(low, high, strict=True)]
