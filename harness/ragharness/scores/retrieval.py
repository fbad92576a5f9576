"""How well the evidence was retrieved, before anybody read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.scores.layout import Retrieval, share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.scores.tally import Outcome


def retrieval(outcomes: Sequence[Outcome], k: int | None) -> Retrieval:
    """Return recall, first place and mean reciprocal rank (Voorhees 1999).

    Over the questions whose evidence is in reach; one that failed or was not asked counts as not found.
    """
    within = [each for each in outcomes if each.question.wanted == "correct" and each.question.evidence]
    n = len(within)
    firsts = [min((rank for rank in each.evidence_ranks if rank), default=0) for each in within]
    return Retrieval(
        n=n,
        k=k,
        any_evidence=share(sum(first > 0 for first in firsts), n),
        all_evidence=share(sum(bool(each.evidence_ranks) and all(each.evidence_ranks) for each in within), n),
        evidence_first=share(firsts.count(1), n),
        document=share(sum(each.document_rank > 0 for each in within), n),
        mrr=sum(1 / first for first in firsts if first) / n if n else None,
    )
