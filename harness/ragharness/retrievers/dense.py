"""Dense retrieval: passages and queries as vectors of a sentence-transformers model, compared by FAISS.

What is embedded of a passage is what BM25 indexes: its title, a newline and its text; a model reads as many
tokens of it as it was made for. Scores are inner products, which are cosines while vectors are normalised,
rounded to six decimals. Ties: the higher score first, then the lower passage index.

The nearest vectors are found exactly, or by a graph (HNSW) with the parameters of FAISS. Every call runs on
one thread: the workers of a run are many already, and two threads for one query on two busy cores were
measured sixty times slower. One thread builds, too, so that the same vectors give the same graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ragharness.corpus.passages import EvidenceIndex, PassageSet
from ragharness.errors import MissingExtra
from ragharness.records import Hit, Passage, Question
from ragharness.retrievers.bm25 import indexed_text
from ragharness.retrievers.models import DEFAULT_MODEL, Model
from ragharness.retrievers.models.embedding import BATCH_SIZE, Embedder, EmbeddingOptions, Vectors, locate
from ragharness.support.options import Options

if TYPE_CHECKING:
    from numpy.typing import NDArray

KINDS = ("exact", "hnsw")

LINKS = 32
"""Of a node of the graph, as FAISS's own examples have it."""

DECIMALS = 6
"""Of a score: what differs only in the last bits of float32 is equal."""

_APART = 10.0**-DECIMALS

_MORE = 8
"""Rows beyond the k best that are asked for: mostly enough to see where the ties end."""


class DenseRetriever:
    """The passages whose vectors are nearest to the query's; asking is safe from many threads."""

    name = "dense"
    waits = True
    """A query is embedded: asked beside an event loop, not on it."""

    def __init__(
        self,
        passages: Sequence[Passage],
        embedder: Embedder,
        nearest: Nearest,
        settings: dict[str, str | int | float],
    ) -> None:
        self.settings = settings
        self._passages = passages
        self._embedder = embedder
        self._nearest = nearest

    def retrieve(self, query: str, k: int, question: Question | None = None) -> list[Hit]:  # noqa: ARG002
        """Return the ``k`` best passages (all of them when there are fewer), ties in index order."""
        if k <= 0 or not self._passages:
            return []
        found = self._nearest.search(self._embedder.query(query), k)
        return [Hit(self._passages[row], score) for row, score in found]


def build(
    passages: PassageSet, evidence: EvidenceIndex | None, cache: Path | None, options: Options | None = None
) -> DenseRetriever:
    """Return dense retrieval over ``passages``, embedding only what ``cache`` does not hold.

    Raises MissingExtra, UnknownName, or RagharnessError where the model cannot be had.
    """
    options = options or Options()
    kind = options.choice("index", "exact", KINDS)
    require_faiss()
    found = embedded(passages, cache, options)
    settings = {**found.settings, "index": kind}
    return DenseRetriever(passages.passages, found.embedder, Nearest(found.matrix, kind), settings)


class Embedded(NamedTuple):
    """Passages as vectors, and what embeds a query alike."""

    embedder: Embedder
    matrix: Vectors
    settings: dict[str, str | int | float]
    """What the vectors depend on."""


def embedded(passages: PassageSet, cache: Path | None, options: Options) -> Embedded:
    """Return the vectors of ``passages`` by the model of the settings; raises as ``build``."""
    folder = cache and cache / "vectors"
    device = options.text("device")
    model, encoder = locate(
        options.text("model", DEFAULT_MODEL),
        options.text("revision"),
        folder,
        device,
        offline=options.offline,
    )
    how = _embedding_options(options, model, device)
    embedder = Embedder(model, how, folder, encoder, options.on_progress)
    # Said before minutes are spent: a setting that nobody knows.
    options.finish("this retriever")
    vectors = embedder.passages([indexed_text(passage) for passage in passages.passages])
    settings: dict[str, str | int | float] = {
        "model": model.name,
        "model_identity": model.identity[-12:],
        "normalize": str(how.normalize).lower(),
        "query_prompt": how.query_prompt,
        "passage_prompt": how.passage_prompt,
    }
    return Embedded(embedder, vectors, settings)


def _embedding_options(options: Options, model: Model, device: str) -> EmbeddingOptions:
    normalize = options.choice("normalize", "auto", ("auto", "yes", "no"))
    prompts = {
        role: options.text(f"{role}-prompt", model.prompt(role, options.text(f"{role}-prompt-name")))
        for role in ("query", "passage")
    }
    return EmbeddingOptions(
        normalize=model.by_cosine if normalize == "auto" else normalize == "yes",
        query_prompt=prompts["query"],
        passage_prompt=prompts["passage"],
        batch_size=options.whole("batch-size", BATCH_SIZE, least=1),
        device=device,
    )


class Nearest:
    """Vectors that can be asked for the nearest to another; asking is safe from many threads."""

    def __init__(self, vectors: Vectors, kind: str = "exact") -> None:
        self._faiss = require_faiss()
        self._faiss.omp_set_num_threads(1)
        self._size, width = vectors.shape
        self._exact = kind == "exact"
        self._index: Any = (
            self._faiss.IndexFlatIP(width)
            if self._exact
            else self._faiss.IndexHNSWFlat(width, LINKS, self._faiss.METRIC_INNER_PRODUCT)
        )
        self._index.add(np.ascontiguousarray(vectors, dtype=np.float32))

    def search(self, vector: NDArray[np.float32], k: int) -> list[tuple[int, float]]:
        """Return at most ``k`` (row, score), the higher score first, then the lower row.

        An approximate index may miss rows, and may find fewer than ``k``.
        """
        k = min(k, self._size)
        if k <= 0:
            return []
        query = np.ascontiguousarray(vector, dtype=np.float32)[None, :]
        wanted = min(self._size, k + _MORE)
        while True:
            rows, scores = self._asked(query, wanted)
            # Rows that tie with the k-th must all be known before the lower ones can be chosen.
            if wanted >= self._size or not self._exact or scores[-1] < scores[k - 1] - 2 * _APART:
                break
            wanted = min(self._size, 2 * wanted)
        scores = scores.round(DECIMALS)
        order = np.lexsort((rows, -scores))[:k]
        return [(int(rows[place]), float(scores[place])) for place in order]

    def _asked(self, query: Vectors, wanted: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        # OpenMP keeps the number of threads for each calling thread by itself.
        self._faiss.omp_set_num_threads(1)
        scores, rows = self._index.search(query, wanted)
        found = rows[0] >= 0
        return rows[0][found], scores[0][found].astype(np.float64)


def require_faiss() -> Any:
    """Return the module; raises MissingExtra."""
    try:
        import faiss
    except ImportError as error:
        raise MissingExtra("the retriever 'dense' (FAISS)", "dense") from error
    return faiss
