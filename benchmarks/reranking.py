"""What a cross-encoder adds to hybrid retrieval on each corpus: writes ``reranking.json`` beside it.

    python benchmarks/reranking.py --model FOLDER [--questions N] [--corpus contractnli=FOLDER] ...

Over the frozen questions that want an answer, or N of them, evenly apart, and the passages that a run would
index. Of corpora left out the figures stay as they are in the file. Seconds are CPU time of the questions
whose scores were not kept yet, one thread. Needs the extra ``dense``, and onnxruntime for a model in that
form.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragharness import __version__
from ragharness.corpus import load_corpus
from ragharness.options import Options
from ragharness.retrievers import build_retriever
from ragharness.support.files import cache_folder
from retrieval import Ground

if TYPE_CHECKING:
    from ragharness.retrievers import Retriever

RESULT = Path(__file__).with_name("reranking.json")
KS = (1, 5, 10)


def measured(ground: Ground, retriever: Retriever) -> dict[str, Any]:
    """Return recall of any gold span at each k, MRR at 5 and 10, and the CPU seconds of a query."""
    began = time.process_time()
    hits = [retriever.retrieve(each.text, max(KS), each) for each in ground.questions]
    seconds = (time.process_time() - began) / len(hits)
    found = {k: ground.measured(hits, k) for k in KS}
    return {
        "in_top": {str(k): each.any_evidence.count for k, each in found.items()},
        "mrr": {str(k): round(found[k].mrr or 0.0, 4) for k in KS[1:]},
        "cpu_seconds_a_query": round(seconds, 3),
    }


def of_corpus(name: str, source: str, model: str, most: int) -> dict[str, Any]:
    """Return the figures of hybrid retrieval on a corpus without and with the model."""
    corpus = load_corpus(name, source=source)
    ground, cache = Ground(corpus), cache_folder() / "indexes"
    if 0 < most < len(ground.questions):
        every = len(ground.questions)
        ground.questions = [ground.questions[place * every // most] for place in range(most)]
    retrievers = {
        "hybrid": build_retriever("hybrid", ground.indexed, None, cache, Options(on_progress=_say)),
        "hybrid+rerank": build_retriever("hybrid", ground.indexed, None, cache, Options(), model),
    }
    return {
        "questions": len(ground.questions),
        "passages": len(ground.indexed.passages),
        **{title: measured(ground, each) for title, each in retrievers.items()},
    }


def _say(what: str, done: int, total: int, unit: str) -> None:
    print(f"\r{what} {done} of {total} {unit} ", end="", file=sys.stderr, flush=True)


def main() -> None:
    """Measure the corpora named, print their figures, and put them into the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--model", required=True, help="as for --rerank")
    parser.add_argument("--corpus", action="append", required=True, metavar="NAME=FOLDER")
    parser.add_argument("--questions", type=int, default=0, help="of each corpus at most; 0: all")
    asked = parser.parse_args()
    for name, _, source in (each.partition("=") for each in asked.corpus):
        result: dict[str, Any] = json.loads(RESULT.read_text()) if RESULT.is_file() else {"corpora": {}}
        result["made_with"] = {"ragharness": __version__, "model": Path(asked.model).name}
        result["corpora"][name] = found = of_corpus(name, source, asked.model, asked.questions)
        print(f"\r{name:12} {json.dumps(found)}", flush=True)
        result["corpora"] = dict(sorted(result["corpora"].items()))
        RESULT.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
