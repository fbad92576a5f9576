"""The columns of a question table and their accepted names."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

COLUMNS: dict[str, tuple[str, ...]] = {
    "question": ("question", "text", "query", "prompt", "q"),
    "answer": (
        "answer",
        "answers",
        "expected",
        "expectedanswer",
        "expectedanswers",
        "gold",
        "goldanswer",
        "reference",
        "groundtruth",
        "a",
    ),
    "kind": ("kind", "type"),
    "evidence": ("evidence", "quote", "context", "passage"),
    "document": ("document", "doc", "source", "file", "title"),
    "answerable": ("answerable",),
    "distractors": ("distractors", "distractor", "falseanswers", "wronganswers"),
    "unit": ("unit",),
    "id": ("id", "qid"),
    "note": ("note", "notes", "comment"),
}
"""What a column is called, in small letters without blanks and dashes."""

_UNREAD = "unread"
"""A column whose name begins with note, and is none of them, is the user's own: it is not read."""

_NEEDED: dict[str, tuple[str, ...]] = {"question": (), "answer": ("answerable",)}
"""Columns without which nothing can be asked, and what may stand for them."""


def misnamed(names: Sequence[str]) -> list[str]:
    """Return what is wrong with the names of columns: one unknown, or two that mean the same."""
    told: list[str] = []
    seen: dict[str, str] = {}
    every = [known for spellings in COLUMNS.values() for known in spellings if len(known) > 1]
    for name in names:
        column = column_of(name)
        if name.strip() and not column:
            near = difflib.get_close_matches(folded(name), every, n=1, cutoff=0.6)
            meant = f"did you mean {near[0]!r}?" if near else f"name it {'note ' + name.strip()!r} to keep it"
            told.append(f"unknown column {name.strip()[:80]!r} ({meant})")
        elif column in seen and column != _UNREAD:
            told.append(f"the columns {seen[column]!r} and {name.strip()!r} both mean {column!r}")
        elif column:
            seen[column] = name.strip()
    return told


def folded(name: str) -> str:
    """Return a name in small letters without blanks and dashes."""
    return re.sub(r"[\s_-]+", "", name.strip().lower())


def column_of(name: str) -> str:
    """Return the column that a name means; empty: none."""
    plain = folded(name)
    found = next((column for column, names in COLUMNS.items() if plain in names), "")
    return found or (_UNREAD if plain.startswith("note") else "")


def lacking_of(columns: Collection[str]) -> list[str]:
    """Return the columns without which nothing can be asked and which are not there."""
    return [needed for needed, others in _NEEDED.items() if not {needed, *others} & set(columns)]
