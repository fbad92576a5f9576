"""Asking: every question once, whatever pipelines, retrievers and graders do."""

from __future__ import annotations

import asyncio
import os
import threading
import time
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

import run_fakes as fake
from ragharness.corpus.loading import Corpus
from ragharness.corpus.passages import EvidenceIndex, PassageSet, build_passages
from ragharness.errors import RunNotUsable, StorageError
from ragharness.pipelines import Pipeline
from ragharness.pipelines._own import signature_of
from ragharness.pipelines.adapters import is_async
from ragharness.questions.questionset import QuestionSet
from ragharness.records import Answer, Document, Evidence, Hit, Passage, Question, Reading, Record
from ragharness.runner.execution import Threads, _Load, execute
from ragharness.runner.grading import GradingContext, came_out, grading_context
from ragharness.runner.limits import describe
from ragharness.runner.run_folder import RunFolder
from ragharness.runner.scheduler import QuestionRunner

TEXT = "The term is two years after the date of signing. Each party keeps the information secret for good."
CORPUS = Corpus(
    "made-up",
    "",
    (
        Document(id="d1", title="First Deed", text=TEXT, segments=((0, 48), (49, 98))),
        Document(id="d2", title="Second Deed", text=TEXT.replace("two", "three")),
    ),
)
PASSAGES = build_passages(CORPUS.documents, 10)


class InOrder:
    """A retriever that returns the first passages of the corpus, whatever is asked."""

    name = "in-order"

    def __init__(self, passages: PassageSet = PASSAGES, score: float = 1.0) -> None:
        self.settings: dict[str, str | int | float] = {}
        self._passages = passages
        self._score = score

    def retrieve(self, query: str, k: int, question: Question | None = None) -> list[Hit]:
        return [Hit(passage, self._score) for passage in self._passages.passages[:k]]


class Keywords:
    """A grader that reads REFUSE as a refusal and everything else as the right answer."""

    name = "keywords"
    version = "1"

    def read(
        self, question: Question, answer: Answer, retrieved: Sequence[Passage], supporting: frozenset[str]
    ) -> Reading:
        if "BREAK" in answer.text:
            raise ZeroDivisionError("no way to read this")
        refusal = "REFUSE" in answer.text
        return Reading(
            refusal=refusal,
            committed=not refusal,
            match="none" if refusal else "match",
            evidence_retrieved=bool(supporting),
            any_valid_support=bool(supporting),
        )


def question(number: int, **changes: Any) -> Question:
    values: dict[str, Any] = {
        "id": f"q{number:03d}",
        "text": f"How long is the term, version {number}?",
        "stratum": "grounded",
        "target": "correct",
        "kind": "text",
        "answerable": True,
        "document": "d1",
        "answers": ("two years",),
        "evidence": (Evidence("d1", 0, 48),),
    }
    return Question(**{**values, **changes})


def grading_of(asked: Sequence[Question], grader: Any = None) -> GradingContext:
    questions = QuestionSet("made-up", "", "", 0, len(asked), tuple(asked))
    return GradingContext(CORPUS, questions, PASSAGES, EvidenceIndex(CORPUS), grader or Keywords())


def runner_of(
    function: Callable[..., object],
    retriever: Any = None,
    k: int = 2,
    asked: Sequence[Question] = (),
    grader: Any = None,
) -> QuestionRunner:
    pipeline = Pipeline(
        function,
        "t",
        spec="t:t",
        fingerprint="f",
        is_async=is_async(function),
        signature=signature_of(function, "t:t"),
    )
    return QuestionRunner(
        pipeline, retriever or InOrder(), grading_of(asked or [question(i) for i in range(100)], grader), k
    )


def ask(
    function: Callable[..., object], questions: int | list[Question] = 12, *, k: int = 2, **options: Any
) -> list[Record]:
    """Return the records of a whole run, in the order of the questions."""
    asked = [question(i) for i in range(questions)] if isinstance(questions, int) else questions
    answers: list[Record] = []
    parts = {name: options.pop(name) for name in ("retriever", "grader") if name in options}
    runner = runner_of(function, k=k, asked=asked, **parts)
    execute([(each, 0) for each in asked], runner, answers.append, **options)
    records = list(map(runner.grading.graded, answers))
    assert sorted(record.question for record in records) == [each.id for each in asked]
    return sorted(records, key=lambda record: record.question)


