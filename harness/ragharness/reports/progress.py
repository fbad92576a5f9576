"""Progress on standard error: a live line on a terminal or in a notebook, else a line every ten seconds."""

from __future__ import annotations

import os
import shutil
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # every command line imports this module
    from ragharness.runner.limits import Progress

WIDEST = 80  # columns of text that is written into a file or a pipe, and of tables everywhere
NARROWEST = 20  # columns below which nothing is laid out
_EVERY = 0.2  # seconds between two states of the live line
_EVERY_PIPED = 10.0  # seconds between two lines elsewhere


class Live:
    """The progress of a run on standard error: one line that changes, or a line now and then."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        on_terminal = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._terminal = on_terminal or "ipykernel" in sys.modules
        self._next = time.monotonic() + (0.0 if self._terminal else _EVERY_PIPED)
        self._shown = False
        self._work = "", 0.0

    def say(self, text: str) -> None:
        """Print one line that stays."""
        if not self._quiet:
            self.tell(text)

    def tell(self, text: str) -> None:
        """Print what is no progress but a result: a quiet run says it too."""
        self.clear()
        from ragharness.reports.text import printable

        self._print(printable(text) + "\n")

    def show(self, line: str) -> None:
        """Put a line in the place of the last one."""
        if self._quiet:
            return
        if self._terminal:
            self._print(f"\r{line}\x1b[K")
            self._shown = True
        else:
            self._print(line + "\n")

    def fetching(self, what: str, done: int, total: int, unit: str = "") -> None:
        """Show how far a download is, or work in units; without numbers it is a notice that stays."""
        if not done and not total:
            self.say(what)
        else:
            self.working(what, done, total, unit)

    def working(self, what: str, done: int, total: int, unit: str = "") -> None:
        """Show how far work in units is; a notice is left to whoever prints it elsewhere."""
        if not done and not total:
            return
        if self._work[0] != what:
            self._work = what, time.monotonic()
        if self._due():
            self.show(fetching_line(what, done, total, unit, time.monotonic() - self._work[1]))

    def progress(self, progress: Progress) -> None:
        """Show how far the run is, if it is time to."""
        if self._due():
            room = shutil.get_terminal_size((WIDEST, 24)).columns
            self.show(progress_line(progress, max(NARROWEST, room - 1)))

    def clear(self) -> None:
        """Wipe the live line."""
        if self._shown:
            self._shown = False
            self._print("\r\x1b[K")

    def _due(self) -> bool:
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + (_EVERY if self._terminal else _EVERY_PIPED)
        return True

    def _print(self, text: str) -> None:
        # When nobody reads standard error any more, the run itself still counts.
        with suppress(OSError, ValueError):
            sys.stderr.write(text)
            sys.stderr.flush()


_ERROR = 60  # characters of an error on the progress line


def progress_line(progress: Progress, width: int = 80) -> str:
    """Progress line of a run: answered, outcomes, elapsed and remaining time, how to stop."""
    from ragharness.reports.text import duration, one_line

    left = progress.seconds_left
    last = progress.answered == progress.total
    behind = progress.graded < progress.answered * (1 if last else 0.9)
    parts = [
        f"{progress.answered}/{progress.total}",
        *([f"{progress.graded} graded"] if behind else []),
        f"{progress.as_wanted} as desired",
        f"{progress.ungraded} ungraded",
        *([f"{progress.repeated} retries"] if progress.repeated else []),
        duration(progress.seconds),
        *([f"~{duration(left)} left"] if left is not None else []),
        *([f"first error: {one_line(progress.first_failure, _ERROR)}"] if progress.first_failure else []),
        "Ctrl-C stops and saves",
    ]
    while len("  ".join(parts)) > width and len(parts) > 1:
        # The error is what cannot be read anywhere else: the times go first.
        parts.pop(-2 if parts[-1].startswith("first error") and len(parts) > 2 else -1)
    return "  ".join(parts)


def fetching_line(what: str, done: int, total: int, unit: str = "", seconds: float = 0.0) -> str:
    """Progress of a download in megabytes, or of other work in units, with rate and time left."""
    from ragharness.reports.text import duration, one_line

    if not unit:
        of = f" of {total / 1e6:.1f}" if total else ""
        return f"{one_line(what, 50)}  {done / 1e6:.1f}{of} MB"
    parts = [one_line(what, 50), f"{done:,} of {total:,} {unit}"]
    if done and seconds > 0:
        parts += [f"{done / seconds:,.0f}/s", f"~{duration(seconds / done * (total - done))} left"]
    return "  ".join(parts)
