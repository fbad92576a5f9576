"""Make the published baselines anew: every reference pipeline over every retriever, on every corpus.

    python benchmarks/baselines.py [--corpus ID] [--from CORPUS=PATH ...] [--only TEXT]

Writes folders into ``baselines/``; one that is there is left as it is, so that an interrupted night goes on.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import ragharness as rh
from bench import HERE, parser
from ragharness.analysis.baselines import add_baseline
from ragharness.errors import MissingExtra

CORPORA = ("sample", "contractnli", "edgar", "govreport")
SHELF = HERE.parent / "baselines"
RETRIEVERS = ("fields", "bm25", "oracle", "null", "dense", "hybrid")
PLAN: tuple[dict[str, Any], ...] = (
    *({"pipeline": "extractive", "retriever": retriever} for retriever in RETRIEVERS),
    {"pipeline": "refuse", "retriever": "null"},
    {"pipeline": "blind", "retriever": "bm25"},
    *({"pipeline": "extractive", "retriever": "bm25", "k": k} for k in (1, 3, 10)),
)


def main() -> None:
    """Run the baselines that are not there yet."""
    arguments = parser(__doc__)
    arguments.add_argument("--corpus", choices=CORPORA, action="append")
    arguments.add_argument("--from", dest="sources", metavar="CORPUS=PATH", action="append", default=[])
    arguments.add_argument("--only", default="", help="those whose name holds this text")
    options = arguments.parse_args()
    sources = dict(source.split("=", 1) for source in options.sources)
    for corpus in options.corpus or CORPORA:
        for plan in PLAN:
            k = f"-k{plan['k']}" if "k" in plan else ""
            name = f"{corpus}-{plan['pipeline']}-{plan['retriever']}{k}"
            if (SHELF / name).exists() or options.only not in name:
                continue
            with tempfile.TemporaryDirectory() as home:
                source, out = sources.get(corpus, ""), Path(home) / "run"
                try:
                    run = rh.run(corpus=corpus, source=source, out=out, progress=False, **plan)
                except MissingExtra as missing:
                    print(f"{name}: left out, {missing}")
                    continue
                baseline = add_baseline(run, SHELF, name)
            print(f"{name}: {baseline.seconds} s, {baseline.scores.buckets}")


if __name__ == "__main__":
    main()
