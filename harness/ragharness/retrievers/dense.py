"""Dense retrieval: passages and queries as vectors of a sentence-transformers model, compared by FAISS.

What is embedded of a passage is what BM25 indexes: its title, a newline and its text; a model reads as many
tokens of it as it was made for. Scores are inner products, which are cosines while vectors are normalised,
rounded to six decimals. Ties: the higher score first, then the lower passage index.

The nearest vectors are found exactly. Every call runs on one thread: the workers of a run are many already,
and two threads for one query on two busy cores were measured sixty times slower.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ragharness.corpus.passages import EvidenceIndex, PassageSet
from ragharness.errors import MissingExtra
from ragharness.records import Hit, Passage, Question
from ragharness.retrievers.bm25 import Settings, indexed_text
from ragharness.retrievers.models import DEFAULT_MODEL
from ragharness.retrievers.models.embedding import BATCH_SIZE, Embedder, EmbeddingOptions, Vectors, locate
from ragharness.support.options import Options

if TYPE_CHECKING:
    from numpy.typing import NDArray

DECIMALS = 6  # of a score: what differs only in the last bits of float32 is equal
_MORE = 8  # rows beyond the k best that are asked for: mostly enough to see where the ties end


class DenseRetriever:
    """The passages whose vectors are nearest to the query's; asking is safe from many threads."""

    name = "dense"
    waits = True

    def __init__(
        self, passages: Sequence[Passage], embedder: Embedder, nearest: Nearest, settings: Settings
    ) -> None:
        self.settings = settings
        self._passages = passages
        self._embedder = embedder
        self._nearest = nearest

    def retrieve(self, query: str, k: int, question: Question | None = None) -> list[Hit]:  # noqa: ARG002
        """The ``k`` best passages (all of them when there are fewer), ties in index order."""
        if k <= 0 or not self._passages:
            return []
        ranking = self._nearest.search(self._embedder.query(query), k)
        return [Hit(self._passages[row], score) for row, score in ranking]


def build(
    passages: PassageSet, evidence: EvidenceIndex | None, cache: Path | None, options: Options | None = None
) -> DenseRetriever:
    """Dense retrieval over ``passages``, embedding what ``cache`` lacks; raises RagharnessError."""
    _faiss()
    vectors = embedded(passages, cache, options or Options())
    settings = {**vectors.settings, "index": "exact"}
    return DenseRetriever(passages.passages, vectors.embedder, Nearest(vectors.matrix), settings)


class Embedded(NamedTuple):
    """Passages as vectors, and what embeds a query alike."""

    embedder: Embedder
    matrix: Vectors
    settings: Settings  # settings that the vectors depend on


def embedded(passages: PassageSet, cache: Path | None, options: Options) -> Embedded:
    """The vectors of ``passages`` by the model of the settings; raises as ``build``."""
    folder = cache and cache / "vectors"
    name, revision = options.text("model", DEFAULT_MODEL), options.text("revision")
    device = options.text("device")
    model, encoder = locate(name, revision, folder, device, offline=options.offline)
    normalize = options.choice("normalize", "auto", ("auto", "yes", "no"))
    names = {role: options.text(f"{role}-prompt-name") for role in ("query", "passage")}
    prompts = {role: options.text(f"{role}-prompt", model.prompt(role, name)) for role, name in names.items()}
    how = EmbeddingOptions(
        normalize=model.by_cosine if normalize == "auto" else normalize == "yes",
        query_prompt=prompts["query"],
        passage_prompt=prompts["passage"],
        batch_size=options.whole("batch-size", BATCH_SIZE, least=1),
        device=device,
    )
    embedder = Embedder(model, how, folder, encoder, options.on_progress)
    # An unknown setting is refused before minutes are spent.
    options.finish("this retriever")
    vectors = embedder.passages([indexed_text(passage) for passage in passages.passages])
    settings: Settings = {
        "model": model.name,
        "model_identity": model.identity[-12:],
        "normalize": str(how.normalize).lower(),
        "query_prompt": how.query_prompt,
        "passage_prompt": how.passage_prompt,
    }
    return Embedded(embedder, vectors, settings)


class Nearest:
    """Vectors that can be asked for the nearest to another; asking is safe from many threads."""

    def __init__(self, vectors: Vectors) -> None:
        self._faiss = _faiss()
        self._faiss.omp_set_num_threads(1)
        self._size, width = vectors.shape
        self._index: Any = self._faiss.IndexFlatIP(width)
        self._index.add(np.ascontiguousarray(vectors, dtype=np.float32))

    def search(self, vector: NDArray[np.float32], k: int) -> list[tuple[int, float]]:
        """At most ``k`` (row, score), the higher score first, then the lower row."""
        k = min(k, self._size)
        if k <= 0:
            return []
        # OpenMP keeps the number of threads for each calling thread by itself.
        self._faiss.omp_set_num_threads(1)
        query = np.ascontiguousarray(vector, dtype=np.float32)[None, :]
        count = min(self._size, k + _MORE)
        while True:
            (scores,), (rows,) = self._index.search(query, count)
            scores = scores.astype(np.float64)
            # Rows that tie with the k-th must all be known before the lower ones can be chosen.
            if count >= self._size or scores[-1] < scores[k - 1] - 2 * 10.0**-DECIMALS:
                break
            count = min(self._size, 2 * count)
        scores = scores.round(DECIMALS)
        order = np.lexsort((rows, -scores))[:k]
        return list(zip(rows[order].tolist(), scores[order].tolist(), strict=True))


def _faiss() -> Any:
    try:
        import faiss
    except ImportError as error:
        raise MissingExtra("the retriever 'dense' (FAISS)", "dense") from error
    return faiss
