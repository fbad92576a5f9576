"""HTTP: status codes of transient failures, waits before a retry, retries, and unpacking of bodies."""

from __future__ import annotations

import math
import random
import zlib
from collections.abc import Awaitable, Callable, Iterator
from datetime import datetime, timezone
from typing import Any, TypeVar

from ragharness.errors import TemporaryFailure

T = TypeVar("T")
TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})
"""Too early, too many, or a fault of the server or of a proxy."""
LONGEST_WAIT = 120.0  # longest wait in seconds, whatever a service asks for
_FIRST_WAIT = 1.0
_LONGEST_BACKOFF = 60.0
_PATIENCE = 60.0  # longest wait in seconds before a call outside of a run's questions is made again
_DOUBLINGS = 10  # more would not be waited for anyway, and a thousand do not fit a number
_SPREAD = 1.0  # seconds over which clients are spread that were all told to come back at the same time
_PACKED = frozenset({"gzip", "x-gzip", "deflate"})
_BLOCK = 1 << 20  # bytes that are unpacked at once


class Unpacker:
    """Unpacks the pieces of a body in blocks of bounded size: a few bytes may stand for gigabytes."""

    def __init__(self, headers: Any) -> None:
        """Raise ValueError for several encodings on top of each other, and for one that was not asked for."""
        encoding = headers.get("Content-Encoding", "identity").strip().lower() or "identity"
        if encoding != "identity" and encoding not in _PACKED:
            raise ValueError(f"the body is encoded as {encoding[:80]!r}, not as gzip or deflate")
        self._reader = zlib.decompressobj(zlib.MAX_WBITS | 32) if encoding in _PACKED else None

    @property
    def whole(self) -> bool:
        """Whether the packed data is complete."""
        return self._reader is None or self._reader.eof

    def blocks(self, piece: bytes) -> Iterator[bytes]:
        """Yield the content of a piece; raises ValueError for damaged data."""
        if self._reader is None:
            yield piece
            return
        while piece:
            try:
                yield self._reader.decompress(piece, _BLOCK)
            except zlib.error as error:
                raise ValueError(f"damaged data: {error}") from error
            piece = self._reader.unconsumed_tail


def exponential_wait(first: float, attempt: int) -> float:
    """Seconds to wait after so many attempts: the first wait, doubled after each further one."""
    return first * 2.0 ** min(attempt - 1, _DOUBLINGS)


def backoff(attempt: int, requested: float | None, chance: random.Random) -> float:
    """Seconds to wait after so many attempts: exponential with full jitter.

    A wait that the service requested is kept to, up to ``LONGEST_WAIT``, and spread a little.
    Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog 2015.
    """
    if requested is not None:
        return min(requested, LONGEST_WAIT) + chance.uniform(0.0, min(_SPREAD, requested))
    return chance.uniform(0.0, min(_LONGEST_BACKOFF, exponential_wait(_FIRST_WAIT, attempt)))


async def retry(call: Callable[[], Awaitable[T]], attempts: int) -> T:
    """Make a call again after each TemporaryFailure; the last one is raised."""
    import asyncio

    for attempt in range(1, attempts):
        try:
            return await call()
        except TemporaryFailure as failure:  # noqa: PERF203 (a call takes far longer)
            await asyncio.sleep(min(_PATIENCE, failure.retry_after or exponential_wait(0.5, attempt)))
    return await call()


def retry_after(headers: Any) -> float | None:
    """Seconds that the headers of a reply ask to wait, in Retry-After-Ms or Retry-After."""
    if not hasattr(headers, "items"):
        return None
    fields = {str(name).lower(): str(value).strip() for name, value in headers.items()}
    if "retry-after-ms" in fields:
        wait = parse_retry_after(fields["retry-after-ms"])
        return None if wait is None else wait / 1000
    return parse_retry_after(fields.get("retry-after", ""))


def parse_retry_after(value: str, now: datetime | None = None) -> float | None:
    """Seconds of a Retry-After header, a number or a date (RFC 9110, 10.2.3); None for anything else."""
    try:
        seconds = float(value)
    except ValueError:
        from email.utils import parsedate_to_datetime

        try:
            until = parsedate_to_datetime(value)
        except (TypeError, ValueError):
            return None
        until = until if until.tzinfo else until.replace(tzinfo=timezone.utc)
        seconds = max(0.0, (until - (now or datetime.now(timezone.utc))).total_seconds())
    return seconds if 0 <= seconds < math.inf else None
