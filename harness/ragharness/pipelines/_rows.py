"""Rows of tables as a reference generator quotes them: a figure with its row, its column and its unit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ragharness.headings import SEPARATOR, SHORT, is_figure
from ragharness.language.tables import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

_YEAR = regex(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_SCALE = regex(r"\bin (?:thousands|millions|billions)\b", re.IGNORECASE)
_UNSCALED = regex(r"\bper (?:\w+ )?share\b|\bEPS\b|\b(?:rate|margin)\b", re.IGNORECASE)
_NOTE = regex(r"\s*\([^)]*\)")


class Row(NamedTuple):
    """A row of figures with what stands above it."""

    label: str
    """Its first cell, without notes in brackets."""
    figures: tuple[str, ...]
    heads: tuple[str, ...]
    """The heads of its figures; empty when no line above it fits them."""
    above: str
    """The lines above its table and the heads: what the table is about, and in what it counts."""
    group: str = ""
    """The line that heads its group of rows."""

    def under(self, years: frozenset[str]) -> str:
        """Return a sentence with the figure of the one column that is headed by one of the years, or ""."""
        columns = [
            (head, figure)
            for head, figure in zip(self.heads, self.figures, strict=False)
            if years & years_of(head)
        ]
        if len(columns) != 1 or not any(map(str.isdigit, columns[0][1])):
            return ""
        head, figure = columns[0]
        unscaled = "%" in figure or _UNSCALED.search(f"{self.group} {self.label}")
        scale = [] if unscaled else _SCALE.findall(self.above)
        label = f"{self.group} {self.label}".strip()
        return f'{label}: {figure}{f" ({scale[-1].lower()})" if scale else ""} under "{head}"'


def years_of(text: str) -> frozenset[str]:
    """Return the years that a text names."""
    return frozenset(_YEAR.findall(text))


def rows(text: str) -> Iterator[Row]:
    """Yield the rows of figures of every table in a text, in order."""
    before = ""
    for block in text.split("\n\n"):
        lines = block.split("\n")
        above, heads, group = [before], tuple[str, ...](), ""
        for line in lines:
            cells = tuple(" ".join(cell.split()) for cell in line.split(SEPARATOR))
            count = len(cells)
            while count and is_figure(cells[count - 1]):
                count -= 1
            if 0 < count < len(cells):
                figures = cells[count:]
                fitting = heads if len(heads) == len(figures) else ()
                yield Row(_NOTE.sub("", cells[0]).strip(), figures, fitting, " ".join(above), group)
                continue
            above.append(line)
            heads_rows = (
                len(cells) == 1 and line[:1] != "(" and not years_of(line) and len(line.split()) <= SHORT
            )
            group = line if heads_rows else ""
            if len(cells) > 1 or years_of(line):
                # "(in millions) | 2024 | 2023": the first cell heads the labels.
                heads = cells if years_of(cells[0]) else cells[1:]
        before = lines[-1] if len(lines) == 1 else ""
