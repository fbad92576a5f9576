"""Asking writes answers, grading writes records: whatever ends a run, none is lost or asked again."""

from __future__ import annotations

import os
import threading
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import run_fakes as fake
from ragharness.analysis.scoring import score_folder
from ragharness.config import RunConfig
from ragharness.errors import StorageError
from ragharness.records import Answer, Passage, Question, Record, Usage
from ragharness.runner.grading import regrade
from ragharness.runner.limits import Progress
from ragharness.runner.run_folder import Call, RunFolder
from ragharness.runner.session import RunContext, ask_all
from test_runner import Keywords, plain, question, runner_of, untimed

RECORDS = [fake.record(each, each.wanted) for each in fake.questions()]
PATIENCE = 20.0
"""Seconds that a test waits for what must come."""


def ungraded(record: Record) -> Record:
    return replace(record, status="needs_review", verdict=None)


def folder_of(path: Path, n: int = 130) -> RunFolder:
    asked = fake.questions()[:n]
    return RunFolder.create(path, fake.run(settings=fake.settings(questions=n)), asked)


def contents(folder: RunFolder) -> dict[str, bytes]:
    names = ("records.jsonl", "answers.jsonl")
    return {name: (folder.path / name).read_bytes() for name in names if (folder.path / name).exists()}


# -- on disk


@settings(max_examples=60)
@given(
    order=st.permutations([(number, act) for number in range(5) for act in ("keep", "append")]),
    moment=st.integers(0, 10),
    torn=st.integers(0, 60),
)
def test_a_kill_at_any_moment_leaves_every_answer_once(
    tmp_path_factory: pytest.TempPathFactory, order: list[tuple[int, str]], moment: int, torn: int
) -> None:
    folder = folder_of(tmp_path_factory.mktemp("killed") / "r", 5)
    kept: set[int] = set()
    stored: list[int] = []
    with folder.writing(fake.session()) as journals:
        for number, act in order[:moment]:
            if act == "keep" and number not in stored:
                journals.answers.append(ungraded(RECORDS[number]))
                kept.add(number)
            elif act == "append":
                assert journals.records.append(RECORDS[number])
                stored.append(number)
        left = contents(folder)
    # As the process left it, with a line more that was being written to either file.
    line = (folder.path / "records.jsonl").read_bytes()[:torn].partition(b"\n")[0][:-1]
    for name, content in left.items():
        (folder.path / name).write_bytes(content + line)
    assert {record.question for record in folder.waiting()} == {
        RECORDS[number].question for number in kept - set(stored)
    }
    assert folder.kept() == {(RECORDS[number].question, 0) for number in kept | set(stored)}
    assert folder.finished == (len(stored) == 5)
    with folder.writing(fake.session()) as journals:
        for record in RECORDS[:5]:
            journals.records.append(record)
    assert sorted(record.question for record in folder.history()) == [each.question for each in RECORDS[:5]]
    assert [name for name in contents(folder) if name == "answers.jsonl"] == []


def test_after_a_failure_only_the_answer_of_a_later_call_waits(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "r", 3)
    later = {"started": "2026-11-21T13:00:00+00:00"}
    failed = [fake.record(each, "error") for each in fake.questions()[:2]]
    with folder.writing(fake.session()) as journals:
        for record in (*failed, RECORDS[2]):
            journals.records.append(record)
    with folder.writing(fake.session(), again=True) as journals:
        journals.answers.append(replace(ungraded(RECORDS[0]), **later))
        journals.answers.append(replace(ungraded(RECORDS[1]), **later))
        # Graded, and failing once more: the same call, which waits no longer.
        journals.records.append(replace(failed[1], **later))
    # A line of another call of a question whose record stands is no use.
    with (folder.path / "answers.jsonl").open("ab") as file:
        file.write((folder.path / "records.jsonl").read_bytes().splitlines(keepends=True)[2])
    assert [(record.question, record.started) for record in folder.waiting()] == [("q001", later["started"])]
    assert not folder.finished
    assert "answered but not graded yet: 1." in score_folder(folder).notes[-1]
    for again in (True, False):
        with folder.writing(fake.session(), again=again) as journals:
            assert journals.records.keys == {("q003", 0), *([] if again else [("q002", 0)])}
    with folder.writing(fake.session()) as journals:
        journals.records.append(replace(RECORDS[0], **later))
    assert RunFolder.open(folder.path).finished
    assert [record.status for record in folder.records()] == ["ok", "error", "ok"]


