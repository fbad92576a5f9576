"""Workers for plain functions: daemon threads, so that a hanging call cannot block the exit."""

from __future__ import annotations

import time
from threading import Thread, get_ident
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ragharness.runner.crew import Crew
    from ragharness.runner.examiner import Examiner
    from ragharness.runner.turn import Turn

_BUSY = 0.5
"""The share of the time from which on a process counts as computing."""

_LONG = 0.05
"""Seconds after which a call gets company whatever it does."""

_MORE = 3
"""Workers that are added for each that waits."""


class Threads:
    """A pool whose lost members are replaced.

    It begins with one worker and grows fourfold whenever all wait for the pipeline: where answers come at
    once, threads that take turns at the interpreter only cost time (half as much again at eight).
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
