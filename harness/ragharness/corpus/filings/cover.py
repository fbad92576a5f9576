"""Cover of a filing: what its Inline XBRL says of itself (``dei:``), each item with its period."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from ragharness.corpus.filings.tree import attribute, local_name

if TYPE_CHECKING:
    from lxml.etree import _Element

Span = tuple[int, int]

_BLANKS = re.compile(r"\s+")
_DATE = re.compile(r"\s*(\d{4}-\d\d-\d\d)")
_LONGEST = 2000
"""Characters that the text of a fact may have: longer ones are whole notes."""

_YEARS = range(1900, 2200)
"""Years of which a filing may speak; later ones are mistakes."""

_CHAINED = 200
"""Continuations that one fact may have: a chain that is longer runs in a circle."""


class Context(NamedTuple):
    """Period of a tagged item, in ISO days; ``start`` is empty for a point in time."""

    start: str
    end: str
    dimensions: int = 0
    """Members of axes (segments, products, ...) to which it is limited; 0: the whole company."""


class CoverItem(NamedTuple):
    """One item of the cover as it is tagged."""

    concept: str
    """With its prefix: ``dei:EntityRegistrantName``."""
    text: str
    context: Context


class TaggedElements:
    """Elements of a filing that carry Inline XBRL tags, by their kind."""

    def __init__(self, root: _Element) -> None:
        parts: dict[str, list[_Element]] = {"context": [], "unit": [], "continuation": []}
        self.tagged: list[tuple[str, _Element]] = []
        """Numbers (``nonfraction``) and texts (``nonnumeric``) in the order of the page."""
        for element in root.iter():
            name = local_name(element)
            if name in parts:
                parts[name].append(element)
            elif name in {"nonfraction", "nonnumeric"} and not _is_nil(element):
                self.tagged.append((name, element))
        self.contexts = _contexts(parts["context"])
        self.units = parts["unit"]
        self._continuations = {element.get("id", ""): element for element in parts["continuation"]}

    def text(self, element: _Element) -> str:
        """Text of an element with its continuations, up to the length of a fact."""
        pieces = [visible_text(element)]
        following = attribute(element, "continuedAt")
        for _ in range(_CHAINED):
            if not following or following not in self._continuations or sum(map(len, pieces)) > _LONGEST:
                break
            pieces.append(visible_text(self._continuations[following]))
            following = attribute(self._continuations[following], "continuedAt")
        return " ".join(filter(None, pieces))[:_LONGEST]


def read_cover(root: _Element) -> tuple[CoverItem, ...]:
    """Items of the cover in the order of the page; those without a readable context or text are left out."""
    elements = TaggedElements(root)
    return tuple(
        CoverItem(attribute(element, "name"), text, elements.contexts[attribute(element, "contextRef")])
        for name, element in elements.tagged
        if name == "nonnumeric"
        and attribute(element, "name").startswith("dei:")
        and attribute(element, "contextRef") in elements.contexts
        and (text := elements.text(element))
    )


def fiscal_period(cover: Iterable[CoverItem]) -> Context | None:
    """Period that the filing reports on: the context of ``dei:DocumentPeriodEndDate``."""
    dated = [
        item.context for item in cover if item.concept == "dei:DocumentPeriodEndDate" and item.context.end
    ]
    whole = [context for context in dated if not context.dimensions]
    return next(iter(whole or dated), None)


def visible_text(element: _Element) -> str:
    """Text within an element, without what it excludes, up to the length of a fact."""
    from lxml import etree

    if not len(element):
        return _BLANKS.sub(" ", element.text or "").strip()
    pieces: list[str] = []
    size = 0
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, part in walk:
        if event == "start" and local_name(part) == "exclude":
            walk.skip_subtree()
            continue
        piece = part.text if event == "start" else part.tail if part is not element else ""
        pieces.append(piece or "")
        size += len(pieces[-1])
        if size > 4 * _LONGEST:
            break
    return _BLANKS.sub(" ", "".join(pieces)).strip()


def _is_nil(element: _Element) -> bool:
    return any(
        key.rpartition("}")[2].rpartition(":")[2] == "nil" and value.strip() in {"true", "1"}
        for key, value in element.items()
    )


def _contexts(elements: Iterable[_Element]) -> dict[str, Context]:
    contexts: dict[str, Context] = {}
    for element in elements:
        days = {"startdate": "", "enddate": "", "instant": ""}
        dimensions = 0
        for part in element.iter():
            name = local_name(part)
            if name in days:
                days[name] = _day(part.text or "")
            dimensions += name in {"explicitmember", "typedmember"}
        end = days["instant"] or days["enddate"]
        if end and element.get("id"):
            contexts[element.get("id", "")] = Context(days["startdate"], end, dimensions)
    return contexts


def _day(text: str) -> str:
    """Day that a text begins with, ISO; "" for none that a filing may speak of."""
    match = _DATE.match(text)
    try:
        return match[1] if match and date.fromisoformat(match[1]).year in _YEARS else ""
    except ValueError:
        return ""
