"""Real processes, killed, interrupted and continued: no answer that was on disk is asked for again."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from commands import pipeline, process
from ragharness.errors import StorageError
from ragharness.runner.run_folder import RunFolder

SLOW = """
import os, time

def answer(question, passages):
    with open("asked.log", "a") as file:
        file.write(question + "\\n")
    time.sleep(0.01)
    return "I could not find that in the passages."
"""


def start(folder: Path, *options: str) -> subprocess.Popen[str]:
    program = "from ragharness.cli import main; main()"
    command = [sys.executable, "-c", program, "run", "--pipeline", "slow.py:answer", *options]
    return subprocess.Popen(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(folder),
    )


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "RAGHARNESS_CACHE": str(folder / "cache")}


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def wait_for_answers(run: Path, n: int, process: subprocess.Popen[str]) -> None:
    for _ in range(3000):
        written = max(len(lines(run / name)) for name in ("answers.jsonl", "records.jsonl"))
        if written >= n or process.poll() is not None:
            return
        time.sleep(0.005)
    pytest.fail(f"no {n} answers in {run}")


def on_disk(path: Path) -> list[str]:
    """Return the questions whose records are whole, in the order of their writing."""
    whole = [line for line in path.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]
    return [json.loads(line)["question"] for line in whole]


def ungraded(records: Path) -> set[str]:
    """Return the questions whose answers wait for their verdicts on disk."""
    return {record.question for record in RunFolder.open(records.parent).waiting()}


@pytest.mark.parametrize("workers", [1, 8])
def test_killed_at_random_moments_every_question_is_answered_once(tmp_path: Path, workers: int) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    chooser = random.Random(workers)
    records = tmp_path / "run" / "records.jsonl"
    options = ("--out", "run", "--concurrency", str(workers))
    texts: dict[str, str] = {}
    kept: list[str] = []
    waiting: set[str] = set()
    for target in (10, 60, 100):
        asked_before = len(lines(tmp_path / "asked.log"))
        process = start(tmp_path, *options)
        wait_for_answers(records.parent, target, process)
        time.sleep(chooser.random() * 0.03)
        process.kill()
        process.communicate()
        texts = texts or {each.text: each.id for each in RunFolder.open(tmp_path / "run").questions()}
        asked_now = {texts[line] for line in lines(tmp_path / "asked.log")[asked_before:]}
        assert not asked_now & {*kept, *waiting}
        assert on_disk(records)[: len(kept)] == kept
        kept, waiting = on_disk(records), ungraded(records)
        assert target <= len(kept) + len(waiting) < 130
    asked_before = len(lines(tmp_path / "asked.log"))
    process = start(tmp_path, *options)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert f"continuing run: {len(kept) + len(waiting)} of 130 are answered" in errors
    assert sorted(on_disk(records)) == sorted(texts.values())
    asked_now = {texts[line] for line in lines(tmp_path / "asked.log")[asked_before:]}
    assert asked_now == set(texts.values()) - set(kept) - waiting
    assert "130 questions" in output


def test_a_torn_last_line_is_said_and_asked_again(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    start(tmp_path, "--out", "run").communicate()
    records = tmp_path / "run" / "records.jsonl"
    records.write_bytes(records.read_bytes()[:-30])
    process = start(tmp_path, "--out", "run")
    _, errors = process.communicate()
    assert "continuing run: 129 of 130 are answered" in errors
    assert "the last line of run/records.jsonl was incomplete" in errors
    assert len(set(on_disk(records))) == len(on_disk(records)) == 130
    assert len(lines(tmp_path / "asked.log")) == 131


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_keeps_what_is_finished_and_names_the_command_that_goes_on(
    tmp_path: Path, how: signal.Signals
) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    process = start(tmp_path, "--fresh", "--concurrency", "2")
    for _ in range(3000):
        found = list(tmp_path.glob("runs/*/records.jsonl"))
        if found and len(lines(found[0])) >= 20:
            break
        time.sleep(0.005)
    process.send_signal(how)
    output, errors = process.communicate(timeout=20)
    assert (process.returncode, output) == (130, "")
    kept = on_disk(found[0])
    answers = len(kept) + len(ungraded(found[0]))
    assert f"error: interrupted: {answers} of 130 are answered and kept in runs/" in errors
    assert "help:  ragharness run --pipeline slow.py:answer --concurrency 2\n" in errors
    process = start(tmp_path, "--concurrency", "2", "--json")
    output, errors = process.communicate(timeout=60)
    assert f"continuing {found[0].parent.relative_to(tmp_path)}: {answers} of 130" in errors
    assert len(list(tmp_path.glob("runs/2*"))) == 1
    assert json.loads(output)["sessions"] == 2
    assert on_disk(found[0])[: len(kept)] == kept


def test_a_second_process_on_the_same_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW.replace("0.01", "0.3"))
    first = start(tmp_path, "--out", "run", "--concurrency", "1")
    wait_for_answers(tmp_path / "run", 1, first)
    second = start(tmp_path, "--out", "run")
    _, errors = second.communicate(timeout=20)
    assert second.returncode == 3
    assert f"process {first.pid} is writing there" in errors
    first.kill()
    first.communicate()


def test_a_changed_pipeline_is_another_run(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    process = start(tmp_path)
    while not list(tmp_path.glob("runs/*/records.jsonl")):
        time.sleep(0.01)
    process.kill()
    process.communicate()
    (tmp_path / "slow.py").write_text(SLOW + "# changed\n")
    process = start(tmp_path)
    _, errors = process.communicate(timeout=60)
    assert "continuing" not in errors
    assert len(list(tmp_path.glob("runs/*/run.json"))) == 2


VANISHING = """
import os, shutil
from pathlib import Path

