"""A run against a slow, flaky, rate-limited pipeline: attempts, rates, budgets, epochs, parts of the set."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import re
import threading
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import run_fakes as fake
from commands import pipeline
from ragharness.analysis.intervals import wilson
from ragharness.analysis.scoring import score
from ragharness.config import seconds_of
from ragharness.errors import AccessRefused, TemporaryFailure, UnknownName, UsageError
from ragharness.questions.questionset import QuestionSet
from ragharness.records import Answer, Failure, Record, Usage
from ragharness.runner.execution import execute
from ragharness.runner.limits import Limits
from ragharness.runner.run_folder import RunFolder
from ragharness.runner.run_search import find_run
from ragharness.runner.session import choose, in_fair_order
from ragharness.support.concurrency import Spending
from test_runner import plain, question, runner_of

if TYPE_CHECKING:
    from commands import Verb


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits between attempts are a hundredth of what they are."""
    monkeypatch.setattr("ragharness.support.http._FIRST_WAIT", 0.01)
    monkeypatch.setattr("ragharness.support.http._SPREAD", 0.01)


def both(answer: Callable[..., object]) -> list[Callable[..., object]]:
    """Return a pipeline as a plain and as an asynchronous function."""

    async def later(question: str, passages: Any) -> object:
        await asyncio.sleep(0)
        return answer(question, passages)

    def now(question: str, passages: Any) -> object:
        return answer(question, passages)

    return [now, later]


def ask(function: Callable[..., object], n: int = 8, **options: Any) -> list[Record]:
    """Return the records of a run, in the order of the questions."""
    answers: list[Record] = []
    runner = runner_of(function)
    execute([(question(i), 0) for i in range(n)], runner, answers.append, **options)
    return sorted(map(runner.grading.graded, answers), key=lambda record: record.question)


# -- retrieval


class Hanging:
    """A retriever that never finds anything for one question and something at once for all others."""

    name = "mine:search"
    waits = True

    def __init__(self, stuck: str) -> None:
        self.settings: dict[str, str | int | float] = {}
        self.released = threading.Event()
        self._stuck = stuck

    def retrieve(self, query: str, k: int, asked: Any = None) -> list[Any]:
        if query == self._stuck:
            self.released.wait(30)
        return []


@pytest.mark.parametrize("kind", [0, 1])
@pytest.mark.parametrize("workers", [1, 3])
def test_a_retriever_that_hangs_harms_its_own_question_only(kind: int, workers: int) -> None:
    called: list[str] = []

    def answer(question: str, passages: Any) -> str:
        called.append(question)
        return "I do not know."

    retriever = Hanging(question(2).text)
    asking = dataclasses.replace(runner_of(both(answer)[kind]), retriever=retriever)
    records: list[Record] = []
    begin = time.monotonic()
    jobs = [(question(i), 0) for i in range(6)]
    given_up = execute(jobs, asking, records.append, concurrency=workers, timeout=0.3)
    assert time.monotonic() - begin < 5
    retriever.released.set()
    time.sleep(0.1)
    assert given_up == 1
    found = {record.question: asking.grading.graded(record) for record in records}
    stuck = found.pop(question(2).id)
    assert stuck.status == "timeout"
    assert stuck.failure == Failure("TimeoutError", "the retriever mine:search found nothing after 0.3 s")
    assert {record.status for record in found.values()} == {"ok"}
    assert question(2).text not in called, "it was asked although its time was over"


def test_waiting_for_the_rate_is_not_on_the_clock() -> None:
    records = ask(
        lambda question, passages: "I do not know.",
        4,
        concurrency=4,
        timeout=0.2,
        limits=Limits(rpm=300),
    )
    assert [record.status for record in records] == ["ok"] * 4


# -- further attempts


