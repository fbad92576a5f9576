"""Mean normalised discounted cumulative gain of the passages with a gold span."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import log2

from ragharness.analysis.metrics import Metric, mean_of


@lru_cache(maxsize=4096)
def ndcg(ranks: Sequence[int], relevant: int, k: int | None = None) -> float:
    """Normalised discounted cumulative gain of one ranking (Jarvelin and Kekalainen 2002).

    ``ranks`` has for each gold span the rank of the first passage that holds it, 0 where none does. Such a
    passage gains 1, whatever else it holds, discounted by 1 / log2(1 + rank) as Burges et al. (2005) have it.
    The best ranking begins with the ``relevant`` passages that hold a gold span, at most ``k`` of them.
    Where their number is not known (0), each span that was not found counts as one more than those found.
    """
    found = sorted({rank for rank in ranks if rank and (k is None or rank <= k)})
    if not found:
        return 0.0
    possible = max(relevant or len(found) + ranks.count(0), len(found))
    return _gain(found) / _gain(range(1, min(possible, k or possible) + 1))


def _gain(ranks: Iterable[int]) -> float:
    return sum(1 / log2(1 + rank) for rank in ranks)


METRIC = Metric(
    part="retrieval",
    label="normalised gain of gold evidence (nDCG{at_k})",
    short="nDCG{at_k}",
    source="Jarvelin and Kekalainen 2002, discount of Burges et al. 2005",
    type=float | None,
    compute=lambda outcomes, k: mean_of(
        outcomes, lambda each: ndcg(each.evidence_ranks, each.evidence_passages, k)
    ),
)
