"""Tables for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.reports.tables import LONGEST
from ragharness.reports.text import aligned, coloured, one_line, paragraph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.reports.tables import Section


def render(sections: Sequence[Section], *, width: int, colour: bool) -> str:
    """Return the sections one below the other."""
    return "\n\n".join("\n".join(_lines(each, width, colour)) for each in sections)


def _lines(section: Section, width: int, colour: bool) -> list[str]:
    lines = [section.title.upper()] if section.title else []
    for told in section.told:
        wrapped = paragraph(one_line(told, LONGEST), width)
        lines += [coloured(line, section.tone, colour) for line in wrapped]
    if section.rows:
        rows = [[one_line(cell, LONGEST) for cell in row] for row in section.rows]
        head = [each.upper() for each in section.head]
        lines += aligned([head, *rows] if any(head) else rows, section.left)
    return lines