def untimed(records: list[Record]) -> list[Record]:
    return [msgspec.structs.replace(record, seconds=0.0, started="") for record in records]


def plain(question: str, passages: list[Passage]) -> str:
    return f"{question} It is two years [{passages[0].id}]."


async def asynchronous(question: str, passages: list[Passage]) -> str:
    await asyncio.sleep(0)
    return plain(question, passages)


# -- order and equality


@pytest.mark.parametrize("function", [plain, asynchronous])
@pytest.mark.parametrize("concurrency", [1, 8, 500])
def test_the_records_are_the_same_whatever_the_concurrency(
    function: Callable[..., object], concurrency: int
) -> None:
    records = ask(function, 40, concurrency=concurrency)
    assert untimed(records) == untimed(ask(plain, 40, concurrency=1))
    assert {record.status for record in records} == {"ok"}
    assert records[0].verdict
    assert records[0].verdict.bucket == "correct"
    assert [hit.id for hit in records[0].retrieved] == ["d1#1", "d1#2"]
    assert (records[0].evidence_ranks, records[0].document_rank) == ((1,), 1)


def test_no_question_is_no_work() -> None:
    assert ask(plain, 0) == []


# -- what pipelines do


class Stop(BaseException):
    """Not an Exception, like SystemExit."""


class UnprintableError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("not even this")


class LeavingError(Exception):
    @property
    def status_code(self) -> int:
        raise KeyboardInterrupt

    def __str__(self) -> str:
        raise SystemExit(7)


class Lazy:
    """An answer or an exception's status that comes when it is read, or never."""

    def __get__(self, owner: object, kind: type) -> str:
        time.sleep(60)
        return "late"


class Streamed:
    text = Lazy()


class StreamedError(Exception):
    status_code = Lazy()


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (ValueError("bad [c1#3]"), "ValueError", "bad [c1#3]"),
        (SystemExit(3), "SystemExit", "3"),
        (KeyboardInterrupt(), "KeyboardInterrupt", ""),
        (Stop("now"), "Stop", "now"),
        (UnprintableError(), "UnprintableError", "(its message cannot be read)"),
        (LeavingError(), "LeavingError", "(its message cannot be read)"),
        (RuntimeError("\ud800 lone"), "RuntimeError", "? lone"),
        (GeneratorExit(), "GeneratorExit", ""),
        (RuntimeError("x" * 5000), "RuntimeError", "x" * 2000),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else None,
)
@pytest.mark.parametrize("is_coroutine", [False, True])
def test_whatever_is_raised_is_recorded(
    error: BaseException, kind: str, message: str, is_coroutine: bool
) -> None:
    def fail(question: str, passages: list[Passage]) -> str:
        if "version 3?" in question:
            raise error
        return plain(question, passages)

    async def fail_later(question: str, passages: list[Passage]) -> str:
        await asyncio.sleep(0)
        return fail(question, passages)

    records = ask(fail_later if is_coroutine else fail, 6, concurrency=2)
    failure = records[3].failure
    assert failure
    assert (failure.type, failure.message) == (kind, message)
    assert [record.status for record in records] == ["ok", "ok", "ok", "error", "ok", "ok"]
    assert len(records[3].retrieved) == 2
    msgspec.json.decode(msgspec.json.encode(records[3]), type=Record)


def test_a_task_that_the_pipeline_started_itself_may_exit() -> None:
    async def leave() -> None:
        raise SystemExit(1)

    async def answer(question: str, passages: list[Passage]) -> str:
        if "version 3?" in question:
            await asyncio.wait([asyncio.ensure_future(leave())], timeout=0.05)
        return plain(question, passages)

    records = ask(answer, 8, concurrency=2, timeout=5)
    assert {record.status for record in records} == {"ok"}


def test_a_pipeline_that_stops_the_loop_holds_up_nothing() -> None:
    async def answer(question: str, passages: list[Passage]) -> str:
        asyncio.get_running_loop().stop()
        await asyncio.sleep(0.01)
        return plain(question, passages)

    records = ask(answer, 8, concurrency=2, timeout=0.5)
    assert {record.status for record in records} == {"ok"}


def test_a_function_that_returns_a_coroutine_is_waited_for() -> None:
    def answer(question: str, passages: list[Passage]) -> object:
        return asynchronous(question, passages)

    assert untimed(ask(answer, 3)) == untimed(ask(plain, 3))


