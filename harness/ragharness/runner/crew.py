"""The scheduler of a run: hands questions to workers, takes their results, decides when it ends."""

from __future__ import annotations

import random
import sys
import time
from collections import deque
from heapq import heappop, heappush
from queue import SimpleQueue
from threading import Event, Lock, Semaphore, Thread
from typing import TYPE_CHECKING

from ragharness.errors import AccessRefused, RagharnessError
from ragharness.runner.retrying import Passing, judge
from ragharness.runner.turn import Turn
from ragharness.support.http import LONGEST_WAIT, backoff

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ragharness.records import Question, Record
    from ragharness.runner.allowance import Allowance, Progress
    from ragharness.runner.examiner import Examiner, Read

    Job = tuple[Question, int]

_SWITCH = 0.0005
"""Switch interval of threads in seconds: at Python's 5 ms, grading delays the next calls."""

STEP = 0.004
"""Seconds between two checks whether more workers help, and after which a call counts as long."""

BACKLOG = 256
"""Longest queue of ungraded answers; beyond it workers grade their own."""


class Crew:
    """The scheduler: open questions, delayed retries, attempts in flight, and the output of records."""

    def __init__(
        self,
        jobs: Sequence[Job],
        examiner: Examiner,
        append: Callable[[Record], object],
        progress: Progress,
        allowance: Allowance,
        keep: Callable[[Record], object] | None = None,
    ) -> None:
        self.done = Event()
        """Set when all is done or the run has ended."""
        self.closing = Event()
        """Set when no further call may start; those in flight may finish."""
        self.error: BaseException | None = None
        self.notes: deque[str] = deque()
        """Notices for the user, printed by the caller."""
        self._waiting = iter(jobs)
        self._left = len(jobs)
        self._examiner = examiner
        self._append = append
        self._keep = keep
        self._room = Semaphore(BACKLOG)
        """For answers that wait: looking at the queue's length first would let several workers in at once."""
        self._grading: SimpleQueue[tuple[Turn, Read] | None] = SimpleQueue()
        self._grader: Thread | None = None
        self._progress = progress
        self._allowance = allowance
        self._postponed: list[tuple[float, int, Turn]] = []
        self._chance = random.Random()
        self._flying: set[Turn] = set()
        self._stopped = False
        self._lock = Lock()
        if not jobs:
            self._end()
        elif reason := allowance.overspent():
            self.drain(reason)

    def take(self) -> Turn | None:
        """Return the next attempt, waiting for a delayed retry; None if there is none."""
        while isinstance(found := self.poll(), float):
            if self.closing.wait(found):
                return None
        return found

    def poll(self) -> Turn | float | None:
        """Return the next attempt, the seconds until one is due, or None if there is none."""
        with self._lock:
            if self.closing.is_set():
                return None
            turn = self._due()
            if turn is None:
                job = next(self._waiting, None)
                if job is None:
                    return max(0.0, self._postponed[0][0] - time.monotonic()) if self._postponed else None
                turn = Turn(*job)
            self._flying.add(turn)
            return turn

    def admit(self, turn: Turn) -> bool:
        """Wait until the call may start; return False, and drop the attempt, if none may start any more."""
        wait = self._allowance.reserve()
        if self.closing.wait(wait) if wait else self.closing.is_set():
            self.drop(turn)
            return False
        return True

    def reserve(self) -> float:
        """Return the seconds until a call may start, and reserve that moment for the caller."""
        return self._allowance.reserve()

    def drop(self, turn: Turn) -> None:
        """Drop an attempt that made no call: its question is asked when the run is continued."""
        with self._lock:
            self._land(turn)

    def conclude(self, turn: Turn, returned: object, error: BaseException | None) -> None:
        """Turn a finished attempt into a record, a retry, or the end of the run."""
        if error is None:
            self._take_in(turn, self._examiner.read(turn, returned))
            return
        fate = judge(error)
        if isinstance(fate, AccessRefused):
            self.stop(fate)
        elif isinstance(fate, Passing) and 1 <= turn.attempt <= self._allowance.retries:
            self._postpone(turn, fate.retry_after)
        else:
            self.deliver(turn, self._examiner.fail(turn, error))

    def _take_in(self, turn: Turn, read: Read) -> None:
        """Grade an answer, now or while its worker asks the next question.

        Where calls take long, grading between them would add to each; what waits is on disk. Where answers
        come at once there is nothing to gain, and two threads would take turns at the interpreter.
        """
        keep = None if read.final or turn.seconds < STEP else self._keep
        if keep is None or not self._room.acquire(blocking=False):
            self.deliver(turn, self._examiner.graded(turn, read))
        elif not self._stopped:
            keep(read.record)
            self._charge(turn, read.record)
            self._grading.put((turn, read))
            with self._lock:
                if self._grader is None:
                    sys.setswitchinterval(min(sys.getswitchinterval(), _SWITCH))
                    self._grader = Thread(target=self._grade, daemon=True)
                    self._grader.start()

    def _grade(self) -> None:
        try:
            while (found := self._grading.get()) is not None and not self._stopped:
                self._room.release()
                turn, read = found
                self.deliver(turn, self._examiner.graded(turn, read))
        except BaseException as error:  # noqa: BLE001 (whatever breaks the harness is raised by ``execute``)
            self.stop(error)

    def deliver(self, turn: Turn, record: Record) -> None:
        """Emit the record of a finished attempt; the answer is on disk before its worker continues."""
        if self._stopped:
            # An interrupted call fails in odd ways; the question is asked again when the run goes on.
            return
        self._append(record)
        self._charge(turn, record)
        with self._lock:
            self._progress.count(record)
            self._left -= 1
            self._land(turn)

    def _charge(self, turn: Turn, record: Record) -> None:
        """Charge the cost of an answer to the budget, once, as soon as it is known.

        All in one hold of the lock: a call that went out meanwhile would be one too many.
        """
        if self._allowance.max_cost is None or turn.charged:
            return
        with self._lock:
            turn.charged = True
            flying = sum(not each.charged for each in self._flying)
            try:
                if reason := self._allowance.count(record, flying):
                    self._drain(reason)
            except RagharnessError as error:
                self._drain(error=error)

    def overdue(self, limit: float) -> list[Turn]:
        """Return the attempts that exceed the time limit, by question."""
        now = time.monotonic()
        with self._lock:
            late = [turn for turn in self._flying if turn.watched and now - turn.watched > limit]
        return sorted(late, key=lambda turn: (turn.question.id, turn.epoch))

    def waits(self, workers: int, seconds: float = STEP) -> bool:
        """Return whether ``workers`` workers have had calls in flight for more than ``seconds``."""
        return workers < self._left and sum(not turn.settled for turn in self.overdue(seconds)) >= workers

    def drain(self, reason: str) -> None:
        """Start no further call; those in flight finish and are kept."""
        with self._lock:
            self._drain(reason)

    def _drain(self, reason: str = "", error: BaseException | None = None) -> None:
        if self.closing.is_set():
            return
        self._allowance.stopped = reason
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
        self._grading.put(None)

    def _due(self) -> Turn | None:
        if self._postponed and self._postponed[0][0] <= time.monotonic():
            return heappop(self._postponed)[2]
        return None

    def _postpone(self, turn: Turn, retry_after: float | None) -> None:
        if retry_after is not None and retry_after > LONGEST_WAIT:
            self._note(f"the service asks to wait {retry_after:.0f} s: it is waited for {LONGEST_WAIT:.0f} s")
        with self._lock:
            if not self.closing.is_set():
                moment = time.monotonic() + backoff(turn.attempt, retry_after, self._chance)
                self._progress.repeated += 1
                heappush(self._postponed, (moment, self._progress.repeated, turn.again()))
            self._land(turn)

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def _land(self, turn: Turn) -> None:
        self._flying.discard(turn)
        if self._left == 0 or (self.closing.is_set() and not self._flying):
            self._end()

    def _end(self) -> None:
        self.closing.set()
        self.done.set()
