"""The harness's own CPU per question: retrieve five passages, call a pipeline that does nothing, grade.

    python benchmarks/overhead.py [--corpus sample] [--from FOLDER] [--concurrency 8] [--repeats 9]

Measured inside one process after everything is loaded, and written to a real run folder; the median of the
repeats, in milliseconds.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from ragharness.config import RunConfig
from ragharness.runner import RunContext, ask_all, choose_folder, load_context

NO_OP = "def answer(question, passages):\n    return 'I do not know.'\n"


def overhead(corpus: str = "sample", source: str = "", *, concurrency: int = 8, repeats: int = 9) -> float:
    """Return milliseconds of CPU per question, over the whole question set of a corpus."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "noop.py").write_text(NO_OP)
        config = RunConfig(
            corpus=corpus, source=source, pipeline=f"{folder / 'noop.py'}:answer", concurrency=concurrency
        )
        context = load_context(config)
        once(context, config, folder / "warm-up")
        return statistics.median(once(context, config, folder / str(number)) for number in range(repeats))


def once(context: RunContext, config: RunConfig, out: Path) -> float:
    """Return milliseconds of CPU per question of one whole run into a new folder."""
    run = choose_folder(context, replace(config, out=out), lambda _: None)
    begin = time.process_time()
    ask_all(context, config, run, lambda _: None)
    return 1000 * (time.process_time() - begin) / len(context.questions.questions)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", default="sample")
    parser.add_argument("--from", dest="source", default="")
    parser.add_argument("--concurrency", type=int, default=8)
    parser.add_argument("--repeats", type=int, default=9)
    options = parser.parse_args()
    cost = overhead(options.corpus, options.source, concurrency=options.concurrency, repeats=options.repeats)
    print(f"{cost:.3f} ms of CPU a question")
