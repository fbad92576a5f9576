"""Runs killed with SIGKILL at random moments and continued, compared with runs that nobody disturbed."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from commands import PROGRAM
from ragharness.records import Record
from ragharness.runner.run_folder import RunFolder

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no SIGKILL")

PIPELINE = """
import asyncio, os, time

ASKED = os.open("asked.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)


def note(question):
    os.write(ASKED, f"{{os.getpid()}} {{question}}\\n".encode())


def reply(question, passages):
    if len(question) % 7 == 0 and not os.path.exists("up"):
        raise ValueError(f"no answer to {{len(question)}} letters")
    if not passages or len(question) % 5 == 0:
        return "I could not find that in the passages."
    return f"{{passages[0].text[:200]}} [{{passages[0].id}}]"


def plain(question, passages):
    note(question)
    time.sleep(0.05 if os.path.exists("up") else {pause})
    return reply(question, passages)


async def waiting(question, passages):
    note(question)
    await asyncio.sleep({pause})
    return reply(question, passages)
"""
TIMES = {"run", "folder", "created", "seconds", "timing", "sessions"}
"""Fields of the scores that tell when and where, not what."""

BOUND = 60.0
"""Seconds that any of these processes may take on a busy machine."""


class Case(NamedTuple):
    """How a run is asked, and how often it is killed."""

    function: str
    workers: int
    kills: int
    options: tuple[str, ...] = ()


CASES = (
    Case("plain", 1, 4),
    Case("plain", 8, 3),
    Case("plain", 32, 3),
    Case("waiting", 1, 3),
    Case("waiting", 8, 3),
    Case("waiting", 32, 4),
)
assert sum(case.kills for case in CASES) == 20


class Bed:
    """A folder with the pipeline, its own account of what it was asked, and one run."""

    def __init__(self, folder: Path, cache: Path, case: Case, pause: float) -> None:
        folder.mkdir()
        self.folder = folder
        self.run = folder / "run"
        self._cache = cache
        self._case = case
        (folder / "mine.py").write_text(PIPELINE.format(pause=pause))

    def start(self) -> subprocess.Popen[str]:
        """Give the command that begins and continues the run."""
        case = self._case
        return self.process(
            "run",
            *("--pipeline", f"mine.py:{case.function}", "--out", "run", "--offline"),
            *("--concurrency", str(case.workers), "--json", *case.options),
        )

    def repeat(self, case: Case) -> None:
        """Ask otherwise from now on."""
        self._case = case

    def process(self, *arguments: str) -> subprocess.Popen[str]:
        """Start a command in the folder."""
        return subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *arguments],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "RAGHARNESS_CACHE": str(self._cache)},
        )

    def finish(self) -> dict[str, Any]:
        """Run to the end; returns the scores that the folder keeps."""
        process = self.start()
        output, errors = process.communicate(timeout=BOUND)
        assert process.returncode == 2, errors
        stored = (self.run / "scores.json").read_bytes()
        assert json.loads(output) == json.loads(stored)
        return {name: value for name, value in json.loads(stored).items() if name not in TIMES}

    def asked(self) -> list[tuple[int, str]]:
        """The process and the question of every call, in order, as the pipeline noted it."""
        log = self.folder / "asked.log"
        rows = (line.split(" ", 1) for line in log.read_text().splitlines()) if log.exists() else ()
        return [(int(process), question) for process, question in rows]

    def on_disk(self) -> list[str]:
        """The texts of the questions whose records are whole."""
        return self._texts("records.jsonl")

    def kept(self) -> set[str]:
        """The texts of the questions whose answers are on disk, graded or not."""
        return {*self.on_disk(), *self._texts("answers.jsonl")}

    def _texts(self, name: str) -> list[str]:
        path = self.run / name
        lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
        texts = (
            {question.id: question.text for question in RunFolder.open(self.run).questions()} if lines else {}
        )
        return [texts[json.loads(line)["question"]] for line in lines if line.endswith(b"\n")]

    def records(self) -> list[Record]:
        """The records by question, without their times."""
        plain = (
            msgspec.structs.replace(record, seconds=0.0, started="")
            for record in RunFolder.open(self.run).records()
        )
        return sorted(plain, key=lambda record: (record.question, record.epoch))


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("indexes")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> dict[str, tuple[Any, list[Record]]]:
    """Scores and records of runs that nobody disturbed, by the pipeline's function."""
    found = {}
    for function in ("plain", "waiting"):
        bed = Bed(tmp_path_factory.mktemp(function) / "whole", cache, Case(function, 8, 0), pause=0.0)
        found[function] = bed.finish(), bed.records()
    return found


def kill_when_asked(process: subprocess.Popen[str], log: Path, calls: int, delay: float) -> None:
    """Kill a process a moment after the pipeline's log holds so many lines."""
    deadline = time.monotonic() + BOUND
    while process.poll() is None and time.monotonic() < deadline:
        if not calls or (log.exists() and log.read_bytes().count(b"\n") >= calls):
            break
        time.sleep(0.001)
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)
    process.communicate()


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.function}-{case.workers}")
def test_a_run_that_is_killed_and_continued_equals_one_that_was_not(
    tmp_path: Path, cache: Path, undisturbed: dict[str, tuple[Any, list[Record]]], case: Case
) -> None:
    chooser = random.Random(f"{case.function} {case.workers}")
    # About half a second of asking, however many ask: time enough to be killed within.
    bed = Bed(tmp_path / "killed", cache, case, pause=0.004 * case.workers)
    moments = sorted(chooser.randrange(125) for _ in range(case.kills))
    for calls in moments:
        before, recorded = bed.kept(), bed.on_disk()
        asked_before = len(bed.asked())
        process = bed.start()
        kill_when_asked(
            process, bed.folder / "asked.log", max(calls, asked_before + 1), chooser.random() * 0.03
        )
        assert process.returncode == -signal.SIGKILL
        told = bed.asked()[asked_before:]
        assert {who for who, _ in told} <= {process.pid}
        assert not {question for _, question in told} & before, "an answer on disk was asked for again"
        assert bed.on_disk()[: len(recorded)] == recorded, "a line that was on disk has gone"
        assert before <= bed.kept(), "an answer that was on disk has gone"
        assert len({question for _, question in told} - bed.kept()) <= case.workers, (
            "more lost than in flight"
        )
    scores = bed.finish()
    asked = Counter(question for _, question in bed.asked())
    texts = [question.text for question in RunFolder.open(bed.run).questions()]
    assert set(asked) == set(texts)
    assert sum(asked.values()) - len(texts) <= case.workers * case.kills
    assert sorted(bed.on_disk()) == sorted(texts)
    assert not (bed.run / "answers.jsonl").exists()
    assert (scores, bed.records()) == undisturbed[case.function]


