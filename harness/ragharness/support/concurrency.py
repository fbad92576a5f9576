"""Concurrent work: paced and budgeted calls, maps in order over threads or cores, event loops in threads."""

from __future__ import annotations

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
    import asyncio  # slow to import, and reports need none
    from concurrent.futures import Future

T = TypeVar("T")
R = TypeVar("R")
_ROUNDING = 1 + 1e-9  # ten times ten cents are a dollar, whatever binary fractions say
_MOST_PROCESSES = 8  # whatever the cores: each copies the memory that this process writes to


class Pace:
    """Limit of calls per second over all workers."""

    def __init__(self, a_second: float) -> None:
        self.stopped = threading.Event()  # set when nobody is to wait any longer
        self._gap = 1 / a_second
        self._next = 0.0
        self._lock = Lock()

    def reserve(self) -> float:
        """Reserve the next free moment and return the seconds until then."""
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
        """Count a paid call."""
        self.spent += cost
        self._priced += 1

    def allows(self, in_flight: int = 0) -> bool:
        """Whether one more call may be bought while some are under way."""
        if self.most is None:
            return True
        # Those under way and the next one are taken to cost the mean of those before.
        mean = self.spent / self._priced if self._priced else 0.0
        return self.spent < self.most and self.spent + (in_flight + 1) * mean <= self.most * _ROUNDING


def map_in_order(work: Callable[[T], R], inputs: Iterable[T], threads: int) -> Iterator[R]:
    """Yield the results of ``work`` in the order of its inputs, computed by threads.

    With one thread it is done in the caller's own. At most twice as many inputs as threads are in memory.
    """
    if threads <= 1:
        yield from map(work, inputs)
        return
    from concurrent.futures import ThreadPoolExecutor

    remaining = iter(inputs)
    with ThreadPoolExecutor(threads) as pool:
        try:
            in_flight: deque[Future[R]]
            in_flight = deque(pool.submit(work, argument) for argument in islice(remaining, 2 * threads))
            while in_flight:
                yield in_flight.popleft().result()
                in_flight.extend(pool.submit(work, argument) for argument in islice(remaining, 1))
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def map_on_cores(work: Callable[[T], R], inputs: Sequence[T]) -> list[R]:
    """Results of ``work`` in the order of its inputs, computed by forked processes; raises what it raises.

    Where other threads run, which a fork would lack, or without ``fork``, all is done here.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    parts = min(cores, len(inputs), _MOST_PROCESSES) if threading.active_count() == 1 else 1
    forks = [_fork(work, inputs[part::parts]) for part in range(1, parts)]
    shares = [[work(argument) for argument in inputs[:: parts or 1]]]
    for part, (process, pipe) in enumerate(forks, start=1):
        with os.fdopen(pipe, "rb") as stream:
            content, status = stream.read(), 1
        with suppress(ChildProcessError):
            _, status = os.waitpid(process, 0)
        # What failed there is tried here, where it may raise.
        share = None if status else pickle.loads(content)  # noqa: S301 (our own)
        shares.append(share or [work(argument) for argument in inputs[part::parts]])
    return [shares[number % parts][number // parts] for number in range(len(inputs))]


def _fork(work: Callable[[T], R], inputs: Sequence[T]) -> tuple[int, int]:
    """Fork a process that works; returns its number and the pipe of its pickled results."""
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
        with suppress(BaseException), os.fdopen(writing, "wb") as stream:
            pickle.dump([work(argument) for argument in inputs], stream)
            status = 0
    finally:
        os._exit(status)


class Background:
    """An event loop in a thread, which runs coroutines for other threads; started when first needed."""

    def __init__(self, owner: object = None) -> None:
        """``owner``: what has connections of this loop; it is held until the loop has closed them."""
        self._owner = owner
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what a coroutine returns, or raise what it raises."""
        import asyncio

        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                Thread(target=_serve, args=(self._loop, self._owner), daemon=True).start()
                weakref.finalize(self, _stop, self._loop)
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


def _serve(loop: asyncio.AbstractEventLoop, owner: object) -> None:
    try:
        loop.run_forever()
    finally:
        # Clients are closed by generators that wait beside them.
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
        del owner


def _stop(loop: asyncio.AbstractEventLoop) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(loop.stop)


class PerLoop(Generic[T]):
    """One client for each event loop that asks for it.

    A loop that is closed in order first ends its asynchronous generators: one that waits beside the client
    ends it then, so that whoever runs the loop need not know of it.
    """

    def __init__(self, create: Callable[[], T], end: Callable[[T], Awaitable[object]]) -> None:
        self._create = create
        self._end = end
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, tuple[T, AsyncGenerator[None, None]]]
        self._clients = WeakKeyDictionary()

    async def get(self) -> T:
        """The client of the running loop."""
        import asyncio

        loop = asyncio.get_running_loop()
        entry = self._clients.get(loop)
        if entry is None:
            client = self._create()
            self._clients[loop] = entry = client, self._end_with_loop(client)
            await entry[1].__anext__()
        return entry[0]

    async def _end_with_loop(self, client: T) -> AsyncGenerator[None, None]:
        try:
            yield
        finally:
            await self._end(client)
