"""Make the published baselines anew: every reference pipeline over every retriever, on every corpus.

    python benchmarks/baselines.py [--corpus ID] [--from CORPUS=PATH ...] [--only TEXT]

Writes folders into ``baselines/``; one that is there is left as it is, so that an interrupted night goes on.
Retrievers that need the extra ``dense`` are left out, aloud, where it is missing.
"""

from __future__ import annotations

import argparse
import importlib.util
import tempfile
from pathlib import Path
from typing import Any

import ragharness as rh
from ragharness.analysis.baselines import add_baseline

CORPORA = ("sample", "contractnli", "edgar", "govreport")
SHELF = Path(__file__).parents[1] / "baselines"
PLAN: tuple[dict[str, Any], ...] = (
    *({"pipeline": "extractive", "retriever": each} for each in ("fields", "bm25", "oracle", "null")),
    *({"pipeline": "extractive", "retriever": each} for each in ("dense", "hybrid")),
    {"pipeline": "refuse", "retriever": "null"},
    {"pipeline": "blind", "retriever": "bm25"},
    *({"pipeline": "extractive", "retriever": "bm25", "k": k} for k in (1, 3, 10)),
)


def name_of(corpus: str, options: dict[str, Any]) -> str:
    """Return the folder's name."""
    k = f"-k{options['k']}" if "k" in options else ""
    return f"{corpus}-{options['pipeline']}-{options['retriever']}{k}"


def main() -> None:
    """Run what is not there yet."""
    told = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    told.add_argument("--corpus", choices=CORPORA, action="append")
    told.add_argument("--from", dest="sources", metavar="CORPUS=PATH", action="append", default=[])
    told.add_argument("--only", default="", help="those whose name holds this text")
    asked = told.parse_args()
    sources = dict(each.split("=", 1) for each in asked.sources)
    has_models = importlib.util.find_spec("sentence_transformers") is not None
    for corpus in asked.corpus or CORPORA:
        for options in PLAN:
            name = name_of(corpus, options)
            if (SHELF / name).exists() or asked.only not in name:
                continue
            if options["retriever"] in ("dense", "hybrid") and not has_models:
                print(f"{name}: left out, pip install 'ragharness[dense]' first")
                continue
            with tempfile.TemporaryDirectory() as place:
                out = Path(place) / "run"
                run = rh.run(
                    corpus=corpus, source=sources.get(corpus, ""), out=out, progress=False, **options
                )
                made = add_baseline(run, SHELF, name)
            print(f"{name}: {made.seconds} s, {made.scores.buckets}")


if __name__ == "__main__":
    main()
