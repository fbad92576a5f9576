"""Labelling without a browser: a table to fill in, written and read back."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ragharness.analysis.labels.items import Shown
from ragharness.analysis.labels.session import Given, Labelling, checked
from ragharness.corpus.folders.decoding import decode
from ragharness.errors import UsageError
from ragharness.runner.journal import Key, disk
from ragharness.support.files import write_whole

TO_FILL_IN = ("bucket", "citation_supports", "extra_claim_count", "refusal_quality", "comment")
COLUMNS = ("question", "epoch", "asked", "gold", "notes", "answer", *TO_FILL_IN, "evidence", "passages")
_NUMBERS = ("extra_claim_count", "refusal_quality")
_NAMED = 5
_LONGEST = 20_000
"""Characters of a cell; spreadsheets cut at 32,767."""


def write_table(path: Path, labelling: Labelling) -> int:
    """Write the answers without a label, one a line with empty columns for it; returns how many."""
    done = {label.key for label in labelling.labels}
    written = io.StringIO(newline="")
    rows = csv.writer(written, dialect="excel-tab", lineterminator="\n")
    rows.writerow(COLUMNS)
    count = 0
    for key in labelling.keys:
        if key not in done:
            item = labelling.item(key)
            told = (item.question, str(item.epoch), item.asked, item.gold, " / ".join(item.notes))
            answer = "".join(piece.text for piece in item.answer)
            texts = (_texts(item.evidence), _texts(item.passages))
            rows.writerow([*map(_cell, (*told, answer)), *[""] * len(TO_FILL_IN), *map(_cell, texts)])
            count += 1
    with disk(path):
        # With the mark, spreadsheets know that it is UTF-8.
        write_whole(path, written.getvalue().encode("utf-8-sig"))
    return count


def read_table(path: Path, labelling: Labelling) -> tuple[int, int]:
    """Write the labels of a filled table; returns how many are new and how many rows have none.

    A row that was read before is left as it is. Raises UsageError with the bad lines, writing nothing.
    """
    given: list[tuple[str, int, Given]] = []
    problems: list[str] = []
    empty = 0
    done = {label.key: label.bucket for label in labelling.labels}
    for line, row in _rows(path):
        filled: dict[str, Any] = {name: row.get(name, "").strip() for name in TO_FILL_IN}
        if not any(filled.values()):
            empty += 1
            continue
        try:
            key, label = _key(row), _given(filled)
        except UsageError as error:
            problems.append(f"line {line}: {error}")
            continue
        if key not in labelling.keys:
            problems.append(f"line {line}: expected an answer of the sample, found {key[0]!r} epoch {key[1]}")
        elif done.get(key, label.bucket) != label.bucket:
            problems.append(f"line {line}: {key[0]} is already labelled {done[key]}")
        elif key not in done:
            given.append((*key, label))
            done[key] = label.bucket
    if problems:
        more = [f"and {len(problems) - _NAMED} more"] if len(problems) > _NAMED else []
        told = "; ".join([*problems[:_NAMED], *more])
        raise UsageError(f"{path}: {told}", help="fix these lines, then repeat the command")
    for question, epoch, label in given:
        labelling.save(question, label, epoch)
    return len(given), empty


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    with disk(path, "read"):
        content = path.read_bytes()
    try:
        text = decode(content)[0]
    except ValueError as error:
        raise UsageError(f"expected a table in {path}, found: {error}") from error
    reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""), dialect="excel-tab")
    names = ", ".join(reader.fieldnames or ())
    missing = [name for name in ("question", "bucket") if name not in (reader.fieldnames or ())]
    if missing:
        raise UsageError(
            f"expected a column {missing[0]!r} in {path}, found {names[:120] or 'none'}",
            help="ragharness label RUN --tsv FILE writes one",
        )
    for row in reader:
        yield reader.line_num, {name: value for name, value in row.items() if isinstance(value, str)}


def _given(filled: dict[str, Any]) -> Given:
    values = {name: value.lower() if name != "comment" else value for name, value in filled.items() if value}
    for name in _NUMBERS:
        if name in values:
            values[name] = _number(values[name])
    return checked(values)


def _key(row: dict[str, str]) -> Key:
    return row.get("question", "").strip().removeprefix("'"), _number(row.get("epoch") or "0")


def _number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise UsageError(f"expected a number, found {text[:40]!r}") from None


def _texts(shown: list[Shown]) -> str:
    """Return texts with their names, gold evidence between double angle quotes."""
    return " || ".join(
        f"[{each.name}] " + "".join(f"«{piece.text}»" if piece.gold else piece.text for piece in each.text)
        for each in shown
    )


def _cell(text: str) -> str:
    """Return a text on one line that no spreadsheet takes for a formula."""
    flat = " ".join(text.split())[:_LONGEST]
    return f"'{flat}" if flat.startswith(("=", "+", "-", "@")) else flat
