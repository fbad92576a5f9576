"""The harness's own CPU a question, and how often that is what the floor takes: distinct questions, all in.

    python benchmarks/overhead.py [--answers sentence] [--questions 1000] [--repeats 3]
    python benchmarks/overhead.py --at-once 16,64,200 [--pipeline aanswer]

Retrieve five passages, call a pipeline that knows its answer, grade, count what ``blind`` reaches; after
everything is loaded and warm, into a real run folder. The median of the repeats, each with other questions,
beside the floor on the same questions in the same process: the ratio hardly depends on the machine.
``--at-once``: how many times as long as in a plain loop 1,300 calls of 50 ms take, grading afterwards apart.
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import gc
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from floor import floor
from jobs import ANSWERS, write_job
from ragharness.cli import YOUNG_OBJECTS
from ragharness.config import RunConfig
from ragharness.results import count
from ragharness.runner import session
from ragharness.runner.context import load_context
from ragharness.runner.execution import execute
from ragharness.runner.question import Attempt
from ragharness.runner.session import ask_all, open_run

_WAIT = 0.05
"""Seconds that each call of ``--at-once`` waits."""

_FLOORS = 20
"""Times that the floor is run to be measured: it takes some hundredths of a millisecond a question."""


def overhead(answers: str = "sentence", questions: int = 1_000) -> dict[str, float]:
    """Return what this file prints, measured in a process of its own: no memory is warm from elsewhere."""
    return _apart("--answers", answers, "--questions", str(questions))


def overhead_at_once(pipeline: str) -> dict[str, float]:
    """Return the ratios of ``at_once`` by how many calls; ``answer`` is a ``def``, ``aanswer`` awaits."""
    return _apart("--at-once", "16,64,200", "--pipeline", pipeline)


def _apart(*arguments: str) -> dict[str, float]:
    command = [sys.executable, __file__, *arguments]
    found: dict[str, float] = json.loads(
        subprocess.check_output(command, env={**os.environ, "PYTHONHASHSEED": "0"})
    )
    return found


def measure(answers: str, questions: int, repeats: int) -> dict[str, float]:
    """Return milliseconds of CPU a question, of ours and of the floor, their ratio, and calls a question."""
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
    """Return how many calls of functions a question takes, asked and graded: the same on every machine."""
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
    return sum(each.callcount for each in profile.getstats()) / questions


def at_once(calls: int, pipeline: str, repeats: int = 3, questions: int = 1_300) -> float:
    """Return how many times as long as in a plain loop so many calls of 50 ms at once take."""
    took: list[float] = []

    def timed(*arguments: Any, **options: Any) -> int:
        begin = time.perf_counter()
        found = execute(*arguments, **options)
        took.append(time.perf_counter() - begin)
        return found

    ratios = []
    with tempfile.TemporaryDirectory() as name, patch.object(session, "execute", timed):
        for seed in range(repeats):
            config = _job(Path(name) / str(seed), "sentence", questions, seed=seed)
            config = replace(
                config, pipeline=f"{Path(name) / str(seed) / 'job.py'}:{pipeline}", concurrency=calls
            )
            context, run = open_run(config, lambda _: None)
            ask_all(context, config, run, lambda _: None)
            begin = time.perf_counter()
            _plain(calls, pipeline, questions)
            ratios.append(took[-1] / (time.perf_counter() - begin))
    return statistics.median(ratios)


def _plain(calls: int, pipeline: str, questions: int) -> None:
    async def work(share: int) -> None:
        for _ in range(share):
            await asyncio.sleep(_WAIT)

    async def every() -> None:
        await asyncio.gather(*(work(len(range(first, questions, calls))) for first in range(calls)))

    if pipeline == "aanswer":
        asyncio.run(every())
    else:
        with ThreadPoolExecutor(calls) as pool:
            list(pool.map(time.sleep, [_WAIT] * questions))


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
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--answers", choices=ANSWERS, default="sentence")
    parser.add_argument("--questions", type=int, default=1_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--at-once", default="", metavar="N,...", help="calls at once")
    parser.add_argument("--pipeline", choices=("answer", "aanswer"), default="answer")
    options = parser.parse_args()
    if options.at_once:
        os.environ["JOB_SLEEP"] = str(_WAIT)
        found = {
            calls: round(at_once(int(calls), options.pipeline, options.repeats), 2)
            for calls in options.at_once.split(",")
        }
        print(json.dumps(found, indent=2))
        sys.exit()
    print(json.dumps(measure(options.answers, options.questions, options.repeats), indent=2))
