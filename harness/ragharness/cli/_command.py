"""The command line of this process: stored with a run, and printed to continue it."""

from __future__ import annotations

import shlex
import sys


def command() -> tuple[str, ...]:
    """Return the command without what may be secret: it is written to disk."""
    from ragharness.privacy import without_secrets

    return ("ragharness", *map(without_secrets, sys.argv[1:]))


def resume_command(*, raised: bool = False) -> str:
    """Return the command that continues the run that this one began; ``raised``: with twice the budget."""
    parts = [part for part in command() if part != "--fresh"]
    return shlex.join(_with_twice(parts, "--max-cost") if raised else parts)


def _with_twice(parts: list[str], name: str) -> list[str]:
    """Return the command with the number after an option doubled."""
    written = []
    for place, part in enumerate(parts):
        option, equals, value = part.partition("=")
        if option == name and equals:
            part = f"{name}={2 * float(value):g}"  # noqa: PLW2901
        elif place and parts[place - 1] == name:
            part = f"{2 * float(part):g}"  # noqa: PLW2901
        written.append(part)
    return written
