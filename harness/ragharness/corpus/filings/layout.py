"""Layout of an element tree as blocks of text: paragraphs, and tables as rows of separated cells."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from lxml import etree

from ragharness.corpus.filings.tree import local_name

_BLANKS = re.compile(r"[\s\u00a0\u2000-\u200a\u202f\u205f\u3000]+")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff\u0080-\u009f]")
_ITEM = re.compile(r"item\s+\d{1,2}[a-c]?[.:]|part\s+[iv]{1,3}[.:]", re.IGNORECASE)
"""The number of a heading, whose title stands apart from it on the page and not in the text."""
_HEADING = 14


class PageLine:
    """A run of text without a break; blanks are collapsed as a browser does."""

    __slots__ = ("_pieces", "length", "start")

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self.length = 0
        self.start = -1
        """Its offset in the finished text, once that is laid out."""

    def add(self, text: str) -> tuple[int, int] | None:
        """Append text; the span of its visible characters, None without any."""
        text = _BLANKS.sub(" ", _INVISIBLE.sub("", text))
        if not self.length or self._pieces[-1].endswith(" "):
            text = text.lstrip(" ")
        if not text:
            return None
        if self._pieces and self.length < _HEADING and text[0].isalpha() and _ITEM.fullmatch(self.text):
            self._pieces.append(" ")
            self.length += 1
        start = self.length + len(text) - len(text.lstrip(" "))
        end = self.length + len(text.rstrip(" "))
        self._pieces.append(text)
        self.length += len(text)
        return (start, end) if end > start else None

    @property
    def text(self) -> str:
        """Its visible text."""
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0].rstrip(" ") if self._pieces else ""


@dataclass
class Block:
    """A paragraph or a row of a table: lines, each with what separates it from the one before."""

    lines: list[tuple[str, PageLine]]
    table: int = 0  # the number of its table; 0: no row
    begins_page: bool = False

    @property
    def text(self) -> str:
        """The block as it is read."""
        return "".join(separator + line.text for separator, line in self.lines)


@dataclass
class Mark:
    """Where an element's visible text begins and ends."""

    element: etree._Element
    begin: tuple[PageLine, int] | None = None
    end: tuple[PageLine, int] | None = None


SEPARATOR = " | "  # between the cells of a row
_BLOCKS = frozenset(
    re.findall(
        r"\w+",
        """address article aside blockquote body center dd div dl dt fieldset figure footer form h1 h2 h3 h4
        h5 h6 header hr html li main nav ol p pre section table tbody td tfoot th thead tr ul caption
        title""",
    )
)
_HIDDEN = frozenset({"head", "script", "style", "noscript", "template", "resources", "references", "hidden"})
_TAGGED = frozenset({"nonfraction", "nonnumeric", "fraction", "continuation"})
_HIDDEN_PART = 20_000  # characters that a part which is not shown may have, however short the page is
_NOT_SHOWN = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_BREAK_BEFORE = re.compile(r"(?:page-)?break-before\s*:\s*(?:always|page)", re.IGNORECASE)
_BREAK_AFTER = re.compile(r"(?:page-)?break-after\s*:\s*(?:always|page)", re.IGNORECASE)
_BEFORE = re.compile(r"[($€£¥]{1,2}|[+–-]|(?:US|C|A|HK)\$|\((?:US\$)?")
"""A cell that belongs to the number in the next one: a currency, an opening bracket, a sign."""
_AFTER = re.compile(r"[)%]{1,3}|\)?\s?(?:pts?|bps|pp|x)\.?|\([a-z]\)|\*{1,3}|[†‡]")
"""A cell that belongs to the number before it: a percent sign, a closing bracket, the mark of a note."""
_BULLET = re.compile(
    r"[•●▪◦‣■□☐☒✓*–—·-]|\(?(?:\d{1,3}|[A-Za-z]|[ivx]{1,5})[.)]|(?:Item|ITEM)\s+\d{1,2}[A-C]?\.?|(?:Note|NOTE)\s+\d{1,2}\.?"
)
"""A first cell that numbers or names what follows."""


class _Style(NamedTuple):
    not_shown: bool
    begins_page: bool
    ends_page: bool


@lru_cache(maxsize=1024)
def _styled(style: str) -> _Style:
    """What a style says; a page has few, thousands of times."""
    patterns = (_NOT_SHOWN, _BREAK_BEFORE, _BREAK_AFTER)
    return _Style(*(pattern.search(style) is not None for pattern in patterns))


class _Cell(NamedTuple):
    element: etree._Element
    lines: list[PageLine]


