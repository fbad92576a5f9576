"""Limits of a run (retries, calls per minute, money, time), its progress, and failures of its calls.

A record keeps an exception short, printable and without secrets. Whether it may pass is read without knowing
any client library: a status from ``status_code``, ``status`` or ``code`` of the exception or of its
``response``; a cut connection or a time-out by the names of its exception's classes. What was raised ``from``
another is read by both.
"""

from __future__ import annotations

import math
import os
import time
import traceback
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from ragharness.config import MAX_FAILURES, RETRIES
from ragharness.errors import AccessRefused, TemporaryFailure, UsageError
from ragharness.records import Failure, Record
from ragharness.support.concurrency import Pace, Spending
from ragharness.support.http import TRANSIENT, retry_after
from ragharness.support.messages import error_line, library_folders, message_kind, redact, split_frames


@dataclass
class Limits:
    """The limits of one session; a run without any pays nothing for them."""

    retries: int = RETRIES
    max_failures: int = MAX_FAILURES
    rpm: float | None = None
    max_time: float = math.inf  # seconds
    spending: Spending = field(default_factory=Spending)  # of the whole run, earlier sessions included
    stopped: str = ""  # why the session ended early; empty: it did not

    def __post_init__(self) -> None:
        self._ends = time.monotonic() + self.max_time
        self._pace = Pace(self.rpm / 60) if self.rpm else None
        self._lock = Lock()
        self._left = self.max_failures
        self._first: tuple[str, ...] = ()

    def reserve(self) -> float:
        """Seconds until the next call may start, and reserve that moment for the caller."""
        return self._pace.reserve() if self._pace else 0.0

    def overtime(self) -> str:
        """Why time is up; empty: it is not."""
        if time.monotonic() < self._ends:
            return ""
        return f"--max-time {span(self.max_time)} is over"

    def count(self, record: Record, flying: int) -> str:
        """Charge the cost of an answer; return why no further one may be asked, if so.

        ``flying`` calls are under way and will cost what calls cost on average. Raises UsageError for an
        answer of unknown cost: the promise could not be kept.
        """
        if self.spending.most is None or record.answer is None or record.attempts == 0:
            return ""
        usage = record.answer.usage
        if usage is not None and usage.from_cache:
            return ""
        if usage is None or usage.cost is None:
            raise UsageError(
                f"expected every answer to report its cost because of --max-cost, found that the one to"
                f" {record.question} does not: an unknown cost cannot be kept within a budget",
                help="drop --max-cost (--max-time limits a run too) or give its prices: docs/llm.md",
            )
        with self._lock:
            self.spending.add(usage.cost)
        return self.overspent(flying)

    def failed(self, failure: Failure | None) -> str:
        """Take note of how a call ended (None: well); return why to stop if the first ones fail alike."""
        if not self._left:
            return ""
        with self._lock:
            kind = (failure.type, failure.where, message_kind(failure.message)) if failure else ()
            self._first = self._first or kind
            self._left = self._left - 1 if kind and kind == self._first else 0
            if self._left or not failure or kind != self._first:
                return ""
        alike = error_line(failure.type, failure.message, failure.where)
        return f"the first {self.max_failures} calls failed alike: {alike}"

    def overspent(self, flying: int = 0) -> str:
        """Why no further answer may be asked; empty: one may."""
        if self.spending.allows(flying):
            return ""
        return f"--max-cost {self.spending.most:g} is used up"

    @property
    def reason(self) -> str:
        """Why the session ended early, with the cost so far; empty: it did not."""
        if not self.stopped or self.spending.most is None:
            return self.stopped
        return f"{self.stopped} (${self.spending.spent:.4g} spent)"


def span(seconds: float) -> str:
    """Seconds as ``--max-time`` is written, in the largest unit that divides them."""
    for unit, size in (("h", 3600.0), ("m", 60.0)):
        if seconds >= size and seconds % size == 0:
            return f"{seconds / size:g}{unit}"
    return f"{seconds:g}s"


@dataclass
class Progress:
    """How far a run is, earlier sessions included."""

    total: int
    answered: int = 0  # answers on disk
    graded: int = 0  # answers known to be graded or ungradable, the two counts below among them
    as_wanted: int = 0
    ungraded: int = 0
    repeated: int = 0  # calls that failed in passing and were put off for a while
    first_failure: str = ""  # the first failure of this session, on one line; empty: none

    def __post_init__(self) -> None:
        """Begin to measure; answers of earlier sessions say nothing about the speed of this one."""
        self.before = self.answered
        self.began = time.monotonic()

    def count(self, record: Record) -> None:
        """Add the record of an answer."""
        self.graded += 1
        self.as_wanted += record.as_wanted
        self.ungraded += record.status != "ok"

    @property
    def seconds(self) -> float:
        """Seconds since this session began."""
        return time.monotonic() - self.began

    @property
    def seconds_left(self) -> float | None:
        """Seconds that the rest takes at the pace so far; None before the first answer."""
        done = self.answered - self.before
        return self.seconds / done * (self.total - self.answered) if done else None


