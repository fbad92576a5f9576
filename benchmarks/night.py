"""A long run against a slow pipeline: how near to the ideal, what a kill costs, and what stays small.

    python benchmarks/night.py [--questions 1300] [--repeats 5] [--folder FOLDER]

The pipeline sleeps 50 ms in the place of a model. The questions are those of the sample corpus, repeated
under other names. Ratios are to a plain loop of 16 asyncio workers that does nothing but sleep and write a
line, measured in turn with ours; every figure is the median. The result is written to ``night.json`` beside
this file, and a figure over its limit ends with exit code 1. ``--folder`` is where everything is written
meanwhile: one on the disk whose fsync is to be measured.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from overhead import overhead
from ragharness.config import RunConfig
from ragharness.corpus.loading import load_corpus
from ragharness.questions.loading import load_questions
from ragharness.records import Record
from ragharness.runner.context import load_context
from ragharness.runner.journal import Journal
from ragharness.runner.run_folder import RunFolder
from ragharness.runner.session import ask_all, choose_folder

HERE = Path(__file__).resolve().parent
PROGRAM = str(Path(sys.executable).with_name("ragharness"))
WORKERS = 16
PAUSE = 0.05
"""Seconds that the pipeline takes for an answer."""

PIPELINE = f"""
import asyncio, os, signal, time

LOG = os.environ.get("ASKED")
FATAL = int(os.environ.get("KILLED_AT", "0"))
log = os.open(LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644) if LOG else None
calls = 0


def note(question):
    global calls
    if log is not None:
        os.write(log, question.encode() + b"\\n")
    calls += 1
    if calls == FATAL:
        os.kill(os.getpid(), signal.SIGKILL)


def reply(passages):
    if not passages or len(passages[0].text) % 3 == 0:
        return "I could not find that in the passages."
    return f"{{passages[0].text[:200]}} [{{passages[0].id}}]"


def plain(question, passages):
    note(question)
    time.sleep({PAUSE})
    return reply(passages)


async def waiting(question, passages):
    note(question)
    await asyncio.sleep({PAUSE})
    return reply(passages)


def at_once(question, passages):
    return reply(passages)
"""
TIMES = ("run", "folder", "created", "seconds", "timing", "sessions")
"""Fields of the scores that tell when and where, not what."""


def main() -> int:
    """Measure, print and store; return 1 if a figure misses its limit."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--questions", type=int, default=1300)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--folder", type=Path, default=None)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        (folder / "slow.py").write_text(PIPELINE)
        figures = {
            "asynchronous": pace(folder, options.questions, "waiting", options.repeats),
            "plain function": pace(folder, options.questions, "plain", options.repeats),
            "killed, asynchronous": crash(folder, options.questions, "waiting"),
            "killed, plain function": crash(folder, options.questions, "plain"),
            "memory": memory(folder, options.questions),
            "overhead": overhead(),
            "a line": lines(folder, options.repeats),
        }
    missed = report(figures)
    machine = {
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "questions": options.questions,
        "workers": WORKERS,
        "repeats": options.repeats,
    }
    (HERE / "night.json").write_text(json.dumps({"machine": machine, "figures": figures}, indent=2) + "\n")
    return int(missed > 0)


def report(figures: dict[str, dict[str, float]]) -> int:
    """Print every figure with its limit; returns how many missed theirs."""
    limits = {
        ("asynchronous", "ratio"): 1.05,
        ("plain function", "ratio"): 1.05,
        ("killed, asynchronous", "asked_twice"): WORKERS,
        ("killed, plain function", "asked_twice"): WORKERS,
        ("killed, asynchronous", "never_asked"): 0,
        ("killed, plain function", "never_asked"): 0,
        ("killed, asynchronous", "bytes_that_differ"): 0,
        ("killed, plain function", "bytes_that_differ"): 0,
        ("memory", "run_kilobytes_a_record"): 1.0,
        ("memory", "score_kilobytes_a_record"): 1.0,
        ("overhead", "milliseconds"): 1.0,
    }
    missed = 0
    for name, values in figures.items():
        for field, value in values.items():
            limit = limits.get((name, field))
            holds = limit is None or value <= limit
            missed += not holds
            bound = "" if limit is None else f"<= {limit:g}{'' if holds else '  MISSED'}"
            print(f"{name:24} {field:24} {value:12.4f}  {bound}".rstrip())
    return missed


