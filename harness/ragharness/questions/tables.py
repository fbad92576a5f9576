"""Reads a table of questions and answers, CSV or JSON Lines, into rows of named cells.

Columns: question, answer; if wanted kind, evidence, document, answerable, distractors, unit, id, note.
"""

from __future__ import annotations

import csv
import difflib
import io
import json
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from ragharness.corpus.folders.text import decode
from ragharness.errors import QuestionsNotUsable

Cells = dict[str, Any]
"""The cells of a row by their columns."""

Problems = list[tuple[int, str]]
"""The lines that cannot be read, and why."""

_HEADER = 'the first line names the columns, at least "question" and "answer"; see docs/own.md'
_CSV = frozenset({".csv", ".tsv"})

_COLUMNS = {
    "question": "question text query prompt q",
    "answer": "answer answers expected expectedanswer expectedanswers gold goldanswer reference"
    " groundtruth a",
    "kind": "kind type",
    "evidence": "evidence quote context passage",
    "document": "document doc source file title",
    "answerable": "answerable",
    "distractors": "distractors distractor falseanswers wronganswers",
    "unit": "unit",
    "id": "id qid",
    "note": "note notes comment",
}
"""What a column is called, in small letters without blanks and dashes."""

_NAMES = {name: column for column, names in _COLUMNS.items() for name in names.split()}
_UNREAD = "unread"
"""A column whose name begins with note, and is none of them, is the user's own: it is not read."""

_NEEDED: dict[str, tuple[str, ...]] = {"question": (), "answer": ("answerable",)}
"""Columns without which nothing can be asked, and what may stand for them."""

MOST = 200
"""Bad rows or columns that are named in one message; the rest is counted."""


def is_csv(path: Path) -> bool:
    """Whether a file is named as a table with columns, and not as one of objects."""
    return path.suffix.lower() in _CSV


def is_table(content: bytes, path: Path) -> bool:
    """Whether a question file is a table of questions and answers, and no file of complete questions."""
    if is_csv(path):
        return True
    first = next((line for line in content.removeprefix(b"\xef\xbb\xbf").splitlines() if line.strip()), b"")
    try:
        row = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return (
        isinstance(row, dict) and "stratum" not in row and "question" in {_folded(str(name)) for name in row}
    )


def read_rows(content: bytes, path: Path) -> tuple[list[tuple[int, Cells]], Problems]:
    """Return the rows of a table with their lines, and what is wrong with others.

    Raises QuestionsNotUsable for what is no such table.
    """
    try:
        text, _ = decode(content)
    except ValueError as error:
        raise QuestionsNotUsable(
            f"expected a table of questions in {path}, found: {error}",
            help="save it as CSV in UTF-8; docs/own.md shows the columns",
        ) from error
    problems: Problems = []
    return list(_csv_rows(text, path, problems) if is_csv(path) else _json_rows(text, problems)), problems


def _csv_rows(text: str, path: Path, problems: Problems) -> Iterator[tuple[int, Cells]]:
    first, _, rest = text.partition("\n")
    hint = first.strip()
    skipped = int(hint.lower().startswith("sep=") and len(hint) > len("sep="))  # a hint of Excel's
    text = rest if skipped else text
    head = text.partition("\n")[0]
    delimiter = hint[4] if skipped else max(",;\t|", key=head.count)
    begin = 1 + skipped
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        head_cells = next(reader, [])
        names = [_column_of(name) for name in head_cells]
        if strange := _misnamed(head_cells):
            raise QuestionsNotUsable(
                f"expected the columns of a table of questions in {path}, found: "
                + "; ".join(f"{each} in line {begin}" for each in strange[:MOST]),
                help=_HEADER,
            )
        if lacking := _lacking(names):
            found = ", ".join(filter(None, head.split(delimiter)))[:200]
            raise QuestionsNotUsable(
                f'expected a column "{lacking[0]}" in {path}, found: {found or "nothing"}', help=_HEADER
            )
        begin = reader.line_num + 1 + skipped
        for cells in reader:
            if any(cell.strip() for cell in cells):
                if len(cells) > len(names):
                    told = f"expected {len(names)} columns, found {len(cells)}"
                    problems.append((begin, f"{told} (put cells with {delimiter!r} in quotes)"))
                elif any(cell.strip() for name, cell in zip(head_cells, cells, strict=False) if not name):
                    problems.append((begin, "a cell stands in a column without a name"))
                else:
                    pairs = zip(names, cells, strict=False)
                    yield begin, {name: cell.strip() for name, cell in pairs if name}
            begin = reader.line_num + 1 + skipped
    except csv.Error as error:
        unclosed = "a cell begins with a quotation mark that is never closed"
        problems.append((begin, unclosed if "end of data" in str(error) else str(error)))


def _json_rows(text: str, problems: Problems) -> Iterator[tuple[int, Cells]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            problems.append((number, f"expected a JSON object, found {line.strip()[:60]!r}"))
            continue
        if not isinstance(row, dict):
            problems.append((number, f"expected an object, found {type(row).__name__}"))
            continue
        known = {_column_of(name): value for name, value in row.items()}
        lacking = [f'expected a field "{needed}", found none' for needed in _lacking(known)]
        if wrong := _misnamed(list(row)) or lacking:
            problems.append((number, "; ".join(wrong)))
            continue
        yield number, known


def _misnamed(names: Sequence[str]) -> list[str]:
    """Return what is wrong with the names of columns: one unknown, or two that mean the same."""
    told: list[str] = []
    seen: dict[str, str] = {}
    every = [known for known in _NAMES if len(known) > 1]
    for name in names:
        column = _column_of(name)
        if name.strip() and not column:
            near = difflib.get_close_matches(_folded(name), every, n=1, cutoff=0.6)
            meant = f"did you mean {near[0]!r}?" if near else f"name it {'note ' + name.strip()!r} to keep it"
            told.append(f"unknown column {name.strip()[:80]!r} ({meant})")
        elif column in seen and column != _UNREAD:
            told.append(f"the columns {seen[column]!r} and {name.strip()!r} both mean {column!r}")
        elif column:
            seen[column] = name.strip()
    return told


def _folded(name: str) -> str:
    """Return a name in small letters without blanks and dashes."""
    return re.sub(r"[\s_-]+", "", name.strip().lower())


def _column_of(name: str) -> str:
    """Return the column that a name means; empty: none."""
    plain = _folded(name)
    return _NAMES.get(plain) or (_UNREAD if plain.startswith("note") else "")


def _lacking(columns: Collection[str]) -> list[str]:
    """Return the columns without which nothing can be asked and which are not there."""
    return [needed for needed, others in _NEEDED.items() if not {needed, *others} & set(columns)]