_LONGEST = 2000  # characters of an exception's message that are kept
_LONGEST_TRACE = 6000  # characters of a traceback that are kept: its end, where the error is


_REFUSED = frozenset({401, 403})

_CUT = frozenset(  # exceptions of Python and of common clients that mean a cut connection
    {
        "APIConnectionError",
        "ChunkedEncodingError",
        "ClientConnectionError",
        "ClientPayloadError",
        "ConnectionError",
        "EndpointConnectionError",
        "IncompleteRead",
        "NetworkError",
        "ProtocolError",
        "RemoteProtocolError",
        "Timeout",
        "TimeoutError",
        "TimeoutException",
        "URLError",
    }
)

_LASTING = frozenset({"SSLCertVerificationError", "LocalProtocolError"})  # reasons that no waiting mends
_DEPTH = 5  # exceptions of a chain that are looked at


class Reported(Exception):
    """An exception of another process, of which only what a record keeps has come over."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


def describe(error: BaseException, where: str = "") -> Failure:
    """Exception's type, message, place and traceback; never raises.

    ``where`` says what raised it if not the pipeline. The place is the last frame of the user's own code.
    """
    if isinstance(error, Reported):
        return error.failure
    kind = type(error).__name__
    try:
        message = str(error)
    except BaseException:  # noqa: BLE001 (an exception that cannot even be printed)
        message = "(its message cannot be read)"
    message = _kept(message[: 2 * _LONGEST])[:_LONGEST]
    frames, own = split_frames(error)
    last = (own or frames)[-1:]
    place = "".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in last)
    short = [
        traceback.FrameSummary(_short(frame.filename), frame.lineno, frame.name, line=frame.line)
        for frame in frames
    ]
    trace = _kept("".join(traceback.format_list(short)))[-_LONGEST_TRACE:]
    return Failure(f"{kind} {where}".strip(), message, place, trace)


def _kept(text: str) -> str:
    return redact(text).encode("utf-8", "replace").decode("utf-8")


def _short(filename: str) -> str:
    """File's path without the folder of the machine that it lies in."""
    folders = list(library_folders())
    with suppress(OSError):
        folders.append(str(Path.cwd()))
    for folder in folders:
        if folder and filename.startswith(f"{folder}{os.sep}"):
            return filename[len(folder) + 1 :]
    return filename


@dataclass(frozen=True)
class Passing:
    """A failure that may be gone soon."""

    retry_after: float | None = None  # seconds that the service asked to wait
    cut: bool = False  # whether no service answered: the connection was cut or never came about


def judge(error: BaseException) -> Passing | AccessRefused | None:
    """Whether a failure passes, or a refusal of the credentials; None: it is the question's own."""
    for link in _chain(error):
        if isinstance(link, AccessRefused):
            return link
        if isinstance(link, TemporaryFailure):
            cut = any(isinstance(cause, Exception) and _is_cut(cause) for cause in _chain(link.__cause__))
            return Passing(link.retry_after, cut=cut)
        if isinstance(link, Exception) and (fate := _judged(link)) is not None:
            return fate
    return None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    for _ in range(_DEPTH):
        if error is None:
            return
        yield error
        error = error.__cause__


def _judged(error: Exception) -> Passing | AccessRefused | None:
    try:
        status, headers = _status(error), _headers(error)
        if status in _REFUSED or getattr(error, "code", None) == "insufficient_quota":
            return _refusal(error, status)
        if status is not None:
            return Passing(retry_after(headers)) if status in TRANSIENT else None
    except BaseException:  # noqa: BLE001 (the exception is foreign and its attributes may do anything)
        return None
    return Passing(cut=True) if _is_cut(error) else None


def _refusal(error: Exception, status: int | None) -> AccessRefused:
    failure = describe(error)
    message = " ".join(failure.message.split())[:300] or "no reason given"
    what = f"{status} ({failure.type}: {message})" if status else f"{failure.type}: {message}"
    message = f"expected the pipeline's service to accept the credentials, found {what}"
    return AccessRefused(message, help="correct the key")


def _status(error: Any) -> int | None:
    response = getattr(error, "response", None)
    for holder in (error, response):
        for name in ("status_code", "status", "code"):
            value = getattr(holder, name, None)
            if isinstance(value, int) and not isinstance(value, bool) and 100 <= value < 600:
                return int(value)
    if isinstance(response, dict):
        # The clients of AWS keep their answers as dictionaries.
        value = response.get("ResponseMetadata", {}).get("HTTPStatusCode")
        return value if isinstance(value, int) else None
    return None


def _headers(error: Any) -> Any:
    response = getattr(error, "response", None)
    if isinstance(response, dict):
        return response.get("ResponseMetadata", {}).get("HTTPHeaders")
    return getattr(response, "headers", None) or getattr(error, "headers", None)


def _is_cut(error: Exception) -> bool:
    reason = getattr(error, "reason", None)
    reasons = [*_chain(error), *([reason] if isinstance(reason, BaseException) else [])]
    return bool(_CUT & _names(error)) and not any(_LASTING & _names(cause) for cause in reasons)


def _names(error: BaseException) -> set[str]:
    return {kind.__name__ for kind in type(error).__mro__}
