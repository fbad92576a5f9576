"""Workers for asynchronous pipelines: tasks of one event loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import suppress
from threading import Thread
from typing import Any

from ragharness.runner.scheduler import Attempt, QuestionRunner, Scheduler

_PATIENCE = 1.0  # seconds after which a loop that does not react counts as blocked by one of its tasks
_NAP = 0.1  # seconds for which a task waits for its call without asking whether the run has ended


class Tasks:
    """One loop in a thread of its own with ``size`` tasks; a loop that is blocked is replaced as a whole."""

    def __init__(self, runner: QuestionRunner, scheduler: Scheduler, size: int) -> None:
        self._runner = runner
        self._scheduler = scheduler
        self._size = size
        self._loop: asyncio.AbstractEventLoop | None = None

    def start(self) -> None:
        """Start the loop and all workers."""
        self._loop = loop = asyncio.new_event_loop()
        loop.set_exception_handler(_unless_an_exit)
        Thread(target=self._run, args=(loop,), daemon=True).start()
        for _ in range(self._size):
            asyncio.run_coroutine_threadsafe(self._work(loop), loop)

    def fill(self) -> None:
        """Nothing is missing: tasks of one loop do not get in each other's way, all work from the start."""

    def replace(self, attempt: Attempt) -> None:
        """Cancel the task of an attempt that took too long and start another worker."""
        loop = self._loop
        if loop is None or attempt.task.get_loop() is not loop:
            return
        loop.call_soon_threadsafe(attempt.task.cancel)
        try:
            asyncio.run_coroutine_threadsafe(asyncio.sleep(0), loop).result(_PATIENCE)
            asyncio.run_coroutine_threadsafe(self._work(loop), loop)
        except FutureTimeoutError:
            self.start()

    def close(self) -> None:
        """Cancel what still runs and stop the loop, if it reacts."""
        loop, self._loop = self._loop, None
        if loop is None:
            return
        with suppress(FutureTimeoutError, RuntimeError):
            asyncio.run_coroutine_threadsafe(_cancel_others(), loop).result(_PATIENCE)
            loop.call_soon_threadsafe(loop.stop)

    def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        asyncio.set_event_loop(loop)
        while self._loop is loop:
            # A pipeline may stop the loop, or leave it by a SystemExit in its own task; the others go on.
            with suppress(BaseException):
                loop.run_forever()
        loop.close()

    async def _work(self, loop: asyncio.AbstractEventLoop) -> None:
        scheduler = self._scheduler
        try:
            while self._loop is loop and (attempt := scheduler.poll()) is not None:
                if isinstance(attempt, float):
                    await asyncio.sleep(attempt)
                    continue
                attempt.task = asyncio.current_task()
                if not await self._answer(attempt):
                    return
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 (whatever breaks the harness is raised by ``execute``)
            scheduler.stop(error)

    async def _answer(self, attempt: Attempt) -> bool:
        """Finish an attempt; returns False if it was timed out and another task took this place."""
        returned, error = None, None
        try:
            returned = await self._recall(attempt)
            if attempt.settled:
                return False
            if returned is None:
                if not await self._admit(attempt):
                    return True
                returned = await self._runner.call(attempt)
        except BaseException as raised:
            if isinstance(raised, GeneratorExit) and not attempt.task.get_loop().is_running():
                # Not the pipeline's: the task is cleared away.
                raise
            error = raised
        return self._scheduler.conclude(attempt, returned, error)

    async def _recall(self, attempt: Attempt) -> Any:
        """Retrieve beside the loop where a retriever may wait: the other tasks go on."""
        if not getattr(self._runner.retriever, "waits", False):
            return self._runner.recall(attempt)
        answer, error = await _beside(lambda: self._runner.recall(attempt))
        if error:
            raise error
        return answer

    async def _admit(self, attempt: Attempt) -> bool:
        """Wait until the attempt's call may go out; False when none may any more."""
        wait = self._scheduler.reserve()
        ends = time.monotonic() + wait
        while wait > 0 and not self._scheduler.closing.is_set():
            await asyncio.sleep(min(wait, _NAP))
            wait = ends - time.monotonic()
        if self._scheduler.closing.is_set():
            self._scheduler.drop(attempt)
            return False
        return True


def _beside(function: Callable[[], object]) -> asyncio.Future[tuple[Any, BaseException | None]]:
    """Call a function in a thread that nobody waits for at the end; gives what it returned or raised."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()

    def settle(value: object, error: BaseException | None) -> None:
        if not future.done():
            future.set_result((value, error))

    def work() -> None:
        value, error = None, None
        try:
            value = function()
        except BaseException as raised:  # noqa: BLE001 (it is raised where it is waited for)
            error = raised
        # The loop may have been given up meanwhile.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(settle, value, error)

    Thread(target=work, daemon=True).start()
    return future


def _unless_an_exit(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Say what went wrong in tasks of the pipeline's own; their exits were meant for somebody else."""
    if not isinstance(context.get("exception"), (SystemExit, KeyboardInterrupt)):
        loop.default_exception_handler(context)


async def _cancel_others() -> None:
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.wait(others, timeout=_PATIENCE / 2) if others else None
    await asyncio.get_running_loop().shutdown_asyncgens()