MORE = (
    Case("plain", 8, 2, ("--limit", "40", "--epochs", "2")),
    Case("waiting", 8, 2, ("--limit", "40", "--epochs", "2")),
    Case("plain", 2, 1, ("--limit", "40", "--isolate")),
)


@pytest.mark.parametrize("case", MORE, ids=lambda case: f"{case.function}{case.options[2]}")
def test_epochs_and_processes_are_continued_like_any_run(tmp_path: Path, cache: Path, case: Case) -> None:
    chooser = random.Random(" ".join(case.options))
    bed = Bed(tmp_path / "killed", cache, case, pause=0.03)
    epochs = 2 if "--epochs" in case.options else 1
    for _ in range(case.kills):
        calls = len(bed.asked()) + 1 + chooser.randrange(20)
        process = bed.start()
        kill_when_asked(process, bed.folder / "asked.log", calls, chooser.random() * 0.03)
        assert process.returncode == -signal.SIGKILL
    bed.finish()
    records = bed.records()
    keys = {(record.question, record.epoch) for record in records}
    assert len(records) == len(keys) == len(bed.on_disk()) == 40 * epochs
    again = len(bed.asked()) - len(records)
    assert 0 <= again <= case.workers * case.kills
    assert not (bed.run / "answers.jsonl").exists()
    whole = Bed(tmp_path / "whole", cache, case, pause=0.0)
    whole.finish()
    assert records == whole.records()


def test_failures_that_are_asked_again_are_continued_like_any_run(tmp_path: Path, cache: Path) -> None:
    bed = Bed(tmp_path / "killed", cache, Case("plain", 4, 0), pause=0.0)
    before = bed.finish()
    failed = {record.question for record in bed.records() if record.status == "error"}
    assert before["statuses"]["error"] == len(failed) > 10
    texts = {question.text: question.id for question in RunFolder.open(bed.run).questions()}
    # The same source, which is the same run, with a service behind it that works again.
    (bed.folder / "up").touch()
    again = Case("plain", 4, 2, ("--retry-errors",))
    bed.repeat(again)
    first = len(bed.asked())
    for calls in (3, 4):
        process = bed.start()
        kill_when_asked(process, bed.folder / "asked.log", len(bed.asked()) + calls, 0.01)
        assert process.returncode == -signal.SIGKILL
    after = bed.finish()
    assert after["statuses"]["error"] == 0
    asked = Counter(texts[question] for _, question in bed.asked()[first:])
    assert set(asked) == failed
    assert sum(asked.values()) - len(failed) <= again.workers * again.kills
    assert len(bed.on_disk()) == 130 + len(failed)
    assert len(bed.records()) == 130
    assert not (bed.run / "answers.jsonl").exists()


def test_a_kill_before_the_first_question_leaves_nothing_in_the_way(tmp_path: Path, cache: Path) -> None:
    case = Case("plain", 8, 3)
    bed = Bed(tmp_path / "killed", cache, case, pause=0.0)
    chooser = random.Random(3)
    for _ in range(case.kills):
        process = bed.start()
        kill_when_asked(process, bed.folder / "asked.log", 0, chooser.random() * 0.6)
    bed.finish()
    assert len(bed.records()) == 130


def test_grading_again_that_is_killed_leaves_every_record_whole(tmp_path: Path, cache: Path) -> None:
    bed = Bed(tmp_path / "graded", cache, Case("plain", 8, 0), pause=0.0)
    scores = bed.finish()
    chooser = random.Random(4)
    for _ in range(3):
        process = bed.process("grade", "run", "--offline")
        deadline = time.monotonic() + BOUND
        while process.poll() is None and time.monotonic() < deadline:
            if (bed.run / "records.jsonl.new").exists():
                break
            time.sleep(0.0005)
        time.sleep(chooser.random() * 0.02)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert len(bed.records()) == len(bed.on_disk()) == 130
    process = bed.process("grade", "run", "--offline")
    _, errors = process.communicate(timeout=BOUND)
    assert process.returncode == 2, errors
    graded = json.loads((bed.run / "scores.json").read_bytes())
    assert {name: value for name, value in graded.items() if name not in TIMES} == scores
    assert not list(bed.run.glob("*.new"))
