"""Resources that belong to one event loop and are closed with it: clients, processes."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Generic, TypeVar
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

T = TypeVar("T")


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