def question_file(folder: Path, count: int) -> Path:
    """Write ``count`` questions: those of the sample, each time with another number before its text."""
    path = folder / f"{count}.jsonl"
    if not path.exists():
        known = load_questions(load_corpus("sample")).questions
        with path.open("wb") as file:
            for number in range(count):
                asked = known[number % len(known)]
                text = f"({number}) {asked.text}"
                file.write(msgspec.json.encode(msgspec.structs.replace(asked, id=f"n{number:06}", text=text)))
                file.write(b"\n")
    return path


def pace(folder: Path, count: int, function: str, repeats: int) -> dict[str, float]:
    """Compare the asking of all questions with the plain loop, in alternation."""
    config = RunConfig(
        questions=question_file(folder, count),
        pipeline=f"{folder / 'slow.py'}:{function}",
        concurrency=WORKERS,
        offline=True,
    )
    context = load_context(config)
    first = choose_folder(context, replace(config, out=folder / f"{function}-first"), lambda _: None)
    # The first run compiles what the grader reads with: it counts for itself.
    first_seconds = timed(lambda: ask_all(context, config, first, lambda _: None))
    ours, plain, ratios = [], [], []
    for number in range(repeats):
        plain.append(plain_loop(folder / "plain.jsonl", count))
        out = choose_folder(context, replace(config, out=folder / f"{function}-{number}"), lambda _: None)
        ours.append(timed(lambda out=out: ask_all(context, config, out, lambda _: None)))  # type: ignore[misc]
        ratios.append(ours[-1] / plain[-1])
    return {
        "seconds": statistics.median(ours),
        "plain_loop_seconds": statistics.median(plain),
        "ideal_seconds": PAUSE * count / WORKERS,
        "first_seconds": first_seconds,
        "ratio": statistics.median(ratios),
    }


def plain_loop(path: Path, count: int) -> float:
    """Return the seconds of workers over one iterator that sleep and write one flushed line a question."""

    async def loop() -> None:
        waiting = iter(range(count))
        with path.open("w") as file:

            async def work() -> None:
                for number in waiting:
                    await asyncio.sleep(PAUSE)
                    file.write(json.dumps({"question": number, "answer": "I do not know."}) + "\n")
                    file.flush()

            await asyncio.gather(*(work() for _ in range(WORKERS)))

    return timed(lambda: asyncio.run(loop()))


def timed(action: Callable[[], object]) -> float:
    """Return the seconds that an action takes."""
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def crash(folder: Path, count: int, function: str) -> dict[str, float]:
    """Kill a run at half of its calls, give the same command again, and compare with an undisturbed run."""
    home = folder / f"crash-{function}"
    home.mkdir()
    command = [
        *(PROGRAM, "run", "--quiet", "--json", "--offline", "--concurrency", str(WORKERS)),
        *("--questions", str(question_file(folder, count)), "--pipeline", f"{folder / 'slow.py'}:{function}"),
    ]
    fatal = count // 2
    done = asking(command, home, "killed", fatal)
    if done.returncode != -signal.SIGKILL:
        raise SystemExit(
            f"expected the run to be killed, found the exit code {done.returncode}: {done.stderr}"
        )
    kept = len(RunFolder.open(home / "killed").answered())
    for out in ("killed", "whole"):
        done = asking(command, home, out)
        if done.returncode:
            raise SystemExit(f"the run into {out} ended with {done.returncode}: {done.stderr}")
    asked = Counter((home / "killed.log").read_text().splitlines())
    totals = [
        without_times(json.loads((home / out / "scores.json").read_bytes())) for out in ("killed", "whole")
    ]
    return {
        "killed_at_call": fatal,
        "kept": kept,
        "asked_twice": sum(times > 1 for times in asked.values()),
        "asked_three_times": sum(times > 2 for times in asked.values()),
        "never_asked": count - len(asked),
        "bytes_that_differ": sum(a != b for a, b in zip(*totals, strict=False))
        + abs(len(totals[0]) - len(totals[1])),
    }


