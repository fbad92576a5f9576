"""The nearest vectors by inner product, with FAISS: exact, or by a graph (HNSW) or inverted lists (IVF).

Every call runs on one thread: the workers of a run are many already, and two threads for one query on two
busy cores were measured sixty times slower. One thread builds, too, so that the same vectors give the same
graph.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ragharness.errors import MissingExtra
from ragharness.retrievers._graphs import index_path, load, save

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from ragharness.options import Options
    from ragharness.retrievers._vectors import Vectors

KINDS = ("auto", "exact", "hnsw", "ivf")

EXACT_UP_TO = 1_000_000
"""Vectors up to which ``auto`` is exact: one query over so many takes less than a tenth of a second."""

SEED = 20261121
"""Of HNSW's levels and IVF's clusters."""

DECIMALS = 6
"""Of a score: what differs only in the last bits of float32 is equal."""

_APART = 10.0**-DECIMALS

_MORE = 8
"""Rows beyond the k best that are asked for: mostly enough to see where the ties end."""


@dataclass(frozen=True)
class Kind:
    """Which index, and its parameters by the names of their settings."""

    name: str
    parameters: dict[str, int]


def asked_kind(options: Options, size: int) -> Kind:
    """Return the index that the options want for ``size`` vectors; reads the settings of that kind only."""
    name = options.choice("index", "auto", KINDS)
    if name == "auto":
        name = "exact" if size <= EXACT_UP_TO else "hnsw"
    if name == "hnsw":
        names = {"hnsw-links": 32, "hnsw-build": 200, "hnsw-search": 128}
    elif name == "ivf":
        lists = max(1, min(round(4 * size**0.5), size // 39))
        names = {"ivf-lists": lists, "ivf-probes": max(1, min(32, lists))}
    else:
        names = {}
    return Kind(name, {each: options.whole(each, default, least=1) for each, default in names.items()})


class Nearest:
    """Vectors that can be asked for the nearest to another; asking is safe from many threads."""

    def __init__(self, vectors: Vectors, kind: Kind, cache: Path | None = None) -> None:
        self._faiss = require_faiss()
        self._faiss.omp_set_num_threads(1)
        self._size = len(vectors)
        self._exact = kind.name == "exact"
        rows = np.ascontiguousarray(vectors, dtype=np.float32)
        # An exact index is the vectors themselves; only the others take long to build.
        path = index_path(cache, rows, kind, self._faiss.__version__) if cache and not self._exact else None
        index: Any = load(path, self._faiss) if path else None
        if index is None:
            index = self._built(rows, kind)
            if path:
                save(path, self._faiss.serialize_index(index))
        self._index = _tuned(index, kind)

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

    def _built(self, vectors: Vectors, kind: Kind) -> Any:
        faiss, width, sizes = self._faiss, vectors.shape[1], kind.parameters
        if kind.name == "hnsw":
            index = faiss.IndexHNSWFlat(width, sizes["hnsw-links"], faiss.METRIC_INNER_PRODUCT)
            index.hnsw.efConstruction = sizes["hnsw-build"]
            index.hnsw.rng = faiss.RandomGenerator(SEED)
        elif kind.name == "ivf":
            lists = min(sizes["ivf-lists"], max(1, self._size))
            index = faiss.IndexIVFFlat(faiss.IndexFlatIP(width), width, lists, faiss.METRIC_INNER_PRODUCT)
            index.cp.seed = SEED
            # It would complain about few points for a list, on standard error; the defaults allow for that.
            index.cp.min_points_per_centroid = 1
            index.train(vectors)
        else:
            index = faiss.IndexFlatIP(width)
        index.add(vectors)
        return index


def _tuned(index: Any, kind: Kind) -> Any:
    """Set what only a search depends on."""
    if kind.name == "hnsw":
        index.hnsw.efSearch = kind.parameters["hnsw-search"]
    elif kind.name == "ivf":
        index.nprobe = min(kind.parameters["ivf-probes"], index.nlist)
    return index


def require_faiss() -> Any:
    """Return the module; raises MissingExtra."""
    try:
        import faiss
    except ImportError as error:
        raise MissingExtra("the retriever 'dense' (FAISS)", "dense") from error
    return faiss
