"""Logs of systems in production, without gold: read from exports as they come, one format a file.

A format's module begins with the sentence that names it, and has ``reads(row)``, which tells its rows by
their shape, and either ``entry(row)`` for formats with an answer a row or ``steps(row)`` for those of spans.
"""

from __future__ import annotations

import pkgutil
import random
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from ragharness.config import DEFAULT_SEED
from ragharness.errors import UsageError
from ragharness.support.files import json_rows
from ragharness.traces.logs._spans import Entry, assembled

__all__ = ["Entry", "Log", "log_formats", "read_log", "sample"]
_EXCERPT = 60  # characters of an unreadable row in its error


class Log(NamedTuple):
    """The entries of a log and their format."""

    format: str
    entries: list[Entry]
    left_out: int  # rows without a question, and rows of another shape than the first


def log_formats() -> list[str]:
    """Names of all formats: the modules beside this one that do not begin with an underscore."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if module.name[0] != "_")


def read_log(path: Path) -> Log:
    """The log in a file, its format told by the shape of its rows; raises UsageError where none is known."""
    rows = json_rows(path, "answers of a system")
    modules = {name: import_module(f"{__name__}.{name}") for name in log_formats()}
    shapes = [next((name for name, module in modules.items() if module.reads(row)), "") for row in rows]
    name = next(filter(None, shapes), "")
    if not name:
        raise UsageError(
            f"{path} has neither rows with a question and an answer nor spans of {', '.join(log_formats())}:"
            f" {str(rows[0])[:_EXCERPT]}",
            help="docs/traces.md shows the shapes",
        )
    module = modules[name]
    readable = [row for row, shape in zip(rows, shapes, strict=True) if shape == name]
    left_out = len(rows) - len(readable)
    if hasattr(module, "steps"):
        entries, without_question = assembled([step for row in readable for step in module.steps(row)])
        return Log(name, entries, left_out + without_question)
    answers = [module.entry(row, number) for number, row in enumerate(readable, 1)]
    entries = [entry for entry in answers if entry is not None]
    return Log(name, entries, left_out + len(answers) - len(entries))


def sample(entries: Sequence[Entry], n: int, seed: int = DEFAULT_SEED) -> list[dict[str, Any]]:
    """Answers drawn at random as ``calibrate`` takes them, ``answers`` and ``label`` to be filled."""
    answered = sorted((entry for entry in entries if entry.answer), key=lambda entry: entry.id)
    drawn = random.Random(seed).sample(answered, min(n, len(answered)))
    return [
        {
            "id": entry.id,
            "question": entry.question,
            "answers": [],
            "answer": entry.answer,
            "label": "",
            **({} if entry.citations is None else {"citations": list(entry.citations)}),
            "passages": [{"id": p.id, "title": p.title, "text": p.text} for p in entry.passages or ()],
        }
        for entry in drawn
    ]