@pytest.mark.usefixtures("quick")
def test_what_fails_in_passing_is_asked_again_and_every_attempt_is_counted() -> None:
    calls: Counter[str] = Counter()

    def answer(question: str, passages: Any) -> str:
        calls[question] += 1
        if "version 3?" in question and calls[question] < 4:
            raise TemporaryFailure("busy", retry_after=0.01)
        if "version 5?" in question:
            raise ConnectionResetError("cut")
        return plain(question, passages)

    for function in both(answer):
        calls.clear()
        records = ask(function, limits=Limits(retries=3))
        assert [record.attempts for record in records] == [1, 1, 1, 4, 1, 4, 1, 1]
        assert [record.status for record in records] == ["ok"] * 5 + ["error", "ok", "ok"]
        assert records[5].failure
        assert (records[5].failure.type, records[5].failure.message) == ("ConnectionResetError", "cut")
        assert len(records[3].retrieved) == 2
        assert sum(calls.values()) == 6 + 4 + 4


def test_no_retries_is_one_call() -> None:
    def answer(question: str, passages: Any) -> str:
        raise TemporaryFailure("busy")

    for function in both(answer):
        assert {record.attempts for record in ask(function, limits=Limits(retries=0))} == {1}


def test_whoever_waits_for_a_further_attempt_holds_nobody_up() -> None:
    calls: Counter[str] = Counter()
    done: list[float] = []

    def answer(question: str, passages: Any) -> str:
        calls[question] += 1
        if "version 0?" in question and calls[question] == 1:
            raise TemporaryFailure("busy", retry_after=0.6)
        done.append(time.monotonic())
        return plain(question, passages)

    for function in both(answer):
        calls.clear()
        done.clear()
        began = time.monotonic()
        ask(function, 30, concurrency=1)
        assert sum(moment - began < 0.5 for moment in done) == 29


def test_an_interrupt_does_not_wait_for_further_attempts() -> None:
    def answer(question: str, passages: Any) -> str:
        raise TemporaryFailure("busy", retry_after=100)

    def interrupt(progress: Any) -> None:
        if progress.repeated == 8:
            raise KeyboardInterrupt

    for function in both(answer):
        began = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            ask(function, on_progress=interrupt)
        assert time.monotonic() - began < 3


def test_a_longer_wait_than_is_sensible_is_cut_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragharness.support.http.LONGEST_WAIT", 0.05)
    monkeypatch.setattr("ragharness.runner.scheduler.LONGEST_WAIT", 0.05)
    said: list[str] = []
    calls: Counter[str] = Counter()

    def answer(question: str, passages: Any) -> str:
        calls[question] += 1
        if calls[question] == 1:
            raise TemporaryFailure("busy", retry_after=3600)
        time.sleep(0.1)
        return plain(question, passages)

    assert {record.attempts for record in ask(answer, 2, say=said.append)} == {2}
    assert said == ["the service asks to wait 3600 s: it is waited for 0 s"]


@pytest.mark.parametrize("kind", [0, 1])
def test_refused_credentials_stop_the_run_at_once_and_what_is_answered_stays(kind: int) -> None:
    calls: list[str] = []

    def answer(question: str, passages: Any) -> str:
        calls.append(question)
        if len(calls) > 5:
            raise AccessRefused("expected a valid key, found none")
        return plain(question, passages)

    records: list[Record] = []
    with pytest.raises(AccessRefused, match="expected a valid key"):
        execute(
            [(question(i), 0) for i in range(100)],
            runner_of(both(answer)[kind]),
            records.append,
            concurrency=2,
        )
    assert len(records) == 5
    assert len(calls) <= 7
    assert not any(record.failure for record in records)


# -- what is known already


def test_an_answer_that_is_known_costs_no_call_no_rate_and_no_budget() -> None:
    def answer(question: str, passages: Any) -> str:
        raise TemporaryFailure("nobody is there")

    known = Answer(text="It is two years [d1#1].", usage=Usage(cost=100.0, from_cache=True))
    for function in both(answer):
        asking = runner_of(function)
        recalling = dataclasses.replace(asking.pipeline, recall=lambda question, passages: known)
        asking = dataclasses.replace(asking, pipeline=recalling)
        records: list[Record] = []
        began = time.monotonic()
        limits = Limits(rpm=1, spending=Spending(0.5))
        execute([(question(i), 0) for i in range(20)], asking, records.append, limits=limits)
        assert time.monotonic() - began < 2
        assert {(record.status, record.attempts, record.seconds) for record in records} == {
            ("needs_review", 0, 0.0)
        }
        assert limits.reason == ""
        assert all(record.started and len(record.retrieved) == 2 for record in records)