def answer(question, passages):
    global asked
    asked += 1
    if asked == 40:
        {harm}
    return "I could not find that in the passages."

asked = 0
"""


@pytest.mark.parametrize(
    "harm", ["next(Path('runs').glob('*/answers.jsonl')).unlink()", "shutil.rmtree('runs')"]
)
def test_a_run_that_is_deleted_under_way_is_said_and_not_counted_as_unasked(
    tmp_path: Path, harm: str
) -> None:
    spec = pipeline(tmp_path, VANISHING.format(harm=harm))
    done = process(tmp_path, "run", "--pipeline", spec, "--concurrency", "1", "--quiet")
    assert done.returncode == 3
    assert not done.stdout
    assert "found it deleted: the 39 answers in it and 1 that could not be stored are lost" in done.stderr
    assert "help:" in done.stderr


def test_records_that_are_deleted_under_way_are_graded_again(tmp_path: Path) -> None:
    spec = pipeline(tmp_path, VANISHING.format(harm="next(Path('runs').glob('*/records.jsonl')).unlink()"))
    done = process(tmp_path, "run", "--pipeline", spec, "--concurrency", "1", "--quiet")
    assert done.returncode == 3
    assert "found it deleted: the 0 records in it and 1 that could not be stored are lost" in done.stderr
    (folder,) = (tmp_path / "runs").glob("2*")
    assert len(lines(folder / "answers.jsonl")) == 130
    assert process(tmp_path, "grade", str(folder)).returncode == 0
    assert len(lines(folder / "records.jsonl")) == 130


def test_a_pipeline_may_change_the_folder_that_it_works_in(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    spec = pipeline(tmp_path, VANISHING.format(harm="os.chdir('other')"))
    done = process(tmp_path, "run", "--pipeline", spec, "--json")
    assert json.loads(done.stdout)["buckets"]["refused"] == 130
    assert not list((tmp_path / "other").iterdir())


def test_a_run_that_another_process_begins_at_the_same_moment_is_found_in_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "slow.py").write_text(SLOW.replace("0.01", "0.3"))
    start(tmp_path, "--out", "model", "--only", "q001").communicate(timeout=60)
    description = RunFolder.open(tmp_path / "model").run
    begun: list[subprocess.Popen[str]] = []
    listed = type(tmp_path).iterdir

    def too_late(path: Path) -> Iterator[Path]:
        """List what is there after another process has begun, as if its first file had been overlooked."""
        if path == tmp_path / "run" and not begun:
            begun.append(start(tmp_path, "--out", "run", "--concurrency", "1"))
            wait_for_answers(path, 1, begun[0])
        return (each for each in listed(path) if each.name != "run.json")

    monkeypatch.setattr(type(tmp_path), "iterdir", too_late)
    with pytest.raises(StorageError, match=r"process \d+ is writing there"):
        RunFolder.create(tmp_path / "run", description, ())
    begun[0].kill()
    begun[0].communicate()
    found = RunFolder.create(tmp_path / "run", description, ())
    assert (found.run.settings.questions, len(found.questions())) == (130, 130), "it was overwritten"
