"""Reranking: a cross-encoder reads the query beside each of the first passages of any retriever.

The first ``DEPTH`` hits are put in the order of both scores, the model's and the retriever's, as ``hybrid``
adds them; hits beyond them follow as they came. The model, of sentence-transformers, returns one number for
a query and a passage. Its scores are kept on disk by the content of both, as vectors are.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ragharness.errors import RagharnessError
from ragharness.records import Hit, Question
from ragharness.retrievers import Retriever
from ragharness.retrievers.bm25 import indexed_text
from ragharness.retrievers.hybrid import fuse
from ragharness.retrievers.models import LazyModel, Model, Recent, find_model, first_line, identified
from ragharness.retrievers.models.embedding import VectorStore, space_name, text_key

DEPTH = 50  # passages of the retriever that are read again
WEIGHT = 0.7  # of the model's scores, the rest the retriever's; chosen on other questions: docs/retrieval.md
OWNER = "cross-encoder"  # whose a model on the hub is that is named without an owner
_BATCH_SIZE = 32
_DECIMALS = 4  # of a score: the last bits depend on how many pairs a model is given at once
_REMEMBERED = 500_000  # scores in memory; the oldest go first
_HELP = "--rerank FOLDER, or --rerank cross-encoder/ms-marco-MiniLM-L6-v2 from the hub"

Scores = NDArray[np.float32]


class Scorer(Protocol):
    """Whatever scores pairs."""

    def score(self, query: str, texts: Sequence[str]) -> Scores:
        """A finite float32 for each text: the higher, the nearer to the query."""
        ...


class RerankedRetriever:
    """A retriever whose first hits a cross-encoder puts in order; asking is safe from many threads."""

    waits = True

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
        """The ``k`` best of the retriever's hits in their new order."""
        hits = self._retriever.retrieve(query, max(k, DEPTH), question)
        top = hits[:DEPTH]
        # In place, as the hits of a retriever of the user's also say what was wrong with the others.
        hits[:DEPTH] = reordered(top, self._scores.of(query, [indexed_text(hit.passage) for hit in top]))
        del hits[max(k, 0) :]
        return hits


def reordered(hits: Sequence[Hit], scores: Sequence[float], weight: float = WEIGHT) -> list[Hit]:
    """Hits in the order of a model's scores and their own; ties in the model's order, then in theirs.

    Where their own do not fall from hit to hit (distances, another order), the model alone decides.
    """
    by_model = [Hit(hit.passage, score) for hit, score in zip(hits, scores, strict=True)]
    by_model.sort(key=lambda hit: -hit.score)
    falling = all(hit.score >= after.score for hit, after in pairwise(hits))
    fused = fuse([(by_model, weight), (hits if falling else (), 1 - weight)])
    return sorted(fused, key=lambda hit: -hit.score)


class PairScores:
    """The scores of a cross-encoder, each computed once; asking is safe from many threads."""

    def __init__(self, model: Model, scorer: Scorer, folder: Path | None) -> None:
        self._scorer = scorer
        self._store = VectorStore(folder, space_name(model.identity, "rerank", "f4"))
        self._store.tidy()
        self._lock = Lock()
        self._cached: Recent[float] = Recent(_REMEMBERED)
        for key, vector in self._store.records():
            self._cached[key] = float(vector[0])

    def of(self, query: str, texts: Sequence[str]) -> list[float]:
        """The score of the query with each text; only pairs that nobody has scored are computed."""
        keys = [text_key(f"{len(query)}\0{query}{text}") for text in texts]
        # A tokenizer is no place for two threads, and one pair is scored once.
        with self._lock:
            scores = {key: self._cached[key] for key in keys if key in self._cached}
            unknown = {key: text for key, text in zip(keys, texts, strict=True) if key not in scores}
            if unknown:
                computed = self._scorer.score(query, list(unknown.values())).round(_DECIMALS)
                self._store.append(list(unknown), computed[:, np.newaxis])
                for key, score in zip(unknown, computed.tolist(), strict=True):
                    scores[key] = self._cached[key] = score
        return [scores[key] for key in keys]


class CrossEncoderModel(LazyModel):
    """A cross-encoder, loaded when it is first needed; one thread at a time may score."""

    kind = "cross-encoder"
    library_class = "CrossEncoder"
    help = _HELP

    def score(self, query: str, texts: Sequence[str]) -> Scores:
        """A float32 for each text; raises RagharnessError for what a model must not do."""
        model = self.load()
        try:
            from torch.nn import Identity

            # Without the sigmoid that older models end in: near 1 it makes different scores equal.
            names = inspect.signature(model.predict).parameters
            plain = {"activation_fn" if "activation_fn" in names else "activation_fct": Identity()}
            pairs = [(query, text) for text in texts]
            numbers = model.predict(pairs, batch_size=_BATCH_SIZE, show_progress_bar=False, **plain)
            scores = np.asarray(numbers, dtype=np.float32)
        except Exception as error:  # (whatever a library raises about a text)
            message = f"the cross-encoder {self.model.name} failed on {len(texts)} pairs: {first_line(error)}"
            raise RagharnessError(message) from error
        if scores.shape != (len(texts),) or not np.isfinite(scores).all():
            raise RagharnessError(
                f"expected one finite number a pair from the cross-encoder {self.model.name}, found an "
                f"array of the shape {scores.shape}",
                help=_HELP,
            )
        return scores


def locate_scorer(name: str, cache: Path | None, *, offline: bool) -> tuple[Model, CrossEncoderModel]:
    """A model whose identity is known, fetched if it must be; raises RagharnessError."""
    find = partial(find_model, name, "", cache, owner=OWNER, help=_HELP)
    model = find()
    scorer = CrossEncoderModel(model, offline=offline)
    return identified(model, scorer.load, find), scorer


def reranked(retriever: Retriever, name: str, cache: Path | None, *, offline: bool) -> RerankedRetriever:
    """The retriever reranked by the cross-encoder of that name or folder; raises RagharnessError."""
    folder = cache and cache / "vectors"
    model, scorer = locate_scorer(name, folder, offline=offline)
    return RerankedRetriever(retriever, model, PairScores(model, scorer, folder))