# -- rates and budgets


@pytest.mark.parametrize("kind", [0, 1])
def test_the_rate_holds_over_all_workers_and_is_even(kind: int) -> None:
    calls: list[float] = []

    def answer(question: str, passages: Any) -> str:
        calls.append(time.monotonic())
        return plain(question, passages)

    ask(both(answer)[kind], 20, concurrency=8, limits=Limits(rpm=1200))
    assert calls[-1] - calls[0] >= 19 * 0.05 - 0.01
    assert calls[-1] - calls[0] < 19 * 0.05 + 0.5
    assert max(Counter(int(20 * (call - calls[0])) for call in calls).values()) <= 3


@pytest.mark.usefixtures("quick")
def test_further_attempts_count_against_the_rate() -> None:
    def answer(question: str, passages: Any) -> str:
        raise TemporaryFailure("busy")

    began = time.monotonic()
    ask(answer, 4, limits=Limits(rpm=1200, retries=3))
    assert time.monotonic() - began >= 15 * 0.05 - 0.01


def paid(cost: float | None) -> Callable[..., object]:
    """Return a pipeline whose answers cost that."""

    def answer(question: str, passages: Any) -> Answer:
        time.sleep(0.01)
        return Answer(text=plain(question, passages), usage=Usage(cost=cost))

    return answer


@pytest.mark.parametrize("kind", [0, 1])
@pytest.mark.parametrize("workers", [1, 4])
def test_a_budget_stops_the_run_and_keeps_what_was_paid_for(kind: int, workers: int) -> None:
    limits = Limits(spending=Spending(1.0))
    records = ask(both(paid(0.1))[kind], 50, concurrency=workers, limits=limits)
    assert len(records) == 10
    assert limits.reason == "--max-cost 1 is used up ($1 spent)"
    assert {record.status for record in records} == {"ok"}
    spent = Limits(spending=Spending(1.0, 1.0))
    assert ask(both(paid(0.1))[kind], 50, limits=spent) == []
    assert spent.reason


def test_an_unknown_cost_cannot_be_kept_within_a_budget() -> None:
    with pytest.raises(UsageError, match="expected every answer to report its cost because of --max-cost"):
        ask(paid(None), 50, concurrency=1, limits=Limits(spending=Spending(1.0)))
    assert len(ask(paid(None), 5)) == 5


@pytest.mark.parametrize("kind", [0, 1])
def test_time_is_up_for_new_calls_and_those_under_way_are_kept(kind: int) -> None:
    started = threading.Semaphore(0)

    async def slow(question: str, passages: Any) -> str:
        started.release()
        await asyncio.sleep(0.4)
        return plain(question, passages)

    def slowly(question: str, passages: Any) -> str:
        started.release()
        time.sleep(0.4)
        return plain(question, passages)

    limits = Limits(max_time=0.2)
    began = time.monotonic()
    records = ask((slow, slowly)[kind], 50, concurrency=4, limits=limits)
    assert time.monotonic() - began < 2
    assert {record.status for record in records} == {"ok"}
    calls = 0
    while started.acquire(blocking=False):
        calls += 1
    assert 4 <= calls == len(records)
    assert limits.reason == "--max-time 0.2s is over"


@pytest.mark.parametrize(("text", "seconds"), [("90", 90), ("90s", 90), ("30m", 1800), ("1.5h", 5400)])
def test_times_are_read(text: str, seconds: float) -> None:
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["", "soon", "-3", "0", "1h30m", "inf"])
def test_other_times_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--max-time is written as 90s, 30m or 2h"):
        seconds_of(text)


# -- parts of the set


SET = QuestionSet("made-up", "", "", 0, 130, tuple(fake.questions()))


@given(st.integers(1, 140), st.integers(0, 5))
def test_a_sample_keeps_the_proportions_and_holds_every_smaller_one(n: int, seed: int) -> None:
    chosen = choose(SET, limit=n, seed=seed).questions
    assert len(chosen) == min(n, 130)
    assert [each.id for each in chosen] == sorted(each.id for each in chosen)
    smaller = in_fair_order(SET.questions, seed)[: n - 1]
    assert {each.id for each in chosen} >= {each.id for each in smaller}
    for row, total in Counter(each.row for each in SET.questions).items():
        assert abs(sum(each.row == row for each in chosen) - min(n, 130) * total / 130) < 1.5


