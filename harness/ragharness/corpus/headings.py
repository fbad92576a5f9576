"""Headings that a position in a document stands under: of its section, and title and heads of its table.

A table is lines of cells with ``SEPARATOR`` between them, from its first row to the next blank line. Short
lines before it, or a sentence with a colon, are its title and unit; its lines before the first row of figures
are its column heads; a short line among its rows heads a group of them.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from ragharness.language.tables import regex

SEPARATOR = " | "  # between the cells of a row, as the readers of corpora write tables
SHORT = 12  # words of the longest heading
LEAD = 30  # words of the longest sentence, or line of column heads, that is kept of what leads into a table
_TITLE_LINES = 4
_HEAD_LINES = 3
_FIGURE = regex(r"[-(]*[$€£]?[(.]?\d[\d.,]*[)%\s]*|\$?[-–—]+")
_YEAR = regex(r"(?:19|20)\d\d")
_NUMBERED = regex(
    r"(?:part|item|note|chapter|section|article|appendix|annex)\s+(?:\d|[IVXA-Z]\b)", re.IGNORECASE
)
_LETTERS = regex(r"[^\W\d_]")
Line = tuple[int, str]  # where a line starts, and its text


class Outline:
    """The headings of a text by position; blank lines have those of the line before."""

    def __init__(self, text: str) -> None:
        self._starts: list[int] = []
        self._above: list[tuple[Line, ...]] = []
        reader = _Reader()
        start = 0
        lines = text.split("\n")
        for number, line in enumerate(lines):
            stripped = line.strip()
            if stripped:
                following = lines[number + 1] if number + 1 < len(lines) else ""
                reader.read((start, stripped), before_row=SEPARATOR in following)
                self._starts.append(start)
                self._above.append(reader.above())
                for heading in reader.titled:
                    # Only now these lines are known as the title of a table: they stand under it, too.
                    above = bisect_right(self._starts, heading[0]) - 1
                    self._above[above] = (*self._above[above], *reader.titled)
            else:
                reader.end_table()
            start += len(line) + 1

    def above(self, position: int) -> str:
        """The lines that govern a position and stand before it, the outermost first; "" for none."""
        number = bisect_right(self._starts, position) - 1
        lines = self._above[number] if number >= 0 else ()
        return "\n".join(line for start, line in lines if start < position)


class _Reader:
    """Reads lines in order and knows what the last one stands under."""

    def __init__(self) -> None:
        self._sections: dict[int, Line] = {}
        self._lead: tuple[Line, ...] = ()
        self._head: tuple[Line, ...] | None = None
        """Title, unit and column heads of the table that is being read; None outside of tables."""
        self._group: tuple[Line, ...] = ()
        self._rows = 0
        self._figures = False
        self.titled: tuple[Line, ...] = ()  # the title of the table that begins with this line

    def above(self) -> tuple[Line, ...]:
        """The lines of headings, the last one perhaps among them."""
        sections = (self._sections[level] for level in sorted(self._sections))
        return (*sections, *(self._head or ()), *self._group)

    def end_table(self) -> None:
        """Leave the table that a blank line ends."""
        if self._head is not None:
            self._head, self._lead, self._group = None, (), ()

    def read(self, line: Line, *, before_row: bool) -> None:
        """Take the next line that is not blank; ``before_row``: cells follow in the line after it."""
        text = line[1]
        cells = text.split(SEPARATOR)
        self.titled = ()
        if self._head is not None and len(cells) == 1 and not _is_short(text):
            self.end_table()
        if len(cells) > 1:
            self._read_row(line, figures=any(is_figure(cell.strip()) for cell in cells[1:]))
        elif self._head is not None:
            if self._figures:
                self._group = (line,)
            else:
                self._head = (*self._head, line)
        elif _is_heading(text) and not before_row:
            self._begin_section(line)
        elif _is_short(text):
            self._lead = (*self._lead[1 - _TITLE_LINES :], line)
        else:
            self._lead = _last_sentence(line)

    def _read_row(self, line: Line, *, figures: bool) -> None:
        if self._head is None:
            self.titled = self._head = self._lead
            self._rows, self._figures = 0, False
        self._rows += 1
        # A table of words has rows without figures from its second line on.
        self._figures = self._figures or figures or self._rows > _HEAD_LINES
        if not self._figures and len(line[1].split()) <= LEAD:
            self._head = (*self._head, line)

    def _begin_section(self, line: Line) -> None:
        text = line[1]
        level = 0 if _NUMBERED.match(text) else 1 if text.isupper() else 2
        above = {upper: heading for upper, heading in self._sections.items() if upper < level}
        self._sections = {**above, level: line}
        self._lead = ()


def is_figure(cell: str) -> bool:
    """Whether a cell holds a figure or the dash of none, and not a year."""
    return bool(_FIGURE.fullmatch(cell)) and not _YEAR.fullmatch(cell)


def _is_short(text: str) -> bool:
    return text[-1] not in ".;" and len(text.split()) <= SHORT


def _is_heading(text: str) -> bool:
    if text[-1] in ",?!:" or not (text[0].isupper() or text[0].isdigit() or text[0] == "#"):
        return False
    return _is_short(text) and len(_LETTERS.findall(text)) > _HEAD_LINES


def _last_sentence(line: Line) -> tuple[Line, ...]:
    """The sentence with a colon that ends a line, if it is short enough to lead into a table."""
    start, text = line
    if text[-1] != ":":
        return ()
    begin = text.rfind(". ") + 1
    sentence = text[begin:].strip()
    return ((start + begin, sentence),) if len(sentence.split()) <= LEAD else ()
