"""Attempts at questions: which one is next, how it is made, read and recorded, and when a run ends."""

from __future__ import annotations

import math
import os
import random
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from heapq import heappop, heappush
from threading import Event, Lock, RLock
from typing import Any, NamedTuple

from ragharness.corpus.alignment import alignment_notices
from ragharness.corpus.passages import ENOUGH
from ragharness.errors import AccessRefused, RagharnessError
from ragharness.pipelines import Pipeline, read_answer
from ragharness.records import Answer, Evidence, Failure, Hit, Passage, Question, Record, Retrieved, Status
from ragharness.retrievers import Retriever
from ragharness.runner.grading import GradingContext
from ragharness.runner.limits import Limits, Passing, Progress, describe, judge
from ragharness.support.http import LONGEST_WAIT, backoff
from ragharness.support.messages import error_line

Job = tuple[Question, int]

STEP = 0.004  # seconds between two checks whether calls take long, and after which one may


def end_copy(home: int, error: BaseException | None) -> None:
    """End this process, as Python would, if it is a copy that the pipeline forked of the one of that number.

    It would go on asking the same questions into the same files.
    """
    if os.getpid() != home:
        status = error.code if isinstance(error, SystemExit) else error and 1
        os._exit(status & 0xFF if isinstance(status, int) else int(status is not None))


@dataclass(eq=False)
class Attempt:
    """One attempt at a question, settled by its worker or by the time limit, never by both."""

    question: Question
    epoch: int = 0
    number: int = 1  # from 1; 0: a cached answer
    handed: list[Hit] | None = None  # retrieved before the first call; None: nothing yet
    watched: float = 0.0  # monotonic time when the time limit started; 0.0: not started
    began: float = 0.0  # monotonic time of the pipeline's call; 0.0: not called yet
    ended: float = 0.0  # monotonic time when the pipeline returned or raised; 0.0: not yet
    started: str = ""
    seconds: float = 0.0
    task: Any = None  # the asyncio task that answers it, if one does
    worker: int = 0  # the thread that answers it, if one does
    problems: dict[str, None] = field(default_factory=dict)  # of what a user's retriever returned, in order

    def __post_init__(self) -> None:
        self._hits: dict[str, Hit] = {}
        self._adding, self._settling = Lock(), Lock()
        self.add(self.handed or ())

    def begin(self) -> None:
        """Start the time limit of the pipeline."""
        self.stamp()
        self.began = self.watched = time.monotonic()

    def stamp(self) -> None:
        """Record the start time."""
        self.started = datetime.now(timezone.utc).isoformat()

    def again(self) -> Attempt:
        """Next attempt, with the same retrieved passages."""
        return Attempt(self.question, self.epoch, self.number + 1, self.handed)

    def settle(self) -> bool:
        """Claim the right to settle the attempt; True for the first caller only."""
        if claimed := self._settling.acquire(blocking=False):
            self.seconds = (self.ended or time.monotonic()) - self.began if self.began else 0.0
        return claimed

    @property
    def settled(self) -> bool:
        """Whether the pipeline has finished."""
        return self._settling.locked()

    def add(self, hits: Sequence[Hit]) -> None:
        """Add retrieved passages in order, each one once."""
        with self._adding:
            for hit in hits:
                self._hits.setdefault(hit.passage.id, hit)
            self.problems.update(dict.fromkeys(getattr(hits, "problems", ())))

    def retrieved(self) -> list[Hit]:
        """What was retrieved so far."""
        with self._adding:
            return list(self._hits.values())


class Passages(list[Passage]):
    """The retrieved passages, which an asynchronous pipeline may await although they are there."""

    def __await__(self) -> Generator[None, None, Passages]:
        yield from ()
        return self


class Outcome(NamedTuple):
    """What came of an attempt, read: nothing in it belongs to the pipeline any more."""

    answer: Answer | None = None
    problems: tuple[str, ...] = ()
    failure: Failure | None = None
    fate: Passing | AccessRefused | None = None


def check_query(query: object, k: object) -> None:
    """Raise TypeError if a pipeline calls retrieve with anything but a string and a number."""
    if not isinstance(query, str) or not isinstance(k, int) or k < 1:
        message = f"retrieve(query, k) takes a text and a number from 1, found {query!r:.80} and {k!r:.80}"
        raise TypeError(message)