def test_another_sample_seed_takes_other_questions_and_the_same_takes_the_same() -> None:
    first, second = (choose(SET, limit=20, seed=seed).hash for seed in (1, 2))
    assert first != second
    assert first == choose(SET, limit=20, seed=1).hash
    assert choose(SET) is SET


def test_questions_are_taken_by_name_and_wrong_names_answered_with_the_nearest() -> None:
    assert [each.id for each in choose(SET, ["q009, q002", "q004"]).questions] == ["q002", "q004", "q009"]
    assert [each.id for each in choose(SET, ["q009"], limit=5).questions] == ["q009"]
    with pytest.raises(UnknownName, match="no question is named 'q0002'; did you mean q002"):
        choose(SET, ["q001,q0002"])
    with pytest.raises(UsageError, match="found none"):
        choose(SET, [" , "])


# -- epochs


def test_epochs_are_counted_by_answer_and_their_intervals_by_question() -> None:
    asked = fake.questions()
    records = []
    for epoch in range(3):
        for number, each in enumerate(asked):
            outcome = "refused" if each.wanted == "refused" else "correct"
            changed = outcome if number % 13 or epoch != 1 else "wrong"
            record = fake.record(each, changed)
            records.append(replace(record, epoch=epoch))
    run = fake.run(settings=fake.settings(epochs=3))
    result = score(run, [fake.session()], asked, records, name="r")
    assert (result.questions, result.asked, result.ungraded) == (390, 390, 0)
    assert result.buckets["wrong"] == 10
    assert result.references.best_possible == 390
    assert result.references.refuse == 210
    assert (result.desired.total.count, result.desired.total.n) == (380, 390)
    assert (result.desired.total.low, result.desired.total.high) == wilson(380 / 3, 130)
    assert result.stability
    assert (result.stability.same_bucket.count, result.stability.same_bucket.n) == (120, 130)
    assert result.stability.ever_desired.count == 130
    assert len(result.misses) == 10
    once = score(fake.run(), [fake.session()], asked, [each for each in records if each.epoch == 0], name="r")
    assert once.stability is None
    missing = score(run, [fake.session()], asked, records[:-1], name="r")
    assert (missing.ungraded, missing.statuses["not_asked"]) == (1, 1)
    assert missing.stability
    assert missing.stability.same_bucket.count == 119


def test_scores_of_many_records_do_not_hold_their_texts() -> None:
    asked = fake.questions()

    def records() -> Iterator[Record]:
        for epoch in range(40):
            for each in asked:
                record = fake.record(each, "refused", why="y" * 5_000)
                yield replace(record, epoch=epoch, answer=Answer(text="x" * 20_000 + str(epoch)))

    tracemalloc.start()
    try:
        result = score(fake.run(settings=fake.settings(epochs=40)), [], asked, records(), name="r")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert result.asked == 5200
    assert peak < 10_000_000  # the texts are 130 MB


# -- the command


FLAKY = """
from pathlib import Path

def answer(question, passages):
    if Path("down").exists() and len(question) % 3 == 0:
        raise ValueError("down")
    return {"text": "I could not find that.", "usage": {"cost": 0.01}}
"""


