"""Runs all questions: starts the workers, enforces time limits, passes records on."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from threading import Thread, get_ident
from typing import TYPE_CHECKING, Any

from ragharness.runner.allowance import Allowance, Progress
from ragharness.runner.crew import STEP, Crew

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ragharness.records import Record
    from ragharness.runner.crew import Job
    from ragharness.runner.examiner import Examiner
    from ragharness.runner.tasks import Tasks
    from ragharness.runner.turn import Turn

_TICK = 0.05
"""Seconds between two looks at the clock: how late a time-out may be noticed."""

_BUSY = 0.5
"""The share of the time from which on a process counts as computing."""

_LONG = 0.05
"""Seconds after which a call gets company whatever it does."""

_MORE = 3
"""Workers that are added for each that waits."""


def execute(
    jobs: Sequence[Job],
    examiner: Examiner,
    append: Callable[[Record], object],
    *,
    keep: Callable[[Record], object] | None = None,
    concurrency: int = 8,
    timeout: float = 60.0,
    allowance: Allowance | None = None,
    progress: Progress | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    say: Callable[[str], None] | None = None,
) -> int:
    """Ask every question, append its record; return how many calls timed out after ``timeout`` s.

    A job is a question and an epoch. With ``keep``, which stores an answer without its verdict, answers are
    graded while the next calls are under way. What the pipeline raises is recorded, after further attempts
    where it may pass; ``allowance.reason`` says afterwards what ended the session early. AccessRefused, an
    unknown cost under a budget, a KeyboardInterrupt and an error of ``append`` stop the run and are raised;
    answers that were finished until then have been appended or kept. Calls given up run on in daemon threads.
    """
    progress = progress or Progress(len(jobs))
    allowance = allowance or Allowance()
    crew = Crew(jobs, examiner, append, progress, allowance, keep)
    pool = _pool(examiner, crew, min(concurrency, len(jobs)))
    abandoned = 0
    tick = min(_TICK, timeout / 4)
    try:
        with _own_switch_interval():
            pool.start()
            look = 0.0
            while not crew.done.wait(STEP if pool.grow() else tick):
                if time.monotonic() < look:
                    continue
                look = time.monotonic() + tick
                for turn in crew.overdue(timeout):
                    if turn.settle():
                        abandoned += 1
                        crew.deliver(turn, examiner.time_out(turn, timeout))
                        pool.replace(turn)
                if reason := allowance.overtime():
                    crew.drain(reason)
                _tell(crew, progress, on_progress, say)
    finally:
        crew.stop()
        pool.close()
    if crew.error:
        raise crew.error
    return abandoned


@contextmanager
def _own_switch_interval() -> Iterator[None]:
    """Give the interpreter back as it was: the crew shortens its turns where it grades beside calls."""
    before = sys.getswitchinterval()
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def _tell(
    crew: Crew,
    progress: Progress,
    on_progress: Callable[[Progress], None] | None,
    say: Callable[[str], None] | None,
) -> None:
    while say and crew.notes:
        say(crew.notes.popleft())
    if on_progress:
        on_progress(progress)


def _pool(examiner: Examiner, crew: Crew, size: int) -> Threads | Tasks:
    if examiner.pipeline.is_async:
        from ragharness.runner.tasks import Tasks

        return Tasks(examiner, crew, size)
    return Threads(examiner, crew, size)


class Threads:
    """Daemon threads, so that a call that never returns cannot hold the exit.

    Lost members of the pool are replaced. It begins with one worker and grows fourfold whenever all wait for
    the pipeline: where answers come at once, threads that take turns at the interpreter only cost time (half
    as much again at eight).
    """

    def __init__(self, examiner: Examiner, crew: Crew, size: int) -> None:
        self._examiner = examiner
        self._crew = crew
        self._size = size
        self._working = 1
        self._looked = time.monotonic(), time.process_time()

    def start(self) -> None:
        """Start the first worker."""
        if self._examiner.isolation:
            self._examiner.isolation.open()
        self._spawn()

    def grow(self) -> bool:
        """Add workers if more are of use now; returns whether they may be later."""
        if self._working < self._size and self._is_idle() and self._crew.waits(self._working):
            for _ in range(min(_MORE * self._working, self._size - self._working)):
                self._working += 1
                self._spawn()
        return self._working < self._size

    def _is_idle(self) -> bool:
        """Whether this process has waited since the last look, or one call has gone on for very long.

        A call that computes keeps the interpreter: more of them at once only take turns. Native code lets
        go of it, so what goes on for long gets company all the same.
        """
        now, used = time.monotonic(), time.process_time()
        passed, worked = now - self._looked[0], used - self._looked[1]
        self._looked = now, used
        return worked < _BUSY * passed or self._crew.waits(self._working, _LONG)

    def replace(self, turn: Turn) -> None:
        """Start a worker in the place of the one that is stuck in this turn: a thread cannot be stopped."""
        if self._examiner.isolation:
            self._examiner.isolation.kill(turn.worker)
        self._spawn()

    def close(self) -> None:
        """End the pipeline's processes; idle workers end by themselves, stuck ones are daemons."""
        if self._examiner.isolation:
            self._examiner.isolation.close()

    def _spawn(self) -> None:
        Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        crew = self._crew
        try:
            while (turn := crew.take()) is not None and self._answer(turn):
                pass
        except BaseException as error:  # noqa: BLE001 (whatever breaks the harness is raised by ``execute``)
            crew.stop(error)
        finally:
            if self._examiner.isolation:
                self._examiner.isolation.leave()

    def _answer(self, turn: Turn) -> bool:
        """See a turn to its end; returns False when the clock has settled it and another took this place."""
        turn.worker = get_ident()
        returned, error = self._recalled(turn)
        if turn.settled:
            return False
        if returned is None and error is None:
            if not self._crew.admit(turn):
                return True
            returned, error = self._call(turn)
        if not turn.settle():
            return False
        self._crew.conclude(turn, returned, error)
        return True

    def _recalled(self, turn: Turn) -> tuple[Any, BaseException | None]:
        try:
            return self._examiner.recall(turn), None
        except BaseException as error:  # noqa: BLE001 (a retriever or a cache of the user's)
            return None, error

    def _call(self, turn: Turn) -> tuple[Any, BaseException | None]:
        try:
            returned = self._examiner.call(turn)
            if hasattr(returned, "__await__"):
                return _awaited(returned), None
        except BaseException as error:  # noqa: BLE001 (SystemExit of a pipeline included)
            return None, error
        return returned, None


def _awaited(returned: Any) -> Any:
    """Wait for what a plain function returned although it is a coroutine."""
    import asyncio

    async def wait() -> Any:
        return await returned

    return asyncio.run(wait())
