"""Logs of systems in production, without gold: read from exports as they come, one format a file.

A format's module begins with the sentence that names it, and has ``reads(row)``, which tells its rows by
their shape, and either ``entry(row)`` for formats with an answer a row or ``steps(row)`` for those of spans.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from ragharness.errors import UsageError
from ragharness.support.rows import json_rows
from ragharness.traces.logs._spans import Entry, assembled

_NO_FORMATS = ("assembling", "conventions")
_SHOWN = 60


class Log(NamedTuple):
    """What a file of logs holds."""

    format: str
    entries: list[Entry]
    left_out: int
    """Rows without a question, and rows of another shape than the first."""


def log_formats() -> list[str]:
    """Return the names of all formats: the modules beside this one."""
    return sorted(found.name for found in pkgutil.iter_modules(__path__) if found.name not in _NO_FORMATS)


def read_log(path: Path) -> Log:
    """Read a log, its format told by the shape of its rows; raises UsageError where none is known."""
    rows = json_rows(path, "answers of a system")
    modules = {name: import_module(f"{__name__}.{name}") for name in log_formats()}
    shapes = [next((name for name, each in modules.items() if each.reads(row)), "") for row in rows]
    name = next(filter(None, shapes), "")
    if not name:
        raise UsageError(
            f"expected rows with a question and an answer, or spans of {', '.join(log_formats())}, in {path},"
            f" found {str(rows[0])[:_SHOWN]}",
            help="docs/traces.md shows the shapes",
        )
    module = modules[name]
    own = [row for row, shape in zip(rows, shapes, strict=True) if shape == name]
    left_out = len(rows) - len(own)
    if hasattr(module, "steps"):
        entries, without = assembled([step for row in own for step in module.steps(row)])
        return Log(name, entries, left_out + without)
    read = [module.entry(row, number) for number, row in enumerate(own, 1)]
    entries = [each for each in read if each is not None]
    return Log(name, entries, left_out + len(read) - len(entries))