@dataclass(frozen=True)
class QuestionRunner:
    """Asks the pipeline one question and makes the record of its answer."""

    pipeline: Pipeline
    retriever: Retriever
    grading: GradingContext
    k: int = 5

    def recall(self, attempt: Attempt) -> Answer | None:
        """Retrieve what the pipeline is handed; returns its answer if that is known without a call.

        Of several epochs only the first is answered from memory: the others are asked to see what changes.
        """
        pipeline, question = self.pipeline, attempt.question
        if pipeline.processes:
            pipeline.processes.ready()
        if pipeline.takes == "passages" and attempt.handed is None:
            attempt.watched = time.monotonic()
            attempt.handed = self._retrieve(question, question.text, self.k)
            attempt.watched = 0.0
            attempt.add(attempt.handed)
        if pipeline.recall is None or attempt.epoch or attempt.number > 1 or pipeline.takes == "retrieve":
            return None
        answer = pipeline.recall(question.text, [hit.passage for hit in attempt.handed or ()])
        if answer is not None:
            attempt.number = 0
            attempt.stamp()
        return answer

    def call(self, attempt: Attempt) -> Any:
        """Give the question to the pipeline; returns what it returns, an awaitable if it is asynchronous."""
        question = attempt.question

        def retrieve(query: str, k: int = self.k) -> list[Passage]:
            hits = self._retrieve(question, query, k)
            attempt.add(hits)
            return Passages(hit.passage for hit in hits)

        handed = [hit.passage for hit in attempt.handed or ()]
        attempt.begin()
        return self.pipeline.call(question.text, handed, retrieve)

    def read(self, attempt: Attempt, returned: Any, error: BaseException | None) -> Outcome:
        """Read what was returned or raised, with the clock running: both may do anything; never raises."""
        attempt.ended = time.monotonic()
        try:
            if error is None:
                return Outcome(*read_answer(returned))
            where = "" if attempt.began else f"in the retriever {self.retriever.name}"
            return Outcome(failure=describe(error, where), fate=judge(error))
        except BaseException as strange:  # noqa: BLE001 (a strange object must not lose the record)
            return Outcome(failure=describe(strange, "while reading what was returned"))

    def record(self, attempt: Attempt, outcome: Outcome) -> Record:
        """Record of an attempt, not graded yet."""
        answer, problems, failure, _ = outcome
        hits = attempt.retrieved()
        if failure:
            return self._record(attempt, "error", hits, failure=failure)
        if answer is not None and self.pipeline.takes == "own":
            placed = self.grading.placed(answer)
            hits = [Hit(alignment.passage, 0.0) for alignment in placed]
            problems += alignment_notices(placed)
        return self._record(attempt, "needs_review", hits, answer=answer, problems=problems)

    def time_out(self, attempt: Attempt, limit: float) -> Record:
        """Record that pipeline or retriever took too long; it counts as having worked for the limit."""
        attempt.seconds = limit
        what = "no answer" if attempt.began else f"the retriever {self.retriever.name} found nothing"
        failure = Failure("TimeoutError", f"{what} after {limit:g} s")
        return self._record(attempt, "timeout", attempt.retrieved(), failure=failure)

    def _retrieve(self, question: Question, query: str, k: int) -> list[Hit]:
        check_query(query, k)
        # Emptied here, not in the retrievers: whatever retrieves, these questions get nothing.
        if question.stratum == "null_retrieval":
            return []
        return self.retriever.retrieve(query, k, question)

    def _record(
        self,
        attempt: Attempt,
        status: Status,
        hits: Sequence[Hit] = (),
        *,
        answer: Answer | None = None,
        problems: tuple[str, ...] = (),
        failure: Failure | None = None,
    ) -> Record:
        question, holders = attempt.question, 0
        if self.pipeline.takes != "own":
            holders = self.grading.evidence.holders(question, self.grading.passages)
        return Record(
            question=question.id,
            row=question.row,
            wanted=question.wanted,
            status=status,
            epoch=attempt.epoch,
            retrieved=tuple(
                Retrieved(hit.passage.id, float(hit.score) if math.isfinite(hit.score) else 0.0)
                for hit in hits
            ),
            evidence_ranks=tuple(self._evidence_rank(span, hits) for span in question.evidence),
            evidence_passages=holders,
            document_rank=self._document_rank(question, hits),
            answer=answer,
            failure=failure,
            problems=(*attempt.problems, *problems),
            seconds=round(attempt.seconds, 6),
            attempts=attempt.number,
            started=attempt.started,
        )

    def _evidence_rank(self, span: Evidence, hits: Sequence[Hit]) -> int:
        coverage = self.grading.evidence.coverage
        ranks = (rank for rank, hit in enumerate(hits, 1) if coverage(hit.passage, span) >= ENOUGH)
        return next(ranks, 0)

    def _document_rank(self, question: Question, hits: Sequence[Hit]) -> int:
        # A question of the user's own need not name its document: its evidence does.
        canonical = self.grading.corpus.canonical
        named = [question.document] if question.document else [span.document for span in question.evidence]
        documents = set(map(canonical, named))
        for rank, hit in enumerate(hits, start=1):
            if any(canonical(span.document) in documents for span in hit.passage.places):
                return rank
        return 0


