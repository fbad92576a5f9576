"""HTTP: status codes of transient failures, the wait before a retry, retries, and bodies unpacked."""

from __future__ import annotations

import math
import random
import zlib
from collections.abc import Awaitable, Callable, Iterator
from datetime import datetime, timezone
from typing import Any, TypeVar

from ragharness.errors import TemporaryFailure

T = TypeVar("T")

PASSING = frozenset({408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})
"""Too early, too many, or a fault of the server or of what stands before it."""

LONGEST_WAIT = 120.0
"""Seconds that a service is waited for at most, whatever it asks for."""

_FIRST_WAIT = 1.0
_LONGEST_BACKOFF = 60.0
_PATIENCE = 60.0
"""Seconds that a call which is no question of a run waits at most before it is made again."""
_DOUBLINGS = 10
"""More of them would not be waited for anyway, and a thousand do not fit a number."""
_SPREAD = 1.0
"""Seconds over which those are spread that were all told to come back at the same time."""


_PACKED = frozenset({"gzip", "x-gzip", "deflate"})
_BLOCK = 1 << 20
"""Bytes that are unpacked at once."""


class Unpacker:
    """Unpacks the pieces of a body in blocks of bounded size: a few bytes may stand for gigabytes."""

    def __init__(self, headers: Any) -> None:
        """Raise ValueError for several encodings on top of each other, and for one that is not asked for."""
        named = headers.get("Content-Encoding", "identity").strip().lower() or "identity"
        if named != "identity" and named not in _PACKED:
            raise ValueError(f"expected a body as gzip or deflate or unpacked, found it as {named[:80]!r}")
        self._reader = zlib.decompressobj(zlib.MAX_WBITS | 32) if named in _PACKED else None

    @property
    def whole(self) -> bool:
        """Whether the end was seen of what is packed."""
        return self._reader is None or self._reader.eof

    def blocks(self, piece: bytes) -> Iterator[bytes]:
        """Yield what a piece holds; raises ValueError for damaged data."""
        if self._reader is None:
            yield piece
            return
        while piece:
            try:
                yield self._reader.decompress(piece, _BLOCK)
            except zlib.error as error:
                raise ValueError(f"damaged data: {error}") from error
            piece = self._reader.unconsumed_tail


def doubled(first: float, attempt: int) -> float:
    """Return the seconds to wait after so many attempts: the first wait, doubled after each further one."""
    return first * 2.0 ** min(attempt - 1, _DOUBLINGS)


def backoff(attempt: int, asked: float | None, chance: random.Random) -> float:
    """Return the seconds to wait after so many attempts: exponential with full jitter.

    What the service asked for is kept to, up to ``LONGEST_WAIT``, and spread a little.
    Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog 2015.
    """
    if asked is not None:
        return min(asked, LONGEST_WAIT) + chance.uniform(0.0, min(_SPREAD, asked))
    return chance.uniform(0.0, min(_LONGEST_BACKOFF, doubled(_FIRST_WAIT, attempt)))


async def retried(call: Callable[[], Awaitable[T]], attempts: int) -> T:
    """Return what a call gives, made again after each TemporaryFailure; the last one is raised."""
    import asyncio

    for attempt in range(1, attempts):
        try:
            return await call()
        except TemporaryFailure as failure:  # noqa: PERF203 (a call takes far longer)
            await asyncio.sleep(min(_PATIENCE, failure.retry_after or doubled(0.5, attempt)))
    return await call()


def retry_after(headers: Any) -> float | None:
    """Return the seconds that the headers of a reply ask to wait, in Retry-After-Ms or Retry-After."""
    if not hasattr(headers, "items"):
        return None
    found = {str(name).lower(): str(value).strip() for name, value in headers.items()}
    if "retry-after-ms" in found:
        wait = wait_of(found["retry-after-ms"])
        return None if wait is None else wait / 1000
    return wait_of(found.get("retry-after", ""))


def wait_of(asked: str, now: datetime | None = None) -> float | None:
    """Return the seconds of a Retry-After header, a number or a date (RFC 9110, 10.2.3); None for neither."""
    try:
        seconds = float(asked)
    except ValueError:
        from email.utils import parsedate_to_datetime

        try:
            until = parsedate_to_datetime(asked)
        except (TypeError, ValueError):
            return None
        until = until if until.tzinfo else until.replace(tzinfo=timezone.utc)
        seconds = max(0.0, (until - (now or datetime.now(timezone.utc))).total_seconds())
    return seconds if 0 <= seconds < math.inf else None
