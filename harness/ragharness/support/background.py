"""Event loops in threads of their own, and what belongs to a loop."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from threading import Lock, Thread
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

T = TypeVar("T")


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
