"""A rate limit shared by all callers."""

from __future__ import annotations

import threading
import time


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
