"""Workers for plain functions: daemon threads, so that a call that never returns cannot hold the exit."""

from __future__ import annotations

from threading import Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ragharness.runner.examiner import Examiner, Turn
    from ragharness.runner.execution import Crew


class Threads:
    """A pool whose lost members are replaced.

    It begins with one worker and gets the next when all wait for the pipeline: where answers come at once,
    threads that take turns at the interpreter only cost time (half as much again at eight).
    """

    def __init__(self, examiner: Examiner, crew: Crew, size: int) -> None:
        self._examiner = examiner
        self._crew = crew
        self._size = size
        self._working = 1

    def start(self) -> None:
        """Start the first worker."""
        self._spawn()

    def grow(self) -> bool:
        """Start another worker if it is of use now; returns whether one may be later."""
        if self._working < self._size and self._crew.waits(self._working):
            self._working += 1
            self._spawn()
        return self._working < self._size

    def replace(self, turn: Turn) -> None:  # noqa: ARG002 (a thread cannot be told to stop)
        """Start a worker in the place of the one that is stuck in this turn."""
        self._spawn()

    def close(self) -> None:
        """Nothing to do: idle workers end by themselves, stuck ones are daemons."""

    def _spawn(self) -> None:
        Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        crew, examiner = self._crew, self._examiner
        try:
            while (turn := crew.take()) is not None:
                returned, error = self._call(turn)
                if not turn.settle():
                    return
                crew.deliver(turn, examiner.fail(turn, error) if error else examiner.conclude(turn, returned))
        except BaseException as error:  # noqa: BLE001 (whatever breaks the harness is raised by ``execute``)
            crew.stop(error)

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
