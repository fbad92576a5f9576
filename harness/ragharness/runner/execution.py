"""Runs all questions: starts the workers, enforces time limits, passes records on."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ragharness.runner.allowance import Allowance
from ragharness.runner.crew import STEP, Crew
from ragharness.runner.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ragharness.records import Record
    from ragharness.runner.crew import Job
    from ragharness.runner.examiner import Examiner

_TICK = 0.05
"""Seconds between two looks at the clock: how late a time-out may be noticed."""


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
    from ragharness.runner.threads import Threads

    return Threads(examiner, crew, size)


if TYPE_CHECKING:
    from ragharness.runner.tasks import Tasks
    from ragharness.runner.threads import Threads
