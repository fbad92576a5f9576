"""Runs all questions: starts the workers, enforces time limits, passes records on."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Thread, get_ident
from typing import TYPE_CHECKING, Any

from ragharness.records import Record
from ragharness.runner.limits import Limits, Progress
from ragharness.runner.scheduler import STEP, Attempt, Job, QuestionRunner, Scheduler

if TYPE_CHECKING:  # it loads asyncio
    from ragharness.runner.tasks import Tasks

_TICK = 0.05  # seconds between two looks at the clock: how late a time-out may be noticed
_SWITCH = 0.0005  # switch interval of threads in seconds: at Python's 5 ms, other work delays the next calls
_IDLE = 0.25  # the share of the time below which a process waits for something, and has time for other work


def execute(
    jobs: Sequence[Job],
    runner: QuestionRunner,
    append: Callable[[Record], object],
    *,
    concurrency: int = 8,
    timeout: float = 60.0,
    limits: Limits | None = None,
    progress: Progress | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    say: Callable[[str], None] | None = None,
    meanwhile: Callable[[], bool] | None = None,
) -> int:
    """Ask every question, append its record; return how many calls timed out after ``timeout`` s.

    A job is a question and an epoch. ``meanwhile`` does a piece of other work while calls are under way that
    take long, and returns whether there was any. What the pipeline raises is recorded, after further attempts
    where it may pass; ``limits.reason`` says afterwards what ended the session early. AccessRefused, an
    unknown cost under a budget, a KeyboardInterrupt and an error of ``append`` stop the run and are raised;
    answers that were finished until then have been appended. Calls given up run on in daemon threads.
    """
    progress = progress or Progress(len(jobs))
    limits = limits or Limits()
    scheduler = Scheduler(jobs, runner, append, progress, limits)
    pool: Threads | Tasks = Threads(runner, scheduler, min(concurrency, len(jobs)))
    if runner.pipeline.is_async:
        from ragharness.runner.tasks import Tasks

        pool = Tasks(runner, scheduler, min(concurrency, len(jobs)))
    abandoned = 0
    tick, look, load = min(_TICK, timeout / 4), 0.0, _Load()
    other = Thread(target=_work_between, args=(scheduler, meanwhile), daemon=True)
    interval = sys.getswitchinterval()
    try:
        pool.start()
        other.start()
        while not scheduler.done.wait(tick if scheduler.slow else STEP):
            if not scheduler.slow and (
                scheduler.overdue(tick) or (load.is_low() and scheduler.overdue(STEP))
            ):
                scheduler.slow = True
                pool.fill()
            if time.monotonic() < look:
                continue
            look = time.monotonic() + tick
            for attempt in scheduler.overdue(timeout):
                if attempt.settle():
                    abandoned += 1
                    scheduler.deliver(attempt, runner.time_out(attempt, timeout))
                    pool.replace(attempt)
            if reason := limits.overtime():
                scheduler.drain(reason)
            while say and scheduler.notes:
                say(scheduler.notes.popleft())
            if on_progress:
                on_progress(progress)
    finally:
        scheduler.stop()
        pool.close()
        sys.setswitchinterval(interval)
    other.join()
    if scheduler.error:
        raise scheduler.error
    return abandoned


def _work_between(scheduler: Scheduler, work: Callable[[], bool] | None) -> None:
    """Do other work while calls are under way that take long and leave the process idle.

    Where answers come at once, or from many calls, there is nothing to gain: the threads would take turns at
    the interpreter, and the next calls would start late.
    """
    load = _Load()
    try:
        while work and not scheduler.done.is_set():
            if scheduler.slow:
                sys.setswitchinterval(min(sys.getswitchinterval(), _SWITCH))
            if not (scheduler.slow and load.is_low() and work()):
                scheduler.done.wait(STEP)
    except BaseException as error:  # noqa: BLE001 (whatever breaks the harness is raised by ``execute``)
        scheduler.stop(error)


class _Load:
    """Whether the other threads of this process have hardly computed in the last moment."""

    def __init__(self) -> None:
        self._at, self._used, self._low = time.monotonic(), 0.0, False

    def is_low(self) -> bool:
        """The last finding, or a new one once that is older than ``STEP``; always called in one thread."""
        elapsed = time.monotonic() - self._at
        if elapsed >= STEP:
            used = time.process_time() - time.thread_time()
            self._low = used - self._used < _IDLE * elapsed
            self._at, self._used = self._at + elapsed, used
        return self._low


class Threads:
    """Daemon threads, so that a call that never returns cannot hold the exit.

    Lost members of the pool are replaced. One worker begins and the others follow once calls take long: where
    answers come at once, threads that take turns at the interpreter only cost time (half as much again at
    eight).
    """

    def __init__(self, runner: QuestionRunner, scheduler: Scheduler, size: int) -> None:
        self._runner = runner
        self._scheduler = scheduler
        self._missing = size

    def start(self) -> None:
        """Start the first worker, or all of them where they compute elsewhere."""
        processes = self._runner.pipeline.processes
        if processes:
            processes.open()
        if processes and processes.eager:
            self.fill()
        else:
            self._missing -= 1
            self._spawn()

    def fill(self) -> None:
        """Start the other workers; where there is no room for more threads, fewer will do."""
        with suppress(RuntimeError):
            while self._missing > 0:
                self._spawn()
                self._missing -= 1

    def replace(self, attempt: Attempt) -> None:
        """Replace the worker that is stuck in this attempt: a thread cannot be stopped."""
        if processes := self._runner.pipeline.processes:
            processes.kill(attempt.worker)
        self._spawn()

    def close(self) -> None:
        """End the pipeline's processes; idle workers end by themselves, stuck ones are daemons."""
        if processes := self._runner.pipeline.processes:
            processes.close()

    def _spawn(self) -> None:
        Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        scheduler, processes = self._scheduler, self._runner.pipeline.processes
        try:
            while (processes is None or processes.admits()) and (attempt := scheduler.take()) is not None:
                if not self._answer(attempt):
                    break
        except BaseException as error:  # noqa: BLE001 (whatever breaks the harness is raised by ``execute``)
            scheduler.stop(error)
        finally:
            if processes:
                processes.end_current()

    def _answer(self, attempt: Attempt) -> bool:
        """Finish an attempt; returns False if it was timed out and another worker took its place."""
        attempt.worker = get_ident()
        returned, error = None, None
        try:
            returned = self._runner.recall(attempt)
            if attempt.settled:
                return False
            if returned is None:
                if not self._scheduler.admit(attempt):
                    return True
                returned = self._runner.call(attempt)
                if hasattr(returned, "__await__"):
                    returned = _awaited(returned)
        except BaseException as raised:  # noqa: BLE001 (a pipeline, retriever or cache of the user's, its exit too)
            error = raised
        return self._scheduler.conclude(attempt, returned, error)


def _awaited(returned: Any) -> Any:
    """Wait for what a plain function returned although it is a coroutine."""
    import asyncio

    async def wait() -> Any:
        return await returned

    return asyncio.run(wait())
