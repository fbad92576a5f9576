"""Web pages to plain text: paragraphs, and tables as rows of separated cells."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragharness.filings.layout import lay_out
from ragharness.filings.tree import local_name, looks_like_html, read_tree
from ragharness.folders.wrapping import one_line, plain_lines

if TYPE_CHECKING:
    from lxml.etree import _Element

_HEAD = 4096
_DECLARED = re.compile(rb"charset\s*=|encoding\s*=", re.IGNORECASE)
_AROUND = frozenset(
    {"title", "nav", "aside", "footer", "form", "button", "svg", "iframe", "object", "select"}
)
"""Elements of a page that are not what it says."""


def read_html(content: bytes) -> tuple[str, str]:
    """Return the title (``<title>``, else the first heading, else "") and the visible text of a page.

    Raises RagharnessError for what is no page.
    """
    root = read_tree(content, web=True)
    title = _first(root, ("title",)) or _first(root, ("h1", "h2"))
    _without_surroundings(root)
    parts: list[str] = []
    table = 0
    for block in lay_out(root).blocks:
        if parts:
            parts.append("\n" if block.table and block.table == table else "\n\n")
        table = block.table
        parts.append(block.text)
    return title, "\n".join(plain_lines("".join(parts))).strip()


def declares_encoding(content: bytes) -> bool:
    """Whether a page says itself how its letters are written."""
    return _DECLARED.search(content[:_HEAD]) is not None


def is_page(content: bytes) -> bool:
    """Whether a file holds a web page, whatever its name says."""
    return looks_like_html(content)


def _first(root: _Element, names: tuple[str, ...]) -> str:
    for name in names:
        for element in root.iter():
            if local_name(element) == name:
                said = one_line("".join(element.itertext()))
                if said:
                    return said
    return ""


def _without_surroundings(root: _Element) -> None:
    for element in [each for each in root.iter() if local_name(each) in _AROUND]:
        parent = element.getparent()
        if parent is None:
            continue
        before = element.getprevious()
        tail = f" {element.tail or ''}"
        if before is not None:
            before.tail = (before.tail or "") + tail
        else:
            parent.text = (parent.text or "") + tail
        parent.remove(element)
