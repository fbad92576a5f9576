"""Time the exact search of dense retrieval over made vectors and write ``nearest.json`` beside this file.

    python benchmarks/nearest.py [--sizes 10000 100000 1000000]

Needs FAISS (``pip install faiss-cpu``). The vectors have 384 numbers, as those of the default model, and lie
around centres, a hundred to each, so that they have neighbours as passages do. All runs on one thread.
"""

from __future__ import annotations

import platform
import statistics
import time

import numpy as np

from bench import HERE, parser, write_result
from ragharness.retrievers.dense import Nearest
from ragharness.retrievers.models.embedding import Vectors

RESULT = HERE / "nearest.json"
WIDTH = 384
QUERIES = 50
BEST = 10


def made_vectors(size: int) -> Vectors:
    """Vectors of length 1 around centres, always the same."""
    random = np.random.default_rng(20261122)
    centres = random.standard_normal((max(1, size // 100), WIDTH), dtype=np.float32)
    vectors: Vectors = random.standard_normal((size, WIDTH), dtype=np.float32)
    vectors *= np.float32(0.7)
    vectors += centres[random.integers(len(centres), size=size)]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def main() -> None:
    """Measure, print and store."""
    arguments = parser(__doc__)
    arguments.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    rows = []
    for size in arguments.parse_args().sizes:
        vectors = made_vectors(size + QUERIES)
        begin = time.perf_counter()
        index = Nearest(vectors[:size])
        built, seconds = time.perf_counter() - begin, []
        for query in vectors[size:]:
            begin = time.perf_counter()
            index.search(query, BEST)
            seconds.append(time.perf_counter() - begin)
        times = {"build_seconds": built, "query_milliseconds": 1000 * statistics.median(seconds)}
        rows.append({"index": "exact", "vectors": size, **times})
        print(rows[-1], flush=True)
    write_result(RESULT, {"python": platform.python_version(), "width": WIDTH, "rows": rows}, indent=2)


if __name__ == "__main__":
    main()
