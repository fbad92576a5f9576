"""Error sentences for exceptions in the user's code: exception, file and line, and similar names."""

from __future__ import annotations

import difflib
import os
import traceback
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ragharness.errors import CodeNotUsable, RagharnessError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

HELP = "give it as package.module:function or path/to/file.py:function"

_STANDARD_LIBRARY = str(Path(os.__file__).parent)


@contextmanager
def users_code(doing: str, spec: str) -> Iterator[None]:
    """Turn whatever the user's code raises, an early exit too, into CodeNotUsable."""
    module = spec.rpartition(":")[0]
    command = f"python '{module}'" if module.endswith(".py") else f"python -c 'import {module}'"
    try:
        yield
    except RagharnessError:
        raise
    except (Exception, SystemExit) as error:
        raise CodeNotUsable(
            f"{doing} failed: {type(error).__name__}: {_said(error)} ({_where(error)})",
            help=f"{command} shows the whole trace",
        ) from error


def near(name: str, names: Iterable[str]) -> str:
    """Return "; did you mean ...?" or nothing."""
    found = difflib.get_close_matches(name, sorted(set(names)), n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(found)}?" if found else ""


def _said(error: BaseException) -> str:
    """Return what an exception says; of bad syntax without the place, which is said anyway."""
    return error.msg if isinstance(error, SyntaxError) else str(error)


def _where(error: BaseException) -> str:
    """Return file and line of the user's own code that is nearest to the error."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}, line {error.lineno}"
    ours = Path(__file__).parents[1]
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith("<") and ours not in Path(frame.filename).parents
    ]
    users = [frame for frame in frames if not _is_installed(frame.filename)]
    for frame in (users or frames)[-1:]:
        return f"{frame.filename}, line {frame.lineno}"
    return "in no file"


def _is_installed(filename: str) -> bool:
    return "site-packages" in filename or filename.startswith(_STANDARD_LIBRARY)
