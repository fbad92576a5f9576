"""Event loops in threads of their own, and what belongs to a loop."""

from __future__ import annotations

import asyncio
import weakref
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import suppress
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
    from concurrent.futures import Future

T = TypeVar("T")

Outcome = tuple[Any, BaseException | None]
"""What a call returned, or what it raised."""

_PATIENCE = 1.0
"""Seconds after which an event loop that does not react counts as blocked by a call."""


class Background:
    """Runs coroutines for whichever thread waits for them; its loop starts when it is first needed."""

    def __init__(self, owned: object = None) -> None:
        """``owned``: what has connections of this loop; it is held until the loop has closed them."""
        self._owned = owned
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what a coroutine returns, or raise what it raises."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                Thread(target=_serve, args=(self._loop, self._owned), daemon=True).start()
                weakref.finalize(self, _stop, self._loop)
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


def _serve(loop: asyncio.AbstractEventLoop, owned: object) -> None:
    try:
        loop.run_forever()
    finally:
        # Clients are closed by generators that wait beside them.
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
        del owned


def _stop(loop: asyncio.AbstractEventLoop) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(loop.stop)


class SharedLoop:
    """The event loop that all calls of an asynchronous pipeline share; one that a call blocks is replaced."""

    def __init__(self) -> None:
        self._closed = False
        self._loops: list[asyncio.AbstractEventLoop] = []
        self._add()

    def submit(self, call: Callable[[], Any]) -> Future[Outcome]:
        """Make an asynchronous call."""
        return asyncio.run_coroutine_threadsafe(outcome_of(call), self._loops[-1])

    def give_up(self, call: Future[Outcome]) -> None:
        """Cancel a call; where the loop does not go on then, later calls get another one."""
        call.cancel()
        try:
            asyncio.run_coroutine_threadsafe(asyncio.sleep(0), self._loops[-1]).result(_PATIENCE)
        except FutureTimeoutError:
            self._add()

    def close(self) -> None:
        """Cancel what still runs and end the loop; one that is blocked ends when it goes on."""
        self._closed = True
        ends = [asyncio.run_coroutine_threadsafe(_end(), loop) for loop in self._loops]
        with suppress(FutureTimeoutError):
            ends[-1].result(_PATIENCE)

    def _add(self) -> None:
        loop = asyncio.new_event_loop()
        loop.set_exception_handler(_unless_an_exit)
        self._loops.append(loop)
        Thread(target=self._serve, args=(loop,), daemon=True).start()

    def _serve(self, loop: asyncio.AbstractEventLoop) -> None:
        asyncio.set_event_loop(loop)
        while not self._closed:
            # A pipeline may stop the loop, or leave it by a SystemExit in its own task; the others go on.
            with suppress(BaseException):
                loop.run_forever()
        loop.close()


def _unless_an_exit(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Say what went wrong in tasks of the pipeline's own; their exits were meant for somebody else."""
    if not isinstance(context.get("exception"), (SystemExit, KeyboardInterrupt)):
        loop.default_exception_handler(context)


async def _end() -> None:
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.wait(others, timeout=_PATIENCE / 2) if others else None
    await asyncio.get_running_loop().shutdown_asyncgens()
    asyncio.get_running_loop().stop()


async def outcome_of(call: Callable[[], Any]) -> Outcome:
    """Return what an asynchronous call gives, its own exit too; only a cancellation is raised."""
    try:
        return await call(), None
    except (GeneratorExit, asyncio.CancelledError):
        raise
    except BaseException as error:  # noqa: BLE001 (SystemExit of a pipeline included)
        return None, error


class PerLoop(Generic[T]):
    """One thing for each loop that asks for it.

    A loop that is closed in order first ends its asynchronous generators: one that waits beside the thing
    ends it then, so that whoever runs the loop need not know of it.
    """

    def __init__(self, made: Callable[[], T], end: Callable[[T], Awaitable[object]]) -> None:
        self._made = made
        self._end = end
        self._held: WeakKeyDictionary[asyncio.AbstractEventLoop, tuple[T, AsyncGenerator[None, None]]]
        self._held = WeakKeyDictionary()

    async def get(self) -> T:
        """Return the running loop's own."""
        loop = asyncio.get_running_loop()
        held = self._held.get(loop)
        if held is None:
            thing = self._made()
            self._held[loop] = held = thing, self._waiting(thing)
            await held[1].__anext__()
        return held[0]

    async def _waiting(self, thing: T) -> AsyncGenerator[None, None]:
        try:
            yield
        finally:
            await self._end(thing)
