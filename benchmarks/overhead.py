"""The harness's own CPU a question, and how often that is what the floor takes.

    python benchmarks/overhead.py [--answers sentence] [--questions 1000] [--repeats 3]

Retrieve five passages, call a pipeline that knows its answer, grade, count what ``blind`` reaches; after
everything is loaded and warm, into a real run folder. The median of the repeats, each with other questions,
beside the floor on the same questions in the same process: the ratio hardly depends on the machine.
"""

from __future__ import annotations

import cProfile
import gc
import json
import os
import statistics
import tempfile
import time
from pathlib import Path

from bench import parser
from jobs import ANSWERS, floor, write_job
from ragharness.cli import YOUNG_OBJECTS
from ragharness.config import RunConfig
from ragharness.results import count
from ragharness.runner.scheduler import Attempt
from ragharness.runner.session import ask_all, load_context, open_run

_FLOORS = 20
"""Times that the floor is run to be measured: it takes some hundredths of a millisecond a question."""


def measure(answers: str, questions: int, repeats: int) -> dict[str, float]:
    """Milliseconds of CPU a question, of ours and of the floor, their ratio, and calls a question."""
    called = calls(answers)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _ours(folder / "warm-up", answers, 100, seed=0)
        pairs = [
            (_ours(folder / str(seed), answers, questions, seed=seed), _floor(folder / str(seed), questions))
            for seed in range(1, repeats + 1)
        ]
    return {
        "milliseconds": statistics.median(ours for ours, _ in pairs),
        "floor_milliseconds": statistics.median(least for _, least in pairs),
        "ratio": statistics.median(ours / least for ours, least in pairs),
        "calls": called,
    }


def calls(answers: str = "sentence", questions: int = 200) -> float:
    """Calls of functions that a question takes, asked and graded: the same on every machine."""
    with tempfile.TemporaryDirectory() as name:
        _ours(Path(name) / "warm-up", answers, 100, seed=0)
        context = load_context(_job(Path(name) / "job", answers, questions, seed=99))
        runner, profile = context.runner, cProfile.Profile()
        with profile:
            for question in context.questions.questions:
                attempt = Attempt(question, 0)
                runner.recall(attempt)
                read = runner.read(attempt, runner.call(attempt), None)
                context.grading.graded(runner.record(attempt, read))
    return sum(entry.callcount for entry in profile.getstats()) / questions


def _job(folder: Path, answers: str, n: int, *, seed: int) -> RunConfig:
    write_job(folder, n, answers, files=200, seed=seed)
    os.environ.update(JOB_ANSWERS=answers, JOB_INPUT=str(folder / "input.jsonl"))
    return RunConfig(
        corpus=str(folder / "docs"),
        questions=str(folder / "questions.csv"),
        pipeline=f"{folder / 'job.py'}:answer",
        out=str(folder / "run"),
    )


def _ours(folder: Path, answers: str, n: int, *, seed: int) -> float:
    config = _job(folder, answers, n, seed=seed)
    context, run = open_run(config, lambda _: None)
    begin = time.process_time()
    ask_all(context, config, run, lambda _: None)
    count(run, context.grading, cache=False)
    return 1000 * (time.process_time() - begin) / n


def _floor(folder: Path, n: int) -> float:
    begin = time.process_time()
    for _ in range(_FLOORS):
        floor(folder / "input.jsonl", folder / "floor.jsonl")
    return 1000 * (time.process_time() - begin) / n / _FLOORS


if __name__ == "__main__":
    gc.set_threshold(YOUNG_OBJECTS)  # as the command line does
    arguments = parser(__doc__)
    arguments.add_argument("--answers", choices=ANSWERS, default="sentence")
    arguments.add_argument("--questions", type=int, default=1_000)
    arguments.add_argument("--repeats", type=int, default=3)
    options = arguments.parse_args()
    print(json.dumps(measure(options.answers, options.questions, options.repeats), indent=2))
