"""The limits of a run: retries, calls per minute, money, time."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from threading import Lock

from ragharness.config import MAX_FAILURES, RETRIES
from ragharness.errors import UsageError
from ragharness.records import Failure, Record
from ragharness.support.concurrency import Pace, Spending
from ragharness.support.messages import kind_of, told


@dataclass
class Limits:
    """The limits of one session; a run without any pays nothing for them."""

    retries: int = RETRIES
    max_failures: int = MAX_FAILURES
    rpm: float | None = None
    max_time: float = math.inf
    """Seconds."""
    spending: Spending = field(default_factory=Spending)
    """Of the whole run, earlier sessions included."""
    stopped: str = ""
    """Why the session ended early; empty: it did not."""

    def __post_init__(self) -> None:
        """Begin to count."""
        self._ends = time.monotonic() + self.max_time
        self._pace = Pace(self.rpm / 60) if self.rpm else None
        self._lock = Lock()
        self._left = self.max_failures
        self._first: tuple[str, ...] = ()

    def reserve(self) -> float:
        """Return the seconds until the next call may start, and reserve that moment for the caller."""
        return self._pace.reserve() if self._pace else 0.0

    def overtime(self) -> str:
        """Return why time is up; empty: it is not."""
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
            kind = (failure.type, failure.where, kind_of(failure.message)) if failure else ()
            self._first = self._first or kind
            self._left = self._left - 1 if kind and kind == self._first else 0
            if self._left or not failure or kind != self._first:
                return ""
        alike = told(failure.type, failure.message, failure.where)
        return f"the first {self.max_failures} calls failed alike: {alike}"

    def overspent(self, flying: int = 0) -> str:
        """Return why no further answer may be asked; empty: one may."""
        if self.spending.allows(flying):
            return ""
        return f"--max-cost {self.spending.most:g} is used up"

    @property
    def reason(self) -> str:
        """Why the session ended early, with the cost so far; empty: it did not."""
        spent = (
            f" (${self.spending.spent:.4g} spent)" if self.stopped and self.spending.most is not None else ""
        )
        return f"{self.stopped}{spent}"


def span(seconds: float) -> str:
    """Return seconds as ``--max-time`` is written, in the largest unit that divides them."""
    for unit, size in (("h", 3600.0), ("m", 60.0)):
        if seconds >= size and seconds % size == 0:
            return f"{seconds / size:g}{unit}"
    return f"{seconds:g}s"


@dataclass
class Progress:
    """How far a run is, earlier sessions included."""

    total: int
    answered: int = 0
    """Answers on disk."""
    graded: int = 0
    """Answers of which it is known whether they can be graded, the two counts below among them."""
    as_wanted: int = 0
    ungraded: int = 0
    repeated: int = 0
    """Calls that failed in passing and were put off for a while."""
    first_failure: str = ""
    """The first failure of this session, on one line; empty: none."""

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
