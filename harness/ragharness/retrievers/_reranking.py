"""Reranking: a cross-encoder reads the query beside each of the first passages of any retriever.

The first ``DEPTH`` hits are put in the order of both scores, the model's and the retriever's, as ``hybrid``
adds them; what it found beyond them follows as it came. The model's scores are kept on disk by the content of
query and passage, as vectors are.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from threading import Lock

import numpy as np

from ragharness.records import Hit, Question
from ragharness.retrievers import Retriever
from ragharness.retrievers._cross_encoder import Scorer
from ragharness.retrievers._models import Model
from ragharness.retrievers._vectors import VectorStore, space_name, text_key
from ragharness.retrievers.bm25 import indexed_text
from ragharness.retrievers.hybrid import fuse

DEPTH = 50
"""Passages of the retriever that are read again."""

WEIGHT = 0.7
"""Of the model's scores, the retriever's having the rest; chosen on other questions: docs/retrieval.md."""

_DECIMALS = 4
"""Of a score: the last bits depend on how many pairs a model is given at once."""

_REMEMBERED = 500_000
"""Scores that are held in memory; the oldest go first."""


class RerankedRetriever:
    """A retriever whose first hits a cross-encoder puts in order; asking is safe from many threads."""

    waits = True
    """A model is asked: beside an event loop, not on it."""

    def __init__(self, retriever: Retriever, model: Model, scores: PairScores) -> None:
        self.name = f"{retriever.name}+rerank"
        self.settings: dict[str, str | int | float] = {
            **retriever.settings,
            "rerank": model.name,
            "rerank_identity": model.identity[-12:],
            "rerank_depth": DEPTH,
            "rerank_weight": WEIGHT,
        }
        self._retriever = retriever
        self._scores = scores

    def retrieve(self, query: str, k: int, question: Question | None = None) -> list[Hit]:
        """Return the ``k`` best of the retriever's hits in their new order."""
        found = self._retriever.retrieve(query, max(k, DEPTH), question)
        first = found[:DEPTH]
        # In place, as the hits of a retriever of the user's also say what was wrong with the others.
        found[:DEPTH] = reordered(first, self._scores.of(query, [indexed_text(hit.passage) for hit in first]))
        del found[max(k, 0) :]
        return found


def reordered(hits: Sequence[Hit], scores: Sequence[float], weight: float = WEIGHT) -> list[Hit]:
    """Return hits in the order of a model's scores and their own; ties in the model's order, then in theirs.

    Scores of theirs that do not fall from hit to hit are not added (distances, a list in another order):
    there the model alone decides.
    """
    by_model = [Hit(hit.passage, score) for hit, score in zip(hits, scores, strict=True)]
    by_model.sort(key=lambda hit: -hit.score)
    falling = all(one.score >= other.score for one, other in pairwise(hits))
    fused = fuse([(by_model, weight), (hits if falling else (), 1 - weight)])
    return sorted(fused, key=lambda hit: -hit.score)


class PairScores:
    """The scores of a cross-encoder, each computed once; asking is safe from many threads."""

    def __init__(self, model: Model, scorer: Scorer, folder: Path | None) -> None:
        self._scorer = scorer
        self._store = VectorStore(folder, space_name(model.identity, "rerank", "f4"))
        self._store.tidy()
        self._lock = Lock()
        self._known: dict[bytes, float] = {}
        for key, vector in self._store.records():
            self._remember(key, float(vector[0]))

    def of(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the score of the query with each text; only pairs that nobody has scored are computed."""
        keys = [text_key(f"{len(query)}\0{query}{text}") for text in texts]
        # A tokenizer is no place for two threads, and one pair is scored once.
        with self._lock:
            found = {key: self._known[key] for key in keys if key in self._known}
            unknown = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
            if unknown:
                scores = self._scorer.score(query, list(unknown.values())).round(_DECIMALS)
                self._store.append(list(unknown), scores[:, np.newaxis])
                for key, score in zip(unknown, scores, strict=True):
                    found[key] = float(score)
                    self._remember(key, found[key])
        return [found[key] for key in keys]

    def _remember(self, key: bytes, score: float) -> None:
        while len(self._known) >= _REMEMBERED:
            self._known.pop(next(iter(self._known)))
        self._known[key] = score


def reranked(retriever: Retriever, name: str, cache: Path | None, *, offline: bool) -> RerankedRetriever:
    """Return the retriever reranked by the cross-encoder of that name or folder.

    Raises UsageError for a path that is none, MissingExtra, or RagharnessError where no model can be had.
    """
    from ragharness.retrievers._cross_encoder import locate_scorer

    folder = cache and cache / "vectors"
    model, scorer = locate_scorer(name, folder, offline=offline)
    return RerankedRetriever(retriever, model, PairScores(model, scorer, folder))
