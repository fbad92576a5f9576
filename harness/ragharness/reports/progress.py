"""The progress line of runs and downloads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.reports.text import duration, one_line

if TYPE_CHECKING:
    from ragharness.runner import Progress

_ERROR = 60
"""Characters of an error on the progress line."""


def progress_line(progress: Progress, width: int = 80) -> str:
    """Return the progress line of a run: answered, outcomes, elapsed and remaining time, how to stop."""
    left = progress.seconds_left
    parts = [
        f"{progress.answered}/{progress.total}",
        *([f"{progress.graded} graded"] if progress.graded < progress.answered == progress.total else []),
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
    """Return the progress of a download in megabytes, or of other work in units, with rate and time left."""
    if not unit:
        of = f" of {total / 1e6:.1f}" if total else ""
        return f"{one_line(what, 50)}  {done / 1e6:.1f}{of} MB"
    parts = [one_line(what, 50), f"{done:,} of {total:,} {unit}"]
    if done and seconds > 0:
        parts += [f"{done / seconds:,.0f}/s", f"~{duration(seconds / done * (total - done))} left"]
    return "  ".join(parts)
