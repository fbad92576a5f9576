"""Exceptions of pipelines and graders as stored in records: short, printable, without secrets."""

from __future__ import annotations

import os
import sysconfig
import traceback
from pathlib import Path

from ragharness.privacy import without_secrets
from ragharness.records import Failure

_LONGEST = 2000
"""Characters of an exception's message that are kept."""

_LONGEST_TRACE = 6000
"""Characters of a traceback that are kept: its end, where the error is."""

_OURS = str(Path(__file__).parents[1])
_INSTALLED = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})


class Reported(Exception):
    """An exception of another process, of which only what a record keeps has come over."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


def describe(error: BaseException, where: str = "") -> Failure:
    """Return an exception's type, message, place and traceback; never raises.

    ``where`` says what raised it if not the pipeline. The place is the last frame of the user's own code.
    """
    if isinstance(error, Reported):
        return error.failure
    kind = type(error).__name__
    try:
        message = str(error)
    except Exception:  # noqa: BLE001 (an exception that cannot even be printed)
        message = "(its message cannot be read)"
    message = _kept(message[: 2 * _LONGEST])[:_LONGEST]
    frames = [
        each for each in traceback.extract_tb(error.__traceback__) if not each.filename.startswith(_OURS)
    ]
    own = [each for each in frames if not each.filename.startswith((*_INSTALLED, "<"))]
    last = (own or frames)[-1:]
    place = "".join(f"{Path(each.filename).name}:{each.lineno}" for each in last)
    short = [
        traceback.FrameSummary(_short(each.filename), each.lineno, each.name, line=each.line)
        for each in frames
    ]
    trace = _kept("".join(traceback.format_list(short)))[-_LONGEST_TRACE:]
    return Failure(f"{kind} {where}".strip(), message, place, trace)


def _kept(text: str) -> str:
    return without_secrets(text).encode("utf-8", "replace").decode("utf-8")


def _short(filename: str) -> str:
    """Return a file's path without the folder of the machine that it lies in."""
    for folder in (*_INSTALLED, _working_folder()):
        if folder and filename.startswith(f"{folder}{os.sep}"):
            return filename[len(folder) + 1 :]
    return filename


def _working_folder() -> str:
    try:
        return str(Path.cwd())
    except OSError:
        return ""