def test_whoever_comes_after_the_end_touches_no_file(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "r")
    with folder.writing(fake.session()) as journals:
        journals.answers.append(ungraded(RECORDS[0]))
    # Their numbers are those of the handles that were just closed.
    others = [os.open(tmp_path / f"other-{number}", os.O_RDWR | os.O_CREAT) for number in range(8)]
    for handle in others:
        os.write(handle, b"mine")
    before = contents(folder)
    assert not journals.answers.append(ungraded(RECORDS[1]))
    assert not journals.records.append(RECORDS[0])
    assert [path.read_bytes() for path in tmp_path.glob("other-*")] == [b"mine"] * 8
    assert contents(folder) == before
    for handle in others:
        os.close(handle)


def test_answers_that_wait_are_read_one_at_a_time(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "r")
    with folder.writing(fake.session()) as journals:
        for record in RECORDS:
            journals.answers.append(replace(ungraded(record), answer=Answer(text="x" * 50_000)))
        # One waits all the time, so the file is never emptied.
        for record in RECORDS[1:]:
            journals.records.append(record)
    assert (folder.path / "answers.jsonl").stat().st_size > 6_000_000
    tracemalloc.start()
    try:
        waiting = [record.question for record in folder.waiting()]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert waiting == ["q001"]
    assert peak < 1_000_000


# -- in a run


class Gate(Keywords):
    """A grader that waits until it is let go on."""

    def __init__(self) -> None:
        self.opened = threading.Event()

    def read(self, *arguments: Any) -> Any:
        self.opened.wait(PATIENCE)
        return super().read(*arguments)


class Bed:
    """A run of questions whose calls take long enough to be graded apart."""

    def __init__(self, path: Path, n: int, grader: Any = None, cost: float | None = None) -> None:
        self.calls: Counter[str] = Counter()
        asked = tuple(question(number) for number in range(n))
        self.questions: tuple[Question, ...] = asked

        def answer(question: str, passages: list[Passage]) -> Answer:
            self.calls[question] += 1
            time.sleep(0.008)
            return Answer(text=plain(question, passages), usage=Usage(cost=cost))

        self.settings = fake.settings(questions=n)
        self.folder = RunFolder.create(path, fake.run(settings=self.settings), asked)
        self._answer = answer
        self.grader = grader

    def ask(self, on_progress: Callable[..., None] | None = None, **wishes: Any) -> Any:
        runner = runner_of(self._answer, asked=self.questions, grader=self.grader)
        context = RunContext(runner, runner.grading, self.settings)
        wanted = RunConfig(concurrency=4, **wishes)
        return ask_all(context, wanted, self.folder, lambda text: None, on_progress=on_progress)

    def finish(self) -> list[Record]:
        """Continue with a grader that works; returns the records, each once, in order."""
        before = Counter(self.calls)
        kept = {name for name, _ in self.folder.kept()}
        self.grader = None
        self.ask()
        asked_now = {each.id for each in self.questions if self.calls[each.text] > before[each.text]}
        assert asked_now == {each.id for each in self.questions} - kept
        records = sorted(self.folder.records(), key=lambda record: record.question)
        assert [record.question for record in records] == [each.id for each in self.questions]
        superseded: list[Call] = []
        assert len(list(self.folder.records(superseded))) == len(records)
        assert superseded == []
        assert "answers.jsonl" not in contents(self.folder)
        return untimed(records)


def undisturbed(path: Path, n: int) -> list[Record]:
    bed = Bed(path, n)
    bed.ask()
    return untimed(sorted(bed.folder.records(), key=lambda record: record.question))


def test_an_interrupt_while_answers_wait_asks_none_of_them_again(tmp_path: Path) -> None:
    gate = Gate()
    bed = Bed(tmp_path / "r", 40, gate)

    def interrupt(progress: object) -> None:
        if sum(bed.calls.values()) >= 12:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bed.ask(interrupt)
    waiting = list(bed.folder.waiting())
    assert 8 <= len(waiting) < 40
    # The grading thread goes on after the end: what it still does must not count.
    before = contents(bed.folder)
    gate.opened.set()
    time.sleep(0.1)
    assert contents(bed.folder) == before
    assert bed.finish() == undisturbed(tmp_path / "whole", 40)


