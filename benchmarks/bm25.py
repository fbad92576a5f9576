"""Compare the query rate of our BM25 with rank-bm25's over every span of ContractNLI's test split.

    python benchmarks/bm25.py PATH/TO/test.json

Both answer the same 130 queries (the 17 hypotheses and 113 twelve-word fragments of the contracts), ten best
passages each, with the same terms. They take turns within one process; every figure is the median of the
rounds.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rank_bm25 import BM25Okapi

from ragharness.corpus.passages import PassageSet
from ragharness.records import Passage
from ragharness.retrievers import bm25
from ragharness.retrievers.bm25 import terms

K = 10
SHARE = 13
"""The reference is slow, so each round asks it every thirteenth query and compares per query."""


def spans_ratio(path: Path, rounds: int = 7) -> dict[str, float]:
    """Return queries a second of both and their ratio, after checking that the scores are equal."""
    passages, queries = _material(path)
    ours = bm25.build(passages, None, None)
    reference = BM25Okapi([terms(bm25.indexed_text(passage)) for passage in passages.passages])
    sample = queries[::SHARE]
    for query in queries:
        ours.retrieve(query, K)
    for query in sample:
        assert np.array_equal(ours.scores(query), reference.get_scores(terms(query)))

    def ask_reference(query: str) -> object:
        return np.argsort(reference.get_scores(terms(query)))[::-1][:K]

    fast, slow, ratios = [], [], []
    for _ in range(rounds):
        slow.append(_seconds(ask_reference, sample))
        fast.append(_seconds(lambda query: ours.retrieve(query, K), sample * 30))
        ratios.append(slow[-1] / fast[-1])
    return {
        "passages": len(passages.passages),
        "queries_per_second": 1 / statistics.median(fast),
        "rank_bm25_queries_per_second": 1 / statistics.median(slow),
        "ratio": statistics.median(ratios),
    }


def _seconds(ask: Callable[[str], object], queries: list[str]) -> float:
    begin = time.perf_counter()
    for query in queries:
        ask(query)
    return (time.perf_counter() - begin) / len(queries)


def _material(path: Path) -> tuple[PassageSet, list[str]]:
    data = json.loads(path.read_text(encoding="utf-8"))
    spans = [
        document["text"][start:end] for document in data["documents"] for start, end in document["spans"]
    ]
    passages = tuple(Passage(f"{number}", "", "", 0, len(text), text) for number, text in enumerate(spans))
    hypotheses = [label["hypothesis"] for label in data["labels"].values()]
    fragments = [" ".join(text.split()[:12]) for text in spans[7 :: len(spans) // 113]]
    return PassageSet(passages, 120), [*hypotheses, *fragments[: 130 - len(hypotheses)]]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for name, value in spans_ratio(Path(sys.argv[1])).items():
        print(f"{name:30} {value:12,.1f}")