def test_failed_questions_are_asked_again_and_their_failures_stay_on_disk(tmp_path: Path, verb: Verb) -> None:
    spec = pipeline(tmp_path, FLAKY)
    (tmp_path / "down").touch()
    first = json.loads(verb("run", "--pipeline", spec, "--json").output)
    failed = first["statuses"]["error"]
    assert failed > 20
    (folder,) = (tmp_path / "runs").glob("2*")
    before = (folder / "records.jsonl").read_bytes()
    (tmp_path / "down").unlink()
    done = verb("run", "--pipeline", spec, "--retry-errors", "--json")
    again = json.loads(done.output)
    assert f"130 of 130 are answered ({failed} failed)" in done.errors
    assert (again["questions"], again["asked"], again["statuses"]["error"]) == (130, 130, 0)
    assert again["buckets"]["refused"] == 130
    assert f"asked again after a failure (--retry-errors): {failed}." in again["notes"][-1]
    after = (folder / "records.jsonl").read_bytes()
    assert after.startswith(before)
    assert after.count(b"\n") == 130 + failed
    run = RunFolder.open(folder)
    assert len(list(run.records())) == len({record.question for record in run.records()}) == 130
    assert run.sessions()[-1].asked_again == failed
    assert verb("grade").code == 0
    assert (folder / "records.jsonl").read_bytes() == after
    other = verb("run", "--pipeline", spec, "--retry-errors", "--limit", "7")
    assert "starting a new one" in other.errors


def test_a_budget_ends_a_run_in_order_and_a_larger_one_continues_it(tmp_path: Path, verb: Verb) -> None:
    spec = pipeline(tmp_path, FLAKY)
    done = verb("run", "--pipeline", spec, "--max-cost", "0.5", "--concurrency", "1")
    assert done.code == 2
    assert "50 graded, 80 not asked" in done.output
    assert (
        "stopped: --max-cost 0.5 is used up ($0.5 spent); 50 of 130 are answered and kept in" in done.errors
    )
    assert f"continue with: ragharness run --pipeline {spec} --max-cost 1 --concurrency 1" in done.errors
    quiet = verb("run", "--pipeline", spec, "--max-cost", "0.5", "--strict", "--quiet")
    assert quiet.code == 2
    assert "50 of 130 are answered and kept in" in quiet.errors
    assert "continue with: ragharness run" in quiet.errors
    (folder,) = (tmp_path / "runs").glob("2*")
    assert len(list(RunFolder.open(folder).records())) == 50
    done = verb("run", "--pipeline", spec)
    assert "continuing" in done.errors
    assert "130 graded" in done.output


def test_epochs_tags_and_a_part_of_the_set_together(tmp_path: Path, verb: Verb) -> None:
    options = ("run", "--pipeline", "refuse", "--limit", "13", "--epochs", "3", "--tag", "a b", "--tag", "c")
    done = verb(*options)
    assert "13 questions x 3 epochs" in done.output
    assert "[a b, c]" in done.output
    assert re.search(r"same bucket       13/13 \[.*\] questions graded alike in all 3 epochs", done.output)
    (folder,) = (tmp_path / "runs").glob("2*")
    assert folder.name.endswith("_sample_refuse_fields_a-b_c")
    records = list(RunFolder.open(folder).records())
    assert Counter(record.epoch for record in records) == {0: 13, 1: 13, 2: 13}
    whole = (folder / "records.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "records.jsonl").write_bytes(b"".join(whole[:20]))
    errors = verb(*options).errors
    assert "20 of 39 are answered in 3 epochs" in errors
    assert "--tag late is not added" in verb(*options, "--tag", "late", "--out", str(folder)).errors
    shown = verb("show", records[0].question).output
    assert [f"epoch {number} of 3" in shown for number in (1, 2, 3, 4)] == [True, True, True, False]
    assert len((folder / "records.jsonl").read_bytes().splitlines()) == 39
    assert "epochs 2 instead of 3" in verb(*options, "--epochs", "2", "--out", str(folder)).errors


def test_a_tag_names_the_run_that_is_meant(tmp_path: Path, verb: Verb) -> None:
    options = ("run", "--pipeline", "refuse", "--limit", "13")
    verb(*options, "--tag", "mt")
    (first,) = (tmp_path / "runs").glob("2*")
    (first / "records.jsonl").unlink()
    assert "continuing" not in verb(*options, "--tag", "ref").errors
    (second,) = set((tmp_path / "runs").glob("2*")) - {first}
    assert "continuing" in verb(*options, "--tag", "mt").errors
    assert find_run("ref", tmp_path / "runs").path.resolve() == second.resolve(), "each is of refuse"


def test_refused_credentials_are_one_sentence(tmp_path: Path, verb: Verb) -> None:
    spec = pipeline(
        tmp_path,
        """
        class Unauthorized(Exception):
            status_code = 401

        def answer(question, passages):
            raise Unauthorized("no such key")
        """,
    )
    done = verb("run", "--pipeline", spec)
    assert (done.code, done.output) == (3, "")
    assert done.errors.startswith(
        "error: expected the pipeline's service to accept the credentials, found 401 (Unauthorized: no such"
        " key); 0 of 130 are answered and kept in runs/"
    )
    assert f"help:  correct the key, then: ragharness run --pipeline {spec}\n" in done.errors


def test_short_options_are_settings_of_the_pipeline(tmp_path: Path, verb: Verb) -> None:
    done = verb("run", "--pipeline", "refuse", "--model", "m")
    assert done.code == 3
    assert "takes no settings such as --pipeline-option model=" in done.errors
    done = verb("run", "--pipeline", "refuse", "--no-cache")
    assert "takes no settings such as --pipeline-option cache=" in done.errors


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--epochs", "0"], "--epochs must be at least 1, not 0"),
        (["--limit", "-1"], "--limit must be at least 0, not -1"),
        (["--retries", "-1"], "--retries must be at least 0, not -1"),
        (["--rpm", "0"], "--rpm must be a number above 0, not 0"),
        (["--max-cost", "nan"], "--max-cost must be a number above 0, not nan"),
        (["--max-time", "soon"], "--max-time is written as 90s, 30m or 2h, not 'soon'"),
        (["--only", "q1"], "no question is named 'q1'"),
        (["--isolate"], "expected your own pipeline, module:name or file.py:name, with --isolate"),
    ],
)
def test_a_mistake_is_a_sentence(verb: Verb, arguments: list[str], sentence: str) -> None:
    done = verb("run", *arguments)
    assert (done.code, done.output) == (3, "")
    assert done.errors.startswith("error: ")
    assert sentence in done.errors