def asking(command: list[str], home: Path, out: str, fatal: int = 0) -> subprocess.CompletedProcess[str]:
    """Run or continue into a folder; the pipeline kills the process at the call ``fatal``."""
    variables = {
        "ASKED": str(home / f"{out}.log"),
        "KILLED_AT": str(fatal),
        "RAGHARNESS_CACHE": str(home / "cache"),
    }
    return subprocess.run(
        [*command, "--out", out],
        cwd=home,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def without_times(scores: dict[str, Any]) -> bytes:
    """Return the totals as bytes."""
    return json.dumps({name: value for name, value in scores.items() if name not in TIMES}).encode()


def memory(folder: Path, count: int) -> dict[str, float]:
    """Return peak resident MB of whole processes over ``count`` and ten times as many records."""
    questions = ("--questions", str(question_file(folder, 100)), "--offline")
    found: dict[str, list[float]] = {"run": [], "score": []}
    for times in (1, 10):
        out = str(folder / f"memory-{times}")
        epochs = ("--epochs", str(max(1, times * count // 100)))
        pipeline = ("--pipeline", f"{folder / 'slow.py'}:at_once")
        found["run"].append(
            peak_mb(PROGRAM, "run", "--quiet", "--json", *questions, *epochs, *pipeline, "--out", out)
        )
        found["score"].append(peak_mb(PROGRAM, "score", out, "--json"))
    figures = {}
    for verb, (once, tenfold) in found.items():
        figures[f"{verb}_mb"] = once
        figures[f"{verb}_mb_tenfold"] = tenfold
        figures[f"{verb}_kilobytes_a_record"] = 1024 * (tenfold - once) / (9 * count)
    return figures


def peak_mb(*command: str) -> float:
    """Return the peak resident MB of a command; a small process starts it, as a child inherits the peak."""
    launcher = (
        "import os, sys\n"
        "quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]\n"
        "child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=quiet)\n"
        "_, status, usage = os.wait4(child, 0)\n"
        "print(usage.ru_maxrss if status == 0 else 'failed')\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", launcher, *command], capture_output=True, text=True, check=True
    )
    if not done.stdout.strip().isdigit():
        raise SystemExit(f"{' '.join(command)} failed: {done.stderr[-2000:]}")
    return int(done.stdout) / 1024


def lines(folder: Path, repeats: int) -> dict[str, float]:
    """Return microseconds for one finished line: bare writing and flushing, our journal, an fsync too."""
    records = list(RunFolder.open(folder / "memory-1").records())[:1000]
    texts = [msgspec.json.encode(record) + b"\n" for record in records]
    bare = statistics.median(flushed(folder, texts) for _ in range(repeats))
    journal = statistics.median(appended(folder, records, synced=False) for _ in range(repeats))
    synced = statistics.median(appended(folder, records[:100], synced=True) for _ in range(repeats))
    return {
        "bytes": statistics.mean(map(len, texts)),
        "microseconds_bare": 1e6 * bare,
        "microseconds": 1e6 * journal,
        "microseconds_with_fsync": 1e6 * synced,
    }


def flushed(folder: Path, texts: list[bytes]) -> float:
    """Return the seconds that writing and flushing one line takes."""

    def write() -> None:
        with (folder / "bare.jsonl").open("wb") as file:
            for text in texts:
                file.write(text)
                file.flush()

    return timed(write) / len(texts)


def appended(folder: Path, records: list[Record], *, synced: bool) -> float:
    """Return the seconds that appending one record takes."""
    path = folder / "appended.jsonl"
    path.unlink(missing_ok=True)
    journal = Journal(path, set())
    handle = os.open(path, os.O_WRONLY)

    def write() -> None:
        for record in records:
            journal.append(record)
            if synced:
                os.fsync(handle)

    seconds = timed(write)
    os.close(handle)
    journal.close()
    return seconds / len(records)


if __name__ == "__main__":
    sys.exit(main())
