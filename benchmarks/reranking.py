"""What a cross-encoder adds to hybrid retrieval on each corpus: writes ``reranking.json`` beside it.

    python benchmarks/reranking.py --model FOLDER --corpus contractnli=FOLDER ... [--questions N]

Two kinds of sets: the frozen questions that want an answer, and for choosing the weight of the model's
scores ``CHOOSING`` questions of another seed that are not among the frozen ones. Of each weight the file has
how many questions have gold evidence among the best, and MRR at 5; 0 is the retriever alone, 1 the model
alone. Of corpora left out the figures stay as they are. Scores are kept in the cache folder as a run keeps
them; seconds are CPU time on one core for the first ``TIMED`` questions, every pair of them scored anew.
Needs the extra ``dense``.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench import HERE, parser, read_result, show_progress, write_result
from ragharness import __version__
from ragharness.analysis.intervals import cluster_totals
from ragharness.corpus.loading import Corpus, load_corpus
from ragharness.questions.loading import load_questions
from ragharness.records import Hit, Question
from ragharness.retrievers import build_retriever
from ragharness.retrievers.bm25 import indexed_text
from ragharness.retrievers.models.reranking import DEPTH, WEIGHT, PairScores, locate_scorer, reordered
from ragharness.support.files import cache_folder
from ragharness.support.options import Options
from ragquestions.building import build_questions
from retrieval import BEST, SEEDS, Ground

RESULT = HERE / "reranking.json"
KS = (1, 5, 10)
CHOOSING = 20
TIMED = 5
WEIGHTS = (0, 0.5, 0.6, WEIGHT, 0.8, 1)


def measured(corpus: Corpus, role: str, model: str, most: int) -> dict[str, Any]:
    """Figures of each weight over the ``frozen`` questions or those for ``choosing``."""
    frozen = load_questions(corpus)
    ground = Ground(corpus, frozen if role == "frozen" else build_questions(corpus, seed=SEEDS[role]))
    excluded = () if role == "frozen" else {question.text for question in frozen.questions}
    questions = [question for question in ground.questions if question.text not in excluded]
    if 0 < most < len(questions):
        questions = [questions[number * len(questions) // most] for number in range(most)]
    cache = cache_folder() / "indexes"
    retriever = build_retriever("hybrid", ground.indexed, None, cache, Options(on_progress=show_progress))
    located, scorer = locate_scorer(model, cache / "vectors", offline=True)
    pairs, timed = PairScores(located, scorer, cache / "vectors"), PairScores(located, scorer, None)
    timed.of("loaded", ["before the clock starts"])
    ranks: dict[float, list[int]] = {weight: [] for weight in WEIGHTS}
    seconds = {"hybrid": 0.0, "rerank": 0.0}
    for number, question in enumerate(questions, 1):
        show_progress(f"{role} questions", number, len(questions))
        begin = time.process_time()
        hits = retriever.retrieve(question.text, DEPTH, question)
        seconds["hybrid"] += time.process_time() - begin
        texts = [indexed_text(hit.passage) for hit in hits]
        if number <= TIMED:
            begin = time.process_time()
            timed.of(question.text, texts)
            seconds["rerank"] += time.process_time() - begin
        scores = pairs.of(question.text, texts)
        for weight in WEIGHTS:
            ranks[weight].append(_gold_rank(ground, question, reordered(hits, scores, weight)))
    return {
        "questions": len(questions),
        "passages": len(ground.indexed.passages),
        "cpu_seconds_a_query": {
            "hybrid": round(seconds["hybrid"] / len(questions), 3),
            "rerank": round(seconds["rerank"] / min(TIMED, len(questions)), 3),
        },
        "weights": {str(weight): _figures(row) for weight, row in ranks.items()},
        "gain": _gain(ranks[0], ranks[WEIGHT]),
    }


def _gold_rank(ground: Ground, question: Question, hits: Sequence[Hit]) -> int:
    """Rank of the best hit with gold evidence; 0 without any."""
    return next((rank for rank, hit in enumerate(hits, 1) if ground.holds_gold(question, [hit])), 0)


def _figures(ranks: Sequence[int]) -> dict[str, Any]:
    return {
        "in_top": {str(k): sum(0 < rank <= k for rank in ranks) for k in KS},
        "mrr": round(sum(map(_reciprocal, ranks)) / len(ranks), 4),
    }


def _reciprocal(rank: int) -> float:
    return 1 / rank if 0 < rank <= BEST else 0.0


def _gain(before: Sequence[int], after: Sequence[int]) -> dict[str, Any]:
    """Gains of the same questions, each a mean with its 95 % interval."""
    rows = [
        [(0 < new <= BEST) - (0 < old <= BEST), _reciprocal(new) - _reciprocal(old)]
        for old, new in zip(before, after, strict=True)
    ]
    means = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    drawn = cluster_totals(np.array(rows, dtype=float)) / len(rows)
    bounds = np.quantile(drawn, (0.025, 0.975), axis=0).T.tolist()
    return {
        name: [round(value, 4) for value in (mean, *interval)]
        for name, mean, interval in zip(("recall", "mrr"), means, bounds, strict=True)
    }


def main() -> None:
    """Measure the corpora named, print their figures, and put them into the file."""
    arguments = parser(__doc__)
    arguments.add_argument("--model", required=True, help="as for --rerank")
    arguments.add_argument("--corpus", action="append", required=True, metavar="NAME=FOLDER")
    arguments.add_argument("--questions", type=int, default=0, help="of each set at most; 0: all frozen ones")
    options = arguments.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    for name, _, source in (corpus.partition("=") for corpus in options.corpus):
        corpus = load_corpus(name, source=source)
        for role, most in (("frozen", options.questions), ("choosing", options.questions or CHOOSING)):
            figures = measured(corpus, role, options.model, most)
            print(f"\r{name:12} {role:9} {json.dumps(figures)}", flush=True)
            result = read_result(RESULT)
            model = Path(options.model).name
            result["made_with"] = {"ragharness": __version__, "model": model, "weight": WEIGHT}
            sets = result.setdefault("sets", {})
            sets[role] = dict(sorted({**sets.get(role, {}), name: figures}.items()))
            write_result(RESULT, result, indent=2)


if __name__ == "__main__":
    main()