class Layout:
    """A page as a reader sees it, with its tagged elements; hidden facts, scripts and heads are left out."""

    def __init__(self, root: etree._Element) -> None:
        self.blocks: list[Block] = []
        self.marks: list[Mark] = []
        # Tables nest, so rows and cells are stacks.
        self._line = PageLine()
        self._cells: list[_Cell] = []
        self._rows: list[list[_Cell]] = []
        self._tables: list[tuple[etree._Element, int]] = []
        self._count = 0
        self._open: list[Mark] = []
        self._new_page = False
        walk = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
        large = sum(len(piece) for piece in root.itertext()) // 3
        for event, element in walk:
            if event != "start":
                if event == "end":
                    self._end(element)
                self._add(element.tail)
            elif not isinstance(element.tag, str) or self._is_hidden(element, large):
                walk.skip_subtree()
            else:
                self._start(element)
                self._add(element.text)
        self._flush()

    @staticmethod
    def _is_hidden(element: etree._Element, large: int) -> bool:
        name = local_name(element)
        if name in _HIDDEN or (
            name == "header" and str(element.tag).rpartition("}")[0].endswith("inlineXBRL")
        ):
            return True
        if name == "ix:header" or not _styled(element.get("style", "")).not_shown:
            return False
        # In a malformed page the hidden part may seem to hold everything that follows it.
        return sum(len(piece) for piece in element.itertext()) <= max(large, _HIDDEN_PART)

    def _start(self, element: etree._Element) -> None:
        name = local_name(element)
        if name in _BLOCKS or name == "br":
            self._break(within=name == "br")
            if _styled(element.get("style", "")).begins_page:
                self._new_page = True
        if name == "table":
            if len(self._rows) < len(self._tables):
                # A table between the rows of another: the end of that one was forgotten.
                self._tables.pop()
            self._count += 1
            self._tables.append((element, self._count))
        elif name == "tr" and self._tables:
            self._rows.append([])
        elif name in {"td", "th"} and self._rows and len(self._rows) == len(self._tables):
            self._close_cell()
            self._cells.append(_Cell(element, []))
        elif name in _TAGGED:
            mark = Mark(element)
            self.marks.append(mark)
            self._open.append(mark)

    def _end(self, element: etree._Element) -> None:
        name = local_name(element)
        if name in _TAGGED:
            self._open = [mark for mark in self._open if mark.element is not element]
        if name not in _BLOCKS:
            return
        self._break()
        if name in {"td", "th"} and self._cells and self._cells[-1].element is element:
            self._close_cell()
        elif name == "tr" and self._rows:
            self._emit_row(self._rows.pop())
        elif name == "table" and self._tables and self._tables[-1][0] is element:
            self._tables.pop()
        if _styled(element.get("style", "")).ends_page:
            self._new_page = True

    def _close_cell(self) -> None:
        """End the cell of the innermost row, if one is open: a page may have forgotten to."""
        if self._cells and len(self._cells) == len(self._rows):
            self._rows[-1].append(self._cells.pop())

    def _add(self, text: str | None) -> None:
        if not text:
            return
        span = self._line.add(text)
        if span is None:
            return
        for mark in self._open:
            if mark.begin is None:
                mark.begin = (self._line, span[0])
            mark.end = (self._line, span[1])

    def _break(self, *, within: bool = False) -> None:
        """End a line; a break within a cell is a blank there."""
        if within and self._cells:
            self._line.add(" ")
        else:
            self._flush()

    def _flush(self) -> None:
        if not self._line.text:
            return
        if self._cells:
            self._cells[-1].lines.append(self._line)
        else:
            self._emit([("", self._line)], self._table())
        self._line = PageLine()

    def _emit_row(self, cells: list[_Cell]) -> None:
        filled = [cell.lines for cell in cells if cell.lines]
        if not filled:
            return
        if self._cells:
            # A table within a cell: its row becomes lines of that cell.
            self._cells[-1].lines.extend(line for lines in filled for line in lines)
            return
        table = self._table()
        if len(filled) == 1:
            for line in filled[0]:
                self._emit([("", line)], table)
            return
        self._emit(_joined(filled), table)

    def _table(self) -> int:
        return self._tables[-1][1] if self._tables else 0

    def _emit(self, lines: list[tuple[str, PageLine]], table: int) -> None:
        self.blocks.append(Block(lines, table, self._new_page))
        self._new_page = False


def _joined(cells: list[list[PageLine]]) -> list[tuple[str, PageLine]]:
    """The cells of a row in one line: a currency goes with its number, a bullet with its text."""
    row: list[tuple[str, PageLine]] = []
    before = ""
    for number, lines in enumerate(cells):
        text = " ".join(line.text for line in lines)
        if not row:
            separator = ""
        elif number > 1 and _AFTER.fullmatch(text):
            separator = "" if text[0] in ")%*†‡" else " "
        elif _BEFORE.fullmatch(before) and (
            text[:1].isdigit() or (text[:1] in "(.—" and before[-1] in "$€£¥")
        ):
            separator = ""
        elif number == 1 and _BULLET.fullmatch(before):
            separator = " "
        else:
            separator = SEPARATOR
        for line in lines:
            row.append((separator, line))
            separator = " "
        before = text
    return row
