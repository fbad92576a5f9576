r"""``fields`` and dense retrieval, their scores normalised and added (Bruch, Gai and Ingber, TOIS 2023).

    score(p) = sum over the rankings r that hold p among their first `depth` of
               weight(r) * (score of p in r - lowest) / (highest - lowest)

where highest and lowest are the first and the last score of those `depth`.

Ties: the higher score first, then the lower passage index.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ragharness.corpus.passages import EvidenceIndex, PassageSet
from ragharness.records import Hit, Passage, Question
from ragharness.retrievers import Retriever, dense, fields
from ragharness.support.options import Options

WEIGHTS = {"fields": 0.75, "dense": 0.25}  # chosen on question sets made for it: docs/retrieval.md

DEPTH = 100  # passages of each ranking that are fused


class HybridRetriever:
    """Rankings fused by their normalised scores."""

    name = "hybrid"

    def __init__(
        self, passages: Sequence[Passage], rankings: Sequence[tuple[Retriever, float]], depth: int = DEPTH
    ) -> None:
        self.settings: dict[str, str | int | float] = {"depth": depth}
        for retriever, weight in rankings:
            self.settings[f"{retriever.name}_weight"] = weight
            self.settings |= {f"{retriever.name}_{key}": value for key, value in retriever.settings.items()}
        self.waits = any(getattr(retriever, "waits", False) for retriever, _ in rankings)
        self._rankings = rankings
        self._depth = depth
        self._rows = {passage.id: row for row, passage in enumerate(passages)}

    def retrieve(self, query: str, k: int, question: Question | None = None) -> list[Hit]:
        """The ``k`` best of the fused rankings, ties in index order."""
        depth = max(k, self._depth)
        rankings = [(ranker.retrieve(query, depth, question), weight) for ranker, weight in self._rankings]
        return sorted(fuse(rankings), key=lambda hit: (-hit.score, self._rows[hit.passage.id]))[: max(k, 0)]


def fuse(rankings: Sequence[tuple[Sequence[Hit], float]]) -> list[Hit]:
    """Each passage of the (hits best first, weight) once, with the sum of its normalised scores."""
    scores: dict[str, float] = {}
    passages: dict[str, Passage] = {}
    for hits, weight in rankings:
        lowest = hits[-1].score if hits else 0.0
        # Where all are alike, nothing is preferred.
        width = (hits[0].score - lowest if hits else 0.0) or 1.0
        for hit in hits:
            passages[hit.passage.id] = hit.passage
            share = weight * (hit.score - lowest) / width
            scores[hit.passage.id] = scores.get(hit.passage.id, 0.0) + share
    return [Hit(passages[name], score) for name, score in scores.items()]


def build(
    passages: PassageSet, evidence: EvidenceIndex | None, cache: Path | None, options: Options | None = None
) -> HybridRetriever:
    """``fields`` and dense retrieval fused; takes the settings of dense retrieval too."""
    options = options or Options()
    weights = [options.number(f"{name}-weight", weight) for name, weight in WEIGHTS.items()]
    depth = options.whole("depth", DEPTH, least=1)
    retrievers = (module.build(passages, evidence, cache, options) for module in (fields, dense))
    return HybridRetriever(passages.passages, list(zip(retrievers, weights, strict=True)), depth)