def test_asynchronous_answers_share_one_loop() -> None:
    loops: set[int] = set()
    gate: list[asyncio.Lock] = []

    async def answer(question: str, passages: list[Passage]) -> str:
        loops.add(id(asyncio.get_running_loop()))
        gate[:] = gate or [asyncio.Lock()]
        async with gate[0]:
            await asyncio.sleep(0.001)
        return plain(question, passages)

    assert {record.status for record in ask(answer, 20, concurrency=5)} == {"ok"}
    assert len(loops) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a process cannot be copied here")
@pytest.mark.parametrize("child", [SystemExit(0), ValueError("in the child"), None])
def test_a_copy_that_the_pipeline_forked_asks_nothing(tmp_path: Path, child: BaseException | None) -> None:
    calls = tmp_path / "calls"

    def answer(question: str, passages: list[Passage]) -> str:
        with calls.open("a") as file:
            file.write("called\n")
        time.sleep(0.005)
        if "version 3?" in question:
            if not (copy := os.fork()):
                if child:
                    raise child
                return "from the child"
            os.waitpid(copy, 0)
        return plain(question, passages)

    records = ask(answer, 40, concurrency=4)
    assert {record.status for record in records} == {"ok"}
    assert calls.read_text() == "called\n" * 40


# -- time


def test_where_there_is_no_room_for_threads_fewer_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Threads] = []
    spawn = Threads._spawn

    def limited(pool: Threads) -> None:
        if len(begun) >= 3:
            raise RuntimeError("can't start new thread")
        begun.append(pool)
        spawn(pool)

    def slow(question: str, passages: list[Passage]) -> str:
        time.sleep(0.02)
        return plain(question, passages)

    monkeypatch.setattr(Threads, "_spawn", limited)
    assert {record.status for record in ask(slow, 30, concurrency=16)} == {"ok"}
    assert len(begun) == 3


@pytest.mark.parametrize("raised", [False, True])
def test_the_clock_runs_while_what_came_back_is_read(raised: bool) -> None:
    def answer(question: str, passages: list[Passage]) -> object:
        if "version 3?" not in question:
            return plain(question, passages)
        if raised:
            raise StreamedError
        return Streamed()

    began = time.monotonic()
    records = ask(answer, 6, concurrency=2, timeout=0.3)
    assert [record.status for record in records] == ["ok", "ok", "ok", "timeout", "ok", "ok"]
    assert time.monotonic() - began < 20


def test_a_stuck_thread_is_given_up_and_its_late_answer_ignored() -> None:
    gate = threading.Event()
    late: list[str] = []

    def answer(question: str, passages: list[Passage]) -> str:
        if "version 1?" in question:
            gate.wait(30)
            late.append(question)
        return plain(question, passages)

    records: list[Record] = []
    asked = [(question(i), 0) for i in range(6)]
    given_up = execute(asked, runner_of(answer), records.append, concurrency=1, timeout=0.2)
    assert given_up == 1
    assert [record.question for record in records if record.failure] == ["q001"]
    stuck = next(record for record in records if record.status == "timeout")
    assert stuck.failure
    assert stuck.failure.message == "no answer after 0.2 s"
    assert 0.2 <= stuck.seconds < 2
    assert len(stuck.retrieved) == 2
    gate.set()
    while not late:
        time.sleep(0.01)
    time.sleep(0.05)
    assert len(records) == 6


@pytest.mark.parametrize("manner", ["waits", "swallows the cancellation", "blocks the loop"])
def test_a_stuck_task_is_given_up(manner: str) -> None:
    async def answer(question: str, passages: list[Passage]) -> str:
        if "version 1?" not in question:
            return plain(question, passages)
        if manner == "blocks the loop":
            time.sleep(2.5)  # noqa: ASYNC251 (the mistake that is tested)
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            if manner == "waits":
                raise
        return "too late"

    before = time.monotonic()
    records = ask(answer, 6, concurrency=2, timeout=0.3)
    assert time.monotonic() - before < 5
    assert records[1].status == "timeout"
    assert [record.status for record in records].count("ok") >= 4


