"""Text with its layout: lines of collapsed blanks, blocks of lines, and the places of elements in them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element

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
        """Its place in the finished text, once that is laid out."""

    def add(self, text: str) -> tuple[int, int] | None:
        """Append text; return the span of its visible characters, None without any."""
        text = _BLANKS.sub(" ", _INVISIBLE.sub("", text))
        if not self.length or self._pieces[-1].endswith(" "):
            text = text.lstrip(" ")
        if not text:
            return None
        if self._pieces and self.length < _HEADING and text[0].isalpha() and _ITEM.fullmatch(self.text):
            self._pieces.append(" ")
            self.length += 1
        first = self.length + len(text) - len(text.lstrip(" "))
        self._pieces.append(text)
        self.length += len(text)
        last = self.length - len(text) + len(text.rstrip(" "))
        return (first, last) if last > first else None

    @property
    def text(self) -> str:
        """What is visible of it."""
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0].rstrip(" ") if self._pieces else ""


@dataclass
class Block:
    """A paragraph or a row of a table: lines, each with what separates it from the one before."""

    lines: list[tuple[str, PageLine]]
    table: int = 0
    """The number of its table; 0: no row."""
    begins_page: bool = False

    @property
    def text(self) -> str:
        """The block as it is read."""
        return "".join(separator + line.text for separator, line in self.lines)


@dataclass
class Mark:
    """Where an element's visible text begins and ends."""

    element: _Element
    first: tuple[PageLine, int] | None = None
    last: tuple[PageLine, int] | None = None


@dataclass
class Page:
    """What a filing shows, block by block, with the places of its tagged elements."""

    blocks: list[Block] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
