"""Event loops in threads of their own, and what belongs to a loop."""

from __future__ import annotations

import asyncio
import os
import pickle
import threading
import time
import warnings
import weakref
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from concurrent.futures import Future

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


R = TypeVar("R")

_ROUNDING = 1 + 1e-9
"""Ten times ten cents are a dollar, whatever binary fractions say."""


class Pace:
    """Lets at most so many calls a second through, whatever the number of workers."""

    def __init__(self, a_second: float) -> None:
        self.stopped = threading.Event()
        """Set when nobody is to wait any longer."""
        self._gap = 1 / a_second
        self._next = 0.0
        self._lock = threading.Lock()

    def reserve(self) -> float:
        """Return the seconds until the next call may go out, and keep that moment for the caller."""
        with self._lock:
            now = time.monotonic()
            moment = max(now, self._next)
            self._next = moment + self._gap
        return moment - now

    def turn(self) -> None:
        """Wait for the next free moment."""
        self.stopped.wait(self.reserve())

    def pause(self, seconds: float) -> None:
        """Let nobody through for so long."""
        with self._lock:
            self._next = max(self._next, time.monotonic() + seconds)


class Spending:
    """US dollars spent under a limit; not safe to be changed by two threads at once."""

    def __init__(self, most: float | None = None, spent: float = 0.0, priced: int = 0) -> None:
        """``most``: None means no limit; ``priced``: the calls that cost what is ``spent``."""
        self.most = most
        self.spent = spent
        self._priced = priced

    def add(self, cost: float) -> None:
        """Count a call that was paid for."""
        self.spent += cost
        self._priced += 1

    def allows(self, flying: int = 0) -> bool:
        """Say whether one more call may be bought while ``flying`` are under way."""
        if self.most is None:
            return True
        # Those under way and the next one are taken to cost the mean of those before.
        mean = self.spent / self._priced if self._priced else 0.0
        return self.spent < self.most and self.spent + (flying + 1) * mean <= self.most * _ROUNDING


def in_order(work: Callable[[T], R], items: Iterable[T], threads: int) -> Iterator[R]:
    """Yield what ``work`` makes of each item, in their order.

    With one thread it is done in the caller's own. Twice as many items as threads are held at once.
    """
    if threads <= 1:
        yield from map(work, items)
        return
    from concurrent.futures import ThreadPoolExecutor

    left = iter(items)
    with ThreadPoolExecutor(threads) as pool:
        try:
            flying: deque[Future[R]] = deque(pool.submit(work, each) for each in islice(left, 2 * threads))
            while flying:
                yield flying.popleft().result()
                flying.extend(pool.submit(work, each) for each in islice(left, 1))
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


_MOST = 8
"""Processes, however many cores there are: each holds a copy of what this one writes to."""


def on_all_cores(work: Callable[[T], R], items: Sequence[T]) -> list[R]:
    """Return what work makes of each item, in their order; raises what it raises.

    Copies of this process do their shares beside it. Where other threads run, which a copy would lack, or
    without ``fork``, all is done here.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    parts = min(cores, len(items), _MOST) if threading.active_count() == 1 else 1
    others = [_begun(work, items[part::parts]) for part in range(1, parts)]
    shares = [[work(each) for each in items[:: parts or 1]]]
    for part, (process, pipe) in enumerate(others, start=1):
        with os.fdopen(pipe, "rb") as answer:
            content, status = answer.read(), 1
        with suppress(ChildProcessError):
            _, status = os.waitpid(process, 0)
        # What failed there is tried here, where it may raise.
        known = None if status else pickle.loads(content)  # noqa: S301 (our own)
        shares.append(known or [work(each) for each in items[part::parts]])
    return [shares[number % parts][number // parts] for number in range(len(items))]


def _begun(work: Callable[[T], R], items: Sequence[T]) -> tuple[int, int]:
    """Start a copy of this process that works; returns its number and where it writes what came of it."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # Python warns of threads, those too that only libraries know of and that hold no lock of ours.
        warnings.simplefilter("ignore", DeprecationWarning)
        process = os.fork()
    if process:
        os.close(writing)
        return process, reading
    status = 1
    try:
        with suppress(BaseException), os.fdopen(writing, "wb") as answer:
            pickle.dump([work(each) for each in items], answer)
            status = 0
    finally:
        os._exit(status)