def test_a_budget_that_cannot_be_kept_says_what_is_kept(tmp_path: Path, verb: Verb) -> None:
    (tmp_path / "free.py").write_text("def answer(question, passages):\n    return 'I do not know.'\n")
    done = verb("run", "--pipeline", "free.py:answer", "--max-cost", "1", "--concurrency", "1", "--quiet")
    assert done.code == 3
    said = " ".join(done.errors.split())
    assert "found that the one to q022 does not" in said
    assert "1 of 130 are answered and kept in runs/" in said
    assert "then: ragharness run --pipeline free.py:answer --max-cost 1" in said


def test_names_that_are_no_folder_names(tmp_path: Path, verb: Verb) -> None:
    short = ("run", "--pipeline", "refuse", "--limit", "1", "--fresh", "--tag")
    assert "--tag needs a name that is not empty" in verb(*short, "").errors
    assert [verb(*short, tag).code for tag in ("\u00fcber", "\u6771\u4eac")] == [0, 0]
    ends = {folder.name.partition("_")[2] for folder in (tmp_path / "runs").glob("2*")}
    assert {end.removesuffix("_2") for end in ends} == {"sample_refuse_fields_uber", "sample_refuse_fields"}


def test_of_many_runs_the_newest_are_named(tmp_path: Path) -> None:
    for number in range(20):
        created = f"2026-11-21T12:00:{number:02}+00:00"
        run = fake.run(created=created, settings=fake.settings(questions=1))
        RunFolder.create(tmp_path / f"run{number:02}", run, fake.questions()[:1])
    newest = "run19, run18, run17, run16, run15, run14, run13, run12 and 12 more"
    for name in ("run", "nosuch"):
        with pytest.raises(UsageError, match=newest):
            find_run(name, tmp_path)


def test_any_beginning_of_a_run_is_a_fair_sample(tmp_path: Path, verb: Verb) -> None:
    spec = pipeline(tmp_path, "def answer(question, passages):\n    return 'I could not find it.'\n")
    verb("run", "--pipeline", spec, "--concurrency", "1", "--out", "r")
    rows = [record.row for record in RunFolder.open(tmp_path / "r").history()]
    for n in (13, 26, 65):
        counts = Counter(rows[:n])
        for row, all_of in Counter(rows).items():
            assert abs(counts[row] - n * all_of / 130) <= 1, (n, row)