def test_every_question_may_be_stuck() -> None:
    gate = threading.Event()

    def answer(question: str, passages: list[Passage]) -> str:
        gate.wait(30)
        return "late"

    assert {record.status for record in ask(answer, 5, concurrency=2, timeout=0.1)} == {"timeout"}
    gate.set()


# -- retrieval


NULL = {"stratum": "null_retrieval", "target": ""}


def test_null_retrieval_is_emptied_for_passages_and_for_retrieve() -> None:
    seen: list[int] = []

    def handed(question: str, passages: list[Passage]) -> str:
        seen.append(len(passages))
        return "REFUSE"

    def fetched(question: str, retrieve: Callable[[str, int], list[Passage]]) -> str:
        seen.append(len(retrieve(question, 3)))
        return "REFUSE"

    for function in (handed, fetched):
        (record,) = ask(function, [question(1, **NULL)])
        assert record.retrieved == ()
        assert record.evidence_ranks == (0,)
    assert seen == [0, 0]


def test_what_a_pipeline_retrieves_is_recorded_in_order_and_once() -> None:
    def answer(question: str, retrieve: Callable[..., list[Passage]]) -> str:
        retrieve("anything", 1)
        retrieve(question, 3)
        retrieve(question)
        return plain(question, retrieve(question, 1))

    (record,) = ask(answer, 1, k=2)
    assert [hit.id for hit in record.retrieved] == ["d1#1", "d1#2", "d2#1"]


@pytest.mark.parametrize("arguments", [(3, 1), ("q", "5"), ("q", 0), ("q", -1)])
def test_a_wrong_call_of_retrieve_fails_where_it_is_made(arguments: tuple[Any, Any]) -> None:
    def answer(question: str, retrieve: Callable[..., list[Passage]]) -> str:
        retrieve(*arguments)
        return "never"

    (record,) = ask(answer, 1)
    assert record.failure
    assert record.failure.type == "TypeError"
    assert "retrieve(query, k) takes a text and a number from 1" in record.failure.message


def test_a_failing_retriever_is_recorded() -> None:
    class Broken(InOrder):
        def retrieve(self, query: str, k: int, question: Question | None = None) -> list[Hit]:
            raise OSError("index gone")

    (record,) = ask(plain, 1, retriever=Broken())
    assert (record.status, record.seconds) == ("error", 0.0)


def test_a_score_that_is_no_number_leaves_the_record_readable() -> None:
    (record,) = ask(plain, 1, retriever=InOrder(score=float("nan")))
    assert msgspec.json.decode(msgspec.json.encode(record), type=Record) == record


def own(*passages: Passage) -> Record:
    def answer(question: str) -> Answer:
        return Answer(text="It is two years.", passages=passages)

    (record,) = ask(answer, 1)
    return record


def test_own_passages_are_scored_by_their_place_in_the_corpus() -> None:
    ours = PASSAGES.passages[0]
    assert own(ours).evidence_ranks == (1,)
    by_id = Passage(ours.id, "elsewhere", "x", 0, 0, "only the id is ours")
    assert own(by_id).evidence_ranks == (1,)
    quoted = Passage("mine-7", "d1", "x", 0, 60, TEXT[:60])
    record = own(Passage("other", "", "", 0, 0, "text"), quoted)
    assert record.evidence_ranks == (2,)
    assert [hit.id for hit in record.retrieved] == ["other", "mine-7"]


def test_a_passage_that_claims_a_place_that_it_does_not_quote_counts_nowhere() -> None:
    record = own(Passage("lie", "d1", "x", 0, 98, "The whole document, honestly."))
    assert record.evidence_ranks == (0,)
    assert record.verdict
    assert not record.verdict.evidence_retrieved
    assert "that the corpus does not hold, so that they support nothing: 1 of 1 (lie)" in record.problems[0]


# -- grading and storing


def test_a_grader_that_fails_is_named_and_the_answer_kept() -> None:
    (record,) = ask(lambda question, passages: "BREAK it", 1)
    assert record.status == "error"
    assert record.failure
    assert record.failure.type == "ZeroDivisionError in the grader keywords@1"
    assert record.answer == Answer(text="BREAK it")


@pytest.mark.parametrize("function", [plain, asynchronous])
def test_a_disk_that_refuses_stops_the_run(function: Callable[..., object]) -> None:
    kept: list[Record] = []

    def append(record: Record) -> None:
        if len(kept) == 3:
            raise StorageError("expected to write, found: full")
        kept.append(record)

    with pytest.raises(StorageError, match="full"):
        execute([(question(i), 0) for i in range(50)], runner_of(function), append, concurrency=2)
    assert len(kept) == 3