class Scheduler:
    """The scheduler: open questions, delayed retries, attempts in flight, and the output of records."""

    def __init__(
        self,
        jobs: Sequence[Job],
        runner: QuestionRunner,
        append: Callable[[Record], object],
        progress: Progress,
        limits: Limits,
    ) -> None:
        self.done = Event()  # set when all is done or the run has ended
        self.closing = Event()  # set when no further call may start; those in flight may finish
        self.error: BaseException | None = None
        self.slow = False  # whether calls take long: others may begin beside them
        self.notes: deque[str] = deque()  # notices for the user, printed by the caller
        self._waiting = iter(jobs)
        self._left = len(jobs)
        self._runner = runner
        self._append = append
        self._progress = progress
        self._limits = limits
        self._postponed: list[tuple[float, int, Attempt]] = []
        self._chance = random.Random()
        self._flying: set[Attempt] = set()
        self._stopped = False
        self._process = os.getpid()
        self._lock = RLock()
        if not jobs:
            self._end()
        elif reason := limits.overspent():
            self.drain(reason)

    def take(self) -> Attempt | None:
        """Next attempt, waiting for a delayed retry; None if there is none."""
        while isinstance(attempt := self.poll(), float):
            if self.closing.wait(attempt):
                return None
        return attempt

    def poll(self) -> Attempt | float | None:
        """Next attempt, the seconds until one is due, or None if there is none."""
        with self._lock:
            if self.closing.is_set():
                return None
            now = time.monotonic()
            if self._postponed and self._postponed[0][0] <= now:
                attempt = heappop(self._postponed)[2]
            elif (job := next(self._waiting, None)) is not None:
                attempt = Attempt(*job)
            else:
                return self._postponed[0][0] - now if self._postponed else None
            self._flying.add(attempt)
            return attempt

    def admit(self, attempt: Attempt) -> bool:
        """Wait until the call may start; return False, and drop the attempt, if none may start any more."""
        wait = self._limits.reserve()
        if self.closing.wait(wait) if wait else self.closing.is_set():
            self.drop(attempt)
            return False
        return True

    def reserve(self) -> float:
        """Seconds until a call may start, and reserve that moment for the caller."""
        return self._limits.reserve()

    def drop(self, attempt: Attempt) -> None:
        """Drop an attempt that made no call: its question is asked when the run is continued."""
        with self._lock:
            self._land(attempt)

    def conclude(self, attempt: Attempt, returned: object, error: BaseException | None) -> bool:
        """Turn a finished attempt into a record, a retry, or the end of the run; False: it was timed out."""
        end_copy(self._process, error)
        outcome = self._runner.read(attempt, returned, error)
        if not attempt.settle():
            return False
        fate = outcome.fate
        if isinstance(fate, AccessRefused):
            self.stop(fate)
        elif isinstance(fate, Passing) and 1 <= attempt.number <= self._limits.retries:
            if fate.cut and (reason := self._limits.failed(outcome.failure)):
                # Nobody is there: no later attempt will find anybody either.
                self.drain(reason)
                self.deliver(attempt, self._runner.record(attempt, outcome))
            else:
                self._postpone(attempt, fate.retry_after)
        else:
            self.deliver(attempt, self._runner.record(attempt, outcome))
        return True

    def deliver(self, attempt: Attempt, record: Record) -> None:
        """Emit the record of a finished attempt; it is on disk before its worker continues."""
        if self._stopped:
            # An interrupted call fails in odd ways; the question is asked again when the run goes on.
            return
        self._append(record)
        # All in one hold of the lock: a call that went out before the cost is counted would be one too many.
        with self._lock:
            self._flying.discard(attempt)
            try:
                if reason := self._limits.count(record, len(self._flying)):
                    self.drain(reason)
            except RagharnessError as error:
                self.drain(error=error)
            if record.failure and not self._progress.first_failure:
                failure = record.failure
                self._progress.first_failure = error_line(failure.type, failure.message, failure.where)
            if attempt.number and (reason := self._limits.failed(record.failure)):
                self.drain(reason)
            self._progress.answered += 1
            self._left -= 1
            self._land(attempt)

    def overdue(self, limit: float) -> list[Attempt]:
        """Attempts that exceed the time limit, by question."""
        now = time.monotonic()
        with self._lock:
            late = [attempt for attempt in self._flying if attempt.watched and now - attempt.watched > limit]
        return sorted(late, key=lambda attempt: (attempt.question.id, attempt.epoch))

    def drain(self, reason: str = "", error: BaseException | None = None) -> None:
        """Start no further call; those in flight finish and are kept."""
        with self._lock:
            if self.closing.is_set():
                return
            self._limits.stopped = reason
            self.error = self.error or error
            self.closing.set()
            self._postponed.clear()
            if not self._flying:
                self._end()

    def stop(self, error: BaseException | None = None) -> None:
        """End the run at once; the first error is kept."""
        with self._lock:
            self.error = self.error or error
            self._stopped = True
            self._end()

    def _postpone(self, attempt: Attempt, retry_after: float | None) -> None:
        if retry_after is not None and retry_after > LONGEST_WAIT:
            note = f"the service asks to wait {retry_after:.0f} s: it is waited for {LONGEST_WAIT:.0f} s"
            if note not in self.notes:
                self.notes.append(note)
        with self._lock:
            if not self.closing.is_set():
                moment = time.monotonic() + backoff(attempt.number, retry_after, self._chance)
                self._progress.repeated += 1
                heappush(self._postponed, (moment, self._progress.repeated, attempt.again()))
            self._land(attempt)

    def _land(self, attempt: Attempt) -> None:
        self._flying.discard(attempt)
        if self._left == 0 or (self.closing.is_set() and not self._flying):
            self._end()

    def _end(self) -> None:
        self.closing.set()
        self.done.set()
