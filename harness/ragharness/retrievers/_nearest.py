"""The nearest vectors by inner product, with FAISS: exact, or by a graph (HNSW) with the parameters of FAISS.

Every call runs on one thread: the workers of a run are many already, and two threads for one query on two
busy cores were measured sixty times slower. One thread builds, too, so that the same vectors give the same
graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ragharness.errors import MissingExtra, UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ragharness.options import Options
    from ragharness.retrievers._vectors import Vectors

KINDS = ("exact", "hnsw")

LINKS = 32
"""Of a node of the graph, as FAISS's own examples have it."""

DECIMALS = 6
"""Of a score: what differs only in the last bits of float32 is equal."""

_APART = 10.0**-DECIMALS

_MORE = 8
"""Rows beyond the k best that are asked for: mostly enough to see where the ties end."""

_REMOVED = ("hnsw-links", "hnsw-build", "hnsw-search", "ivf-lists", "ivf-probes")


def asked_kind(options: Options) -> str:
    """Return which index the options want; raises UsageError for one of earlier versions, UnknownName."""
    kind = options.text("index", "exact")
    removed = [f"index={kind}"] if kind in ("auto", "ivf") else options.given(_REMOVED)
    if removed:
        raise UsageError(
            f"expected index=exact (the default) or index=hnsw, found {removed[0]}, which was removed: exact"
            " search serves up to a million passages. A run with another index cannot be continued",
            help="the same command with --fresh and --retriever-option index=exact",
        )
    return options.choice("index", "exact", KINDS)


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