def test_slow_grading_holds_up_no_call(tmp_path: Path) -> None:
    gate = Gate()
    bed = Bed(tmp_path / "r", 60, gate)
    asking = threading.Thread(target=bed.ask)
    asking.start()
    deadline = time.monotonic() + PATIENCE
    while len(list(bed.folder.waiting())) < 60 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert list(bed.folder.records()) == []
    assert len(bed.folder.kept()) == 60
    gate.opened.set()
    asking.join(PATIENCE)
    assert len(list(bed.folder.records())) == 60
    assert bed.finish() == undisturbed(tmp_path / "whole", 60)


def test_long_calls_are_graded_while_others_are_under_way(tmp_path: Path) -> None:
    graded: list[int] = []

    def watch(progress: Progress) -> None:
        if progress.answered < progress.total:
            graded.append(progress.graded)

    Bed(tmp_path / "r", 120).ask(watch)
    assert max(graded) > 20


def test_grading_a_run_that_was_interrupted_grades_what_waits(tmp_path: Path) -> None:
    bed = Bed(tmp_path / "r", 20, Breaking())
    with pytest.raises(SystemExit):
        bed.ask()
    answered = bed.folder.kept()
    assert bed.folder.answered() == set()
    folder, _ = regrade(bed.folder, runner_of(plain, asked=bed.questions).grading)
    assert folder.answered() == answered
    assert "answers.jsonl" not in contents(folder)
    assert bed.finish() == undisturbed(tmp_path / "whole", 20)


def test_an_answer_that_waits_is_paid_for(tmp_path: Path) -> None:
    gate = Gate()
    bed = Bed(tmp_path / "r", 60, gate, cost=0.1)
    ended: list[Any] = []
    asking = threading.Thread(target=lambda: ended.append(bed.ask(max_cost=1.0)))
    asking.start()
    time.sleep(0.4)
    assert sum(bed.calls.values()) == 10
    gate.opened.set()
    asking.join(PATIENCE)
    assert ended[0].reason == "--max-cost 1 is used up ($1 spent)"
    assert len(list(bed.folder.records())) == 10


def test_an_answer_that_waits_is_not_given_up(tmp_path: Path) -> None:
    gate = Gate()
    bed = Bed(tmp_path / "r", 12, gate)
    threading.Timer(0.5, gate.opened.set).start()
    assert bed.ask(timeout=0.1).given_up == 0
    assert {record.status for record in bed.folder.records()} == {"ok"}


@pytest.mark.parametrize("name", ["answers.jsonl", "records.jsonl"])
def test_a_disk_that_is_full_ends_the_run_and_keeps_what_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    bed = Bed(tmp_path / "r", 40)
    write = os.write

    def limited(handle: int, content: bytes) -> int:
        here = os.fstat(handle)
        path = bed.folder.path / name
        if path.exists() and here.st_ino == path.stat().st_ino and sum(bed.calls.values()) > 20:
            # A part fits, then nothing more.
            if len(content) < 100:
                raise OSError(28, "No space left on device")
            return write(handle, content[: len(content) - 50])
        return write(handle, content)

    monkeypatch.setattr(os, "write", limited)
    with pytest.raises(StorageError, match="No space left on device"):
        bed.ask()
    monkeypatch.setattr(os, "write", write)
    assert all(content.endswith(b"\n") for content in contents(bed.folder).values() if content)
    assert 10 <= len(bed.folder.kept()) <= 30
    assert bed.finish() == undisturbed(tmp_path / "whole", 40)


class Breaking(Keywords):
    """A grader that ends the interpreter instead of grading, as no exception of its own would."""

    def read(self, *arguments: Any) -> Any:
        raise SystemExit("no more")


def test_a_grader_that_breaks_the_harness_loses_no_answer(tmp_path: Path) -> None:
    bed = Bed(tmp_path / "r", 20, Breaking())
    with pytest.raises(SystemExit):
        bed.ask()
    assert len(list(bed.folder.waiting())) >= 1
    assert bed.finish() == undisturbed(tmp_path / "whole", 20)


def test_a_torn_answer_is_asked_again(tmp_path: Path) -> None:
    bed = Bed(tmp_path / "r", 20, Breaking())
    with pytest.raises(SystemExit):
        bed.ask()
    path = bed.folder.path / "answers.jsonl"
    waiting = len(list(bed.folder.waiting()))
    path.write_bytes(path.read_bytes()[:-40])
    assert len(list(bed.folder.waiting())) == waiting - 1
    assert bed.finish() == undisturbed(tmp_path / "whole", 20)
