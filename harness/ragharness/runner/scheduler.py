"""The scheduler of a run: hands questions to workers, takes their results, decides when it ends."""

from __future__ import annotations

import os
import random
import time
from collections import deque
from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from threading import Event, RLock

from ragharness.errors import AccessRefused, RagharnessError
from ragharness.records import Question, Record
from ragharness.runner.limits import Limits, Passing, Progress
from ragharness.runner.question import Attempt, QuestionRunner
from ragharness.support.http import LONGEST_WAIT, backoff
from ragharness.support.messages import error_line

Job = tuple[Question, int]

STEP = 0.004
"""Seconds between two checks whether calls take long, and after which one may."""


def end_copy(home: int, error: BaseException | None) -> None:
    """End this process, as Python would, if it is a copy that the pipeline forked of the one of that number.

    It would go on asking the same questions into the same files.
    """
    if os.getpid() != home:
        status = error.code if isinstance(error, SystemExit) else error and 1
        os._exit(status & 0xFF if isinstance(status, int) else int(status is not None))


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
        self.done = Event()
        """Set when all is done or the run has ended."""
        self.closing = Event()
        """Set when no further call may start; those in flight may finish."""
        self.error: BaseException | None = None
        self.slow = False
        """Whether calls take long: others may begin beside them, and there is time for other work."""
        self.notes: deque[str] = deque()
        """Notices for the user, printed by the caller."""
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
        """Return the next attempt, waiting for a delayed retry; None if there is none."""
        while isinstance(found := self.poll(), float):
            if self.closing.wait(found):
                return None
        return found

    def poll(self) -> Attempt | float | None:
        """Return the next attempt, the seconds until one is due, or None if there is none."""
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
        """Return the seconds until a call may start, and reserve that moment for the caller."""
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
            self._charge(record)
            if record.failure and not self._progress.first_failure:
                self._progress.first_failure = error_line(
                    record.failure.type, record.failure.message, record.failure.where
                )
            if attempt.number and (reason := self._limits.failed(record.failure)):
                self.drain(reason)
            self._progress.answered += 1
            self._left -= 1
            self._land(attempt)

    def _charge(self, record: Record) -> None:
        try:
            if reason := self._limits.count(record, len(self._flying)):
                self.drain(reason)
        except RagharnessError as error:
            self.drain(error=error)

    def overdue(self, limit: float) -> list[Attempt]:
        """Return the attempts that exceed the time limit, by question."""
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
