"""How well the evidence was retrieved, before anybody read it."""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING

from ragharness.scores.layout import Retrieval, share

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ragharness.scores.tally import Outcome


def retrieval(outcomes: Sequence[Outcome], k: int | None) -> Retrieval:
    """Return recall, first place, mean reciprocal rank (Voorhees 1999) and nDCG.

    Over the questions whose evidence is in reach; one that failed or was not asked counts as not found.
    """
    within = [each for each in outcomes if each.question.wanted == "correct" and each.question.evidence]
    n = len(within)
    firsts = [min((rank for rank in each.evidence_ranks if rank), default=0) for each in within]
    in_document = [each.evidence_found for each in within if each.document_rank]
    return Retrieval(
        n=n,
        k=k,
        any_evidence=share(sum(first > 0 for first in firsts), n),
        all_evidence=share(sum(bool(each.evidence_ranks) and all(each.evidence_ranks) for each in within), n),
        evidence_first=share(firsts.count(1), n),
        document=share(len(in_document), n),
        evidence_in_document=share(sum(in_document), len(in_document)),
        mrr=sum(1 / first for first in firsts if first) / n if n else None,
        ndcg=sum(ndcg(each.evidence_ranks, each.evidence_passages, k) for each in within) / n if n else None,
    )


def ndcg(ranks: Sequence[int], relevant: int, k: int | None = None) -> float:
    """Return the normalised discounted cumulative gain of one ranking (Jarvelin and Kekalainen 2002).

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
