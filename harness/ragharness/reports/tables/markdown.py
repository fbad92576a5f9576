"""Tables in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.reports.formats.markdown import escaped
from ragharness.reports.tables import LONGEST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.reports.tables import Section


def render(sections: Sequence[Section], *, width: int, colour: bool) -> str:
    """Return the sections under headings, what is foreign in them escaped."""
    parts: list[str] = []
    for number, section in enumerate(sections):
        if section.title:
            parts.append(f"{'##' if number else '#'} {escaped(section.title)}")
        parts += [escaped(told, LONGEST) for told in section.told]
        if section.rows:
            head = section.head or [""] * len(section.rows[0])
            rule = ["---" if place in section.left else "---:" for place in range(len(head))]
            grid = [[escaped(cell, LONGEST) for cell in row] for row in (head, *section.rows)]
            parts.append("\n".join(f"| {' | '.join(row)} |" for row in (grid[0], rule, *grid[1:])))
    return "\n\n".join(parts)
