r"""Reciprocal rank fusion of ``fields`` and dense retrieval (Cormack, Clarke and Büttcher, SIGIR 2009).

    score(p) = sum over the rankings r that hold p among their first `depth` of
               weight(r) / (rank-constant + rank of p in r)

with ranks from 1. Ties: the higher score first, then the lower passage index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.options import Options
from ragharness.records import Hit
from ragharness.retrievers import dense, fields

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ragharness.evidence import EvidenceIndex
    from ragharness.passages import PassageSet
    from ragharness.records import Passage, Question
    from ragharness.retrievers import Retriever

RANK_CONSTANT = 60
"""The constant of the paper."""

DEPTH = 100
"""Passages of each ranking that are fused."""


class HybridRetriever:
    """Several rankings fused by reciprocal ranks."""

    name = "hybrid"

    def __init__(
        self,
        passages: Sequence[Passage],
        rankings: Sequence[tuple[Retriever, float]],
        rank_constant: float = RANK_CONSTANT,
        depth: int = DEPTH,
    ) -> None:
        self.settings: dict[str, str | int | float] = {"rank_constant": rank_constant, "depth": depth}
        for retriever, weight in rankings:
            self.settings[f"{retriever.name}_weight"] = weight
            self.settings |= {f"{retriever.name}_{key}": value for key, value in retriever.settings.items()}
        self.waits = any(getattr(retriever, "waits", False) for retriever, _ in rankings)
        """Whether it is asked beside an event loop, not on it."""
        self._rankings = rankings
        self._rank_constant = rank_constant
        self._depth = depth
        self._passages = passages
        self._place = {passage.id: row for row, passage in enumerate(passages)}

    def retrieve(self, query: str, k: int, question: Question | None = None) -> list[Hit]:
        """Return the ``k`` best of the fused rankings, ties in index order."""
        depth = max(k, self._depth)
        ranked = [
            ([self._place[hit.passage.id] for hit in retriever.retrieve(query, depth, question)], weight)
            for retriever, weight in self._rankings
        ]
        fused = fuse(ranked, self._rank_constant)
        return [Hit(self._passages[row], score) for row, score in fused[: max(k, 0)]]


def fuse(
    rankings: Sequence[tuple[Sequence[int], float]], rank_constant: float = RANK_CONSTANT
) -> list[tuple[int, float]]:
    """Return (row, score) of all rows in any of the (rows best first, weight), best first, ties by row."""
    scores: dict[int, float] = {}
    for rows, weight in rankings:
        for rank, row in enumerate(rows, start=1):
            scores[row] = scores.get(row, 0.0) + weight / (rank_constant + rank)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


def build(
    passages: PassageSet, evidence: EvidenceIndex | None, cache: Path | None, options: Options | None = None
) -> HybridRetriever:
    """Return ``fields`` and dense retrieval fused; takes the settings of dense retrieval too."""
    options = options or Options()
    rank_constant = options.number("rank-constant", RANK_CONSTANT)
    depth = options.whole("depth", DEPTH, least=1)
    weights = [options.number(f"{name}-weight", 1.0) for name in ("fields", "dense")]
    retrievers: list[Retriever] = [
        fields.build(passages, evidence, cache, options),
        dense.build(passages, evidence, cache, options),
    ]
    return HybridRetriever(
        passages.passages, list(zip(retrievers, weights, strict=True)), rank_constant, depth
    )
