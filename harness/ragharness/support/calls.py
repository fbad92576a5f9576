"""Many calls: their pace and what they may cost, shared by all callers, and their results in order."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")
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
