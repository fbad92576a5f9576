"""Work that several threads do, with its results in order."""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future

T = TypeVar("T")
R = TypeVar("R")


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
