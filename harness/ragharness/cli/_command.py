"""The command line as it was given: kept with a run, and offered again."""

from __future__ import annotations

import re
import shlex
import sys


def command() -> tuple[str, ...]:
    """Return the command without logins in URLs: it is written to disk."""
    return ("ragharness", *(re.sub(r"(?<=://)[^/\s@]+@", "", part) for part in sys.argv[1:]))


def resume_command() -> str:
    """Return the command that continues the run that this one began."""
    return shlex.join(part for part in command() if part != "--fresh")
