"""The whole set: workers take questions in order, a clock watches them, records go out one by one."""

from __future__ import annotations

import time
from threading import Event, Lock
from typing import TYPE_CHECKING

from ragharness.runner.examiner import Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ragharness.records import Question, Record
    from ragharness.runner.examiner import Examiner

_TICK = 0.05
"""Seconds between two looks at the clock: how late a time-out may be noticed."""

_STEP = 0.004
"""Seconds between two looks for a use of another worker, and those after which a call counts as long."""


class Progress:
    """How far a run is; counts records of earlier sessions too once they are given to ``count``."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.answered = 0
        self.as_wanted = 0
        self.not_graded = 0
        self.before = 0
        """Answers of earlier sessions among them: they say nothing about the speed of this one."""
        self.began = time.monotonic()

    def count(self, record: Record) -> None:
        """Add one record."""
        self.answered += 1
        self.as_wanted += record.as_wanted
        self.not_graded += record.status != "ok"

    def resume(self, records: Iterable[Record]) -> None:
        """Add the records of earlier sessions."""
        for record in records:
            self.count(record)
        self.before = self.answered

    @property
    def seconds(self) -> float:
        """Seconds since this session began."""
        return time.monotonic() - self.began

    @property
    def seconds_left(self) -> float | None:
        """Seconds that the rest takes at the pace so far; None before the first answer."""
        done = self.answered - self.before
        return self.seconds / done * (self.total - self.answered) if done else None


class Crew:
    """What the workers share: the questions not yet taken, the turns in flight, and where records go."""

    def __init__(
        self, questions: Sequence[Question], append: Callable[[Record], object], progress: Progress
    ) -> None:
        self.done = Event()
        """Every question has its record, or something ended the run."""
        self.error: BaseException | None = None
        self._waiting = iter(questions)
        self._left = len(questions)
        self._append = append
        self._progress = progress
        self._flying: set[Turn] = set()
        self._stopped = False
        self._lock = Lock()
        if not questions:
            self.done.set()

    def take(self) -> Turn | None:
        """Return the next question's turn; None when there is none or the run has ended."""
        with self._lock:
            question = None if self.done.is_set() else next(self._waiting, None)
            if question is None:
                return None
            turn = Turn(question)
            self._flying.add(turn)
            return turn

    def deliver(self, turn: Turn, record: Record) -> None:
        """Hand a settled turn's record on; the worker takes its next question only after this."""
        if self._stopped:
            # An interrupted call fails in odd ways; the question is asked again when the run goes on.
            return
        self._append(record)
        with self._lock:
            self._progress.count(record)
            self._flying.discard(turn)
            self._left -= 1
            if self._left == 0:
                self.done.set()

    def overdue(self, limit: float) -> list[Turn]:
        """Return the turns whose pipeline has worked for longer than the limit, by question."""
        now = time.monotonic()
        with self._lock:
            late = [turn for turn in self._flying if turn.began and now - turn.began > limit]
        return sorted(late, key=lambda turn: turn.question.id)

    def waits(self, workers: int) -> bool:
        """Say whether so many workers all wait for long calls of the pipeline."""
        return workers < self._left and sum(not turn.settled for turn in self.overdue(_STEP)) >= workers

    def stop(self, error: BaseException | None = None) -> None:
        """Give out no more questions; the first error is kept."""
        with self._lock:
            self.error = self.error or error
            self._stopped = True
            self.done.set()


def execute(
    questions: Sequence[Question],
    examiner: Examiner,
    append: Callable[[Record], object],
    *,
    concurrency: int = 8,
    timeout: float = 60.0,
    progress: Progress | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> int:
    """Ask every question, append its record; returns how many calls were given up after ``timeout`` seconds.

    What the pipeline raises is recorded. A KeyboardInterrupt or an error of ``append`` stops the run and is
    raised; answers that were finished until then have been appended. Calls given up run on in daemon threads.
    """
    progress = progress or Progress(len(questions))
    crew = Crew(questions, append, progress)
    pool = _pool(examiner, crew, min(concurrency, len(questions)))
    abandoned = 0
    try:
        pool.start()
        look = 0.0
        while not crew.done.wait(_STEP if pool.grow() else min(_TICK, timeout / 4)):
            if time.monotonic() < look:
                continue
            look = time.monotonic() + min(_TICK, timeout / 4)
            for turn in crew.overdue(timeout):
                if turn.settle():
                    abandoned += 1
                    crew.deliver(turn, examiner.time_out(turn, timeout))
                    pool.replace(turn)
            if on_progress:
                on_progress(progress)
    finally:
        crew.stop()
        pool.close()
    if crew.error:
        raise crew.error
    return abandoned


def _pool(examiner: Examiner, crew: Crew, size: int) -> Threads | Tasks:
    if examiner.pipeline.is_async:
        from ragharness.runner.tasks import Tasks

        return Tasks(examiner, crew, size)
    from ragharness.runner.threads import Threads

    return Threads(examiner, crew, size)


if TYPE_CHECKING:
    from ragharness.runner.tasks import Tasks
    from ragharness.runner.threads import Threads