def test_grading_again_gives_the_same_verdicts_without_asking() -> None:
    asked = [question(1), question(2, **NULL), question(3), question(4)]

    def answer(question: str, passages: list[Passage]) -> str:
        if "version 3?" in question:
            raise ValueError("x")
        return "BREAK it" if "version 4?" in question else plain(question, [*passages, PASSAGES.passages[0]])

    records = ask(answer, asked)
    assert [came_out(record) for record in records] == ["correct", "unsupported", "error", "error"]
    assert list(map(grading_of(asked).graded, records)) == records


@pytest.mark.parametrize(
    ("corpus", "message", "help_text"),
    [
        ("sample", "the sample is part of ragharness and was changed since that run", "ragharness run"),
        ("contractnli", "expected contractnli in the state of the run r ", "--from PATH"),
    ],
)
def test_a_run_on_another_state_of_its_corpus_is_not_graded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, corpus: str, message: str, help_text: str
) -> None:
    changed = Corpus(corpus, "", CORPUS.documents)
    monkeypatch.setattr("ragharness.runner.grading.load_corpus", lambda *_, **__: changed)
    folder = RunFolder.create(tmp_path / "r", fake.run(settings=fake.settings(corpus=corpus)), [])
    with pytest.raises(RunNotUsable, match=message) as seen:
        grading_context(folder)
    assert help_text in seen.value.help


@pytest.mark.parametrize(("busy", "seconds", "expected"), [(False, 0.03, True), (True, 0.01, False)])
def test_other_work_waits_until_calls_leave_the_process_idle(
    monkeypatch: pytest.MonkeyPatch, busy: bool, seconds: float, expected: bool
) -> None:
    def answer(asked: str, passages: object) -> str:
        end = time.thread_time() + seconds
        while busy and time.thread_time() < end:
            pass
        time.sleep(0 if busy else seconds)
        return "two years"

    done: list[float] = []

    def work() -> bool:
        done.append(time.monotonic())
        return False

    # A machine that does other things, too, lets a busy process wait: it is idle only where it hardly works.
    monkeypatch.setattr("ragharness.runner.execution._IDLE", 0.05)
    monkeypatch.setattr("ragharness.runner.execution._TICK", 5.0)
    execute(
        [(question(i), 0) for i in range(8)], runner_of(answer), lambda _: None, concurrency=1, meanwhile=work
    )
    assert bool(done) is expected


@pytest.mark.parametrize(("seconds", "most"), [(0.0, 1), (0.02, 8)])
def test_other_threads_begin_once_calls_take_long(seconds: float, most: int) -> None:
    threads = set()

    def answer(asked: str, passages: list[Passage]) -> str:
        threads.add(threading.get_ident())
        if seconds:
            time.sleep(seconds)
        return plain(asked, passages)

    ask(answer, 40, concurrency=8)
    assert len(threads) == most


def test_the_load_is_that_of_other_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    spent = {"monotonic": 0.0, "process_time": 0.0, "thread_time": 0.0}
    for name in spent:
        monkeypatch.setattr(f"ragharness.runner.execution.time.{name}", lambda name=name: spent[name])
    load = _Load()
    spent.update(monotonic=1.0, process_time=0.9, thread_time=0.8)
    assert load.is_low()
    spent.update(monotonic=2.0, process_time=1.9)
    assert not load.is_low()
    spent.update(monotonic=2.001, thread_time=1.8)
    assert not load.is_low(), "found less than STEP ago"


def test_memory_stays_flat() -> None:
    def answer(question: str, passages: list[Passage]) -> str:
        return question + "x" * 300_000

    tracemalloc.start()
    try:
        execute([(question(i), 0) for i in range(100)], runner_of(answer), lambda record: None, concurrency=4)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 12_000_000


def test_secrets_stay_out_of_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-0123456789abcdef")
    monkeypatch.setenv("USE_TOKENS", "true")
    text = "401 for sk-0123456789abcdef at https://me:secret@host/x, it is true"
    assert describe(ValueError(text)).message == "401 for [SOME_API_KEY] at https://host/x, it is true"
