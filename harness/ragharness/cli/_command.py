"""The command line as it was given: kept with a run, and offered again."""

from __future__ import annotations

import shlex
import sys


def command() -> tuple[str, ...]:
    """Return the command without what may be secret in URLs: it is written to disk."""
    from ragharness.download import public_urls

    return ("ragharness", *map(public_urls, sys.argv[1:]))


def resume_command() -> str:
    """Return the command that continues the run that this one began."""
    return shlex.join(part for part in command() if part != "--fresh")
