"""Time the search of dense retrieval over made vectors and write ``nearest.json`` beside this file.

    python benchmarks/nearest.py [--sizes 10000 100000 1000000] [--graph-up-to 100000]

Needs FAISS (``pip install faiss-cpu``). The vectors have 384 numbers, as those of the default model, and lie
around centres, a hundred to each, so that they have neighbours as passages do. All runs on one thread.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import time
from pathlib import Path

import numpy as np

from ragharness.retrievers.dense import Nearest
from ragharness.retrievers.models.embedding import Vectors

WIDTH = 384
QUERIES = 50
BEST = 10


def vectors(size: int) -> Vectors:
    """Return vectors of length 1 around centres, always the same."""
    random = np.random.default_rng(20261122)
    centres = random.standard_normal((max(1, size // 100), WIDTH), dtype=np.float32)
    made: Vectors = random.standard_normal((size, WIDTH), dtype=np.float32)
    made *= np.float32(0.7)
    made += centres[random.integers(len(centres), size=size)]
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    return made


def measured(kind: str, held: Vectors, queries: Vectors) -> tuple[dict[str, float], list[set[int]]]:
    """Return the times of an index, and the rows that it finds for each query."""
    begin = time.perf_counter()
    index = Nearest(held, kind)
    built = time.perf_counter() - begin
    taken, found = [], []
    for query in queries:
        begin = time.perf_counter()
        rows = index.search(query, BEST)
        taken.append(time.perf_counter() - begin)
        found.append({row for row, _ in rows})
    return {"build_seconds": built, "query_milliseconds": 1000 * statistics.median(taken)}, found


def main() -> None:
    """Measure, print and store."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--graph-up-to", type=int, default=100_000)
    options = parser.parse_args()
    rows = []
    for size in options.sizes:
        made = vectors(size + QUERIES)
        held, queries = made[:size], made[size:]
        truth: list[set[int]] = []
        for kind in ("exact", "hnsw") if size <= options.graph_up_to else ("exact",):
            times, found = measured(kind, held, queries)
            truth = truth or found
            recall = float(np.mean([len(a & b) / BEST for a, b in zip(truth, found, strict=True)]))
            rows.append({"index": kind, "vectors": size, **times, "recall_at_10": recall})
            print(*(f"{name} {value}" for name, value in rows[-1].items()), flush=True)
    stored = {"python": platform.python_version(), "width": WIDTH, "rows": rows}
    Path(__file__).with_suffix(".json").write_text(json.dumps(stored, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
