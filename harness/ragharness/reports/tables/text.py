"""Tables for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.reports.tables import LONGEST
from ragharness.reports.text import aligned, coloured, flow, labelled, one_line, paragraph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.reports.tables import Section

_INDENT = "    "
_PROSE = 24
"""Characters of a last cell that is worth wrapping."""

_NARROWEST = 16
"""Columns that a text is wrapped in beside others; in fewer it stands below them."""


def render(sections: Sequence[Section], *, width: int, colour: bool) -> str:
    """Return the sections one below the other."""
    return "\n\n".join("\n".join(_lines(each, width, colour)) for each in sections)


def _lines(section: Section, width: int, colour: bool) -> list[str]:
    lines = [section.title.upper()] if section.title else []
    for told in section.told:
        wrapped = paragraph(one_line(told, LONGEST), width)
        lines += [coloured(line, section.tone, colour) for line in wrapped]
    if section.rows:
        lines += _table(section, width)
    return lines


def _table(section: Section, width: int) -> list[str]:
    """Return the rows in columns; where a text at the end is too wide, it is wrapped, or each row stacked."""
    rows = [[one_line(cell, LONGEST) for cell in row] for row in section.rows]
    head = [each.upper() for each in section.head]
    rows = [head, *rows] if any(head) else rows
    lines = aligned(rows, section.left)
    last = len(rows[0]) - 1
    prose = last in section.left and max(len(row[-1]) for row in rows) >= _PROSE
    if not (last and prose) or max(map(len, lines)) <= width:
        return lines
    starts = aligned([row[:-1] for row in rows], section.left)
    size = max(map(len, starts)) + 2
    both = [(start, row[-1]) for start, row in zip(starts, rows, strict=True)]
    if width - size >= _NARROWEST:
        return [line for start, text in both for line in labelled(start, text, width, size)]
    if size - 2 <= width:
        return [line for start, text in both for line in (start, *paragraph(text, width, _INDENT))]
    return [line for row in rows[any(head) :] for line in _stacked(head, row, width)]


def _stacked(head: Sequence[str], row: Sequence[str], width: int) -> list[str]:
    """Return one row as its first cell, and the others below it under their names."""
    names = head or [""] * len(row)
    cells = [f"{name.lower()} {cell}".strip() for name, cell in zip(names, row, strict=True) if cell][1:]
    short = [each for each in cells if len(each) + len(_INDENT) <= width]
    long = [line for each in cells if each not in short for line in paragraph(each, width, _INDENT)]
    return [*paragraph(row[0], width), *flow(short, width, _INDENT), *long]
