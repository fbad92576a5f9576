"""``Progress``: counts and times of a run in progress."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ragharness.records import Record


class Progress:
    """Counts of a run in progress; ``resume`` adds the records of earlier sessions."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.answered = 0
        self.as_wanted = 0
        self.not_graded = 0
        self.repeated = 0
        """Retries after transient failures."""
        self.before = 0
        """Answers of earlier sessions, which do not count for the speed of this one."""
        self.began = time.monotonic()

    def count(self, record: Record) -> None:
        """Add one record."""
        self.answered += 1
        self.as_wanted += record.as_wanted
        self.not_graded += record.status != "ok"

    def resume(self, records: Iterable[Record]) -> None:
        """Add the records of earlier sessions."""
        for record in records:
            self.count(record)
        self.before = self.answered

    @property
    def seconds(self) -> float:
        """Seconds since this session began."""
        return time.monotonic() - self.began

    @property
    def seconds_left(self) -> float | None:
        """Estimated seconds left; None before the first answer."""
        done = self.answered - self.before
        return self.seconds / done * (self.total - self.answered) if done else None
