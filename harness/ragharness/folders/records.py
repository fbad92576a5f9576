"""JSON Lines to documents: one per line, with its text and perhaps an id and a title."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from ragharness.folders.wrapping import one_line, unwrapped


class Piece(NamedTuple):
    """One document of a file that holds several."""

    id: str
    title: str
    text: str
    line: int


class _Row(msgspec.Struct):
    text: str
    id: str | int = ""
    title: str | None = ""


def read_records(text: str) -> tuple[list[Piece], list[str]]:
    """Return the documents of a file, and a phrase for each line that holds none."""
    decoder = msgspec.json.Decoder(_Row)
    pieces: list[Piece] = []
    problems: list[str] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = decoder.decode(line)
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
            problems.append(f"line {number} is no object with a text: {error}")
            continue
        plain = unwrapped(row.text)
        if not plain:
            problems.append(f"line {number} has an empty text")
            continue
        pieces.append(Piece(one_line(str(row.id)), one_line(row.title or ""), plain, number))
    return pieces, problems
