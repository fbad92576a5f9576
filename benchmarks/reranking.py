"""What a cross-encoder adds to hybrid retrieval on each corpus: writes ``reranking.json`` beside it.

    python benchmarks/reranking.py --model FOLDER --corpus contractnli=FOLDER ... [--questions N]

Two kinds of sets: the frozen questions that want an answer, and for choosing the weight of the model's
scores ``CHOOSING`` questions of another seed that are not among the frozen ones. Passages are those that a
run would index. Of each weight the file has how many questions have gold evidence among the best, and MRR at
5; 0 is the retriever alone, 1 the model alone. Of corpora left out the figures stay as they are. Scores are
kept in the cache folder as a run keeps them; seconds are CPU time on one core for the first ``TIMED``
questions, every pair of them scored anew. Needs the extra ``dense``, and onnxruntime for a model in that
form.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ragharness import __version__
from ragharness.analysis.statistics.intervals import cluster_intervals
from ragharness.corpus.loading import Corpus, load_corpus
from ragharness.corpus.passages import EvidenceIndex, build_passages, withhold
from ragharness.questions.loading import load_questions
from ragharness.records import Hit, Question
from ragharness.retrievers import build_retriever
from ragharness.retrievers.bm25 import indexed_text
from ragharness.retrievers.models.reranking import DEPTH, WEIGHT, PairScores, locate_scorer, reordered
from ragharness.support.files import cache_folder
from ragharness.support.options import Options
from ragquestions.building import build_questions
from recall import SEEDS

RESULT = Path(__file__).with_name("reranking.json")
KS = (1, 5, 10)
K = 5
CHOOSING = 20
TIMED = 5
WEIGHTS = (0, 0.5, 0.6, WEIGHT, 0.8, 1)


def measured(corpus: Corpus, role: str, model: str, most: int) -> dict[str, Any]:
    """Return the figures of each weight over the ``frozen`` questions or those for ``choosing``."""
    frozen = load_questions(corpus)
    every = frozen if role == "frozen" else build_questions(corpus, seed=SEEDS[role])
    known = () if role == "frozen" else {each.text for each in frozen.questions}
    asked = [each for each in every.questions if each.wanted == "correct" and each.text not in known]
    if 0 < most < len(asked):
        asked = [asked[place * len(asked) // most] for place in range(most)]
    indexed = withhold(build_passages(corpus.documents), every.withheld_documents, every.withheld_spans)
    cache = cache_folder() / "indexes"
    retriever = build_retriever("hybrid", indexed, None, cache, Options(on_progress=_say))
    found, scorer = locate_scorer(model, cache / "vectors", offline=True)
    pairs, evidence = PairScores(found, scorer, cache / "vectors"), EvidenceIndex(corpus)
    timed = PairScores(found, scorer, None)
    timed.of("loaded", ["before the clock starts"])
    ranks: dict[float, list[int]] = {weight: [] for weight in WEIGHTS}
    seconds = {"hybrid": 0.0, "rerank": 0.0}
    for number, question in enumerate(asked, 1):
        _say(f"{role} questions", number, len(asked), "")
        began = time.process_time()
        hits = retriever.retrieve(question.text, DEPTH, question)
        seconds["hybrid"] += time.process_time() - began
        texts = [indexed_text(hit.passage) for hit in hits]
        if number <= TIMED:
            began = time.process_time()
            timed.of(question.text, texts)
            seconds["rerank"] += time.process_time() - began
        scores = pairs.of(question.text, texts)
        for weight in WEIGHTS:
            ranks[weight].append(_first(evidence, question, reordered(hits, scores, weight)))
    return {
        "questions": len(asked),
        "passages": len(indexed.passages),
        "cpu_seconds_a_query": {
            "hybrid": round(seconds["hybrid"] / len(asked), 3),
            "rerank": round(seconds["rerank"] / min(TIMED, len(asked)), 3),
        },
        "weights": {str(weight): _figures(each) for weight, each in ranks.items()},
        "gain": _gain(ranks[0], ranks[WEIGHT]),
    }


def _first(evidence: EvidenceIndex, question: Question, hits: Sequence[Hit]) -> int:
    """Return the rank of the first hit with gold evidence; 0 without any."""
    holds = (bool(evidence.supporting(question, [hit.passage])) for hit in hits)
    return next((rank for rank, held in enumerate(holds, 1) if held), 0)


def _figures(ranks: Sequence[int]) -> dict[str, Any]:
    return {
        "in_top": {str(k): sum(0 < rank <= k for rank in ranks) for k in KS},
        "mrr": round(sum(map(_reciprocal, ranks)) / len(ranks), 4),
    }


def _reciprocal(rank: int) -> float:
    return 1 / rank if 0 < rank <= K else 0.0


def _gain(before: Sequence[int], after: Sequence[int]) -> dict[str, Any]:
    """Return what the same questions gained, each a mean with its 95 % interval."""
    lines = [
        [(0 < new <= K) - (0 < old <= K), _reciprocal(new) - _reciprocal(old)]
        for old, new in zip(before, after, strict=True)
    ]
    means = [sum(column) / len(lines) for column in zip(*lines, strict=True)]
    bounds = cluster_intervals(lines, [1] * len(lines))
    return {
        name: [round(value, 4) for value in (mean, *interval)]
        for name, mean, interval in zip(("recall", "mrr"), means, bounds, strict=True)
    }


def _say(what: str, done: int, total: int, unit: str) -> None:
    print(f"\r{what} {done} of {total} {unit} ", end="", file=sys.stderr, flush=True)


def main() -> None:
    """Measure the corpora named, print their figures, and put them into the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--model", required=True, help="as for --rerank")
    parser.add_argument("--corpus", action="append", required=True, metavar="NAME=FOLDER")
    parser.add_argument("--questions", type=int, default=0, help="of each set at most; 0: all frozen ones")
    asked = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    for name, _, source in (each.partition("=") for each in asked.corpus):
        corpus = load_corpus(name, source=source)
        for role, most in (("frozen", asked.questions), ("choosing", asked.questions or CHOOSING)):
            result: dict[str, Any] = json.loads(RESULT.read_text()) if RESULT.is_file() else {}
            result["made_with"] = {
                "ragharness": __version__,
                "model": Path(asked.model).name,
                "weight": WEIGHT,
            }
            found = measured(corpus, role, asked.model, most)
            print(f"\r{name:12} {role:9} {json.dumps(found)}", flush=True)
            result["sets"] = result.get("sets", {})
            result["sets"][role] = dict(sorted((result["sets"].get(role, {}) | {name: found}).items()))
            RESULT.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
