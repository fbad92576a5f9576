"""Tagged figures and texts of filings with Inline XBRL: concept, period, value, and their place on the page."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from ragharness.corpus.filings import Context, Page, Span, TaggedElements, visible_text
from ragharness.corpus.pages import Block, Mark, attribute, elements, local_name
from ragharness.language.units import read_words
from ragharness.language.words import sentences

if TYPE_CHECKING:
    from lxml.etree import _Element

_LONGEST_NUMBER = 60  # characters above which no text is a number
_GROUPS = re.compile(r"[\s,\u00a0'`\u2019]")
_PLAIN = re.compile(r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+")
_ZERO = frozenset({"fixedzero", "zerodash", "numdash"})
# Rules by which the comma stands before the fraction; the names of version 1 give groups, then fraction.
_COMMA = frozenset({"numcommadecimal", "numcommadecimalapos", "numcomma", "numdotcomma", "numspacecomma"})
_ORDER = 30  # powers of ten above which a scale is a mistake
_DIGITS = 21  # digits above which a value is one; the world's money has 15 before the point


@dataclass(frozen=True)
class Tagged:
    """One fact as it is tagged, with its places; both are None where the page does not show it."""

    concept: str  # with its prefix: ``us-gaap:Revenues``, ``dei:EntityPublicFloat``
    text: str  # what stands on the page
    context: Context
    value: Decimal | None = None  # none where it is no number
    unit: str = ""  # ``USD``, ``shares``, ``USD per share``, ``pure``, ...; empty for what is no number
    scale: int = 0
    span: Span | None = None  # the characters of the value
    row: Span | None = None  # the row of a table, or the sentence, that states it: label and value


def tagged_facts(page: Page) -> list[Tagged]:
    """Facts of a filing in the order of its page; those without a readable context or value are left out."""
    tagged = TaggedElements(page.root)
    units = _units(tagged.units)
    places = {mark.element: _place(mark) for mark in page.marks}
    rows = _Rows(page.text, page.blocks, page.spans)
    facts: list[Tagged] = []
    for name, element in tagged.tagged:
        context = tagged.contexts.get(attribute(element, "contextRef"))
        concept = attribute(element, "name")
        if context is None or not concept:
            continue
        value, unit, scale = None, "", 0
        if name == "nonnumeric":
            text = tagged.text(element)
            if not text:
                continue
        else:
            text, power = visible_text(element), attribute(element, "scale")
            value = amount(text, attribute(element, "format"), power, attribute(element, "sign"))
            if value is None:
                continue
            unit, scale = units.get(attribute(element, "unitRef"), ""), int(power or 0)
        span = places.get(element)
        # The span of a whole note is no row.
        row = rows.around(span) if span and span[1] - span[0] <= len(text) + 4 else None
        facts.append(Tagged(concept, text, context, value, unit, scale, span, row))
    return facts


def _place(mark: Mark) -> Span | None:
    """Where a tagged element stands in the text; None where it is hidden or was page furniture."""
    if mark.begin is None or mark.end is None:
        return None
    (first, begin), (last, end) = mark.begin, mark.end
    if first.start < 0 or last.start < 0:
        return None
    return first.start + begin, last.start + end


class _Rows:
    """Finds the row or the sentence around a place."""

    def __init__(self, text: str, blocks: Sequence[Block], spans: Sequence[Span]) -> None:
        self._text = text
        self._blocks = blocks
        self._spans = spans
        self._starts = [start for start, _ in spans]

    def around(self, span: Span) -> Span:
        """Row of a table, or the sentences of a paragraph, that hold a span."""
        index = max(0, bisect_right(self._starts, span[0]) - 1)
        start, end = self._spans[index]
        if self._blocks[index].table or span[1] > end:
            return start, max(end, span[1])
        held = [
            (start + first, start + last)
            for first, last in sentences(self._text[start:end])
            if start + first < span[1] and span[0] < start + last
        ]
        return (held[0][0], held[-1][1]) if held else (start, end)


def _units(elements_of_units: Iterable[_Element]) -> dict[str, str]:
    names: dict[str, str] = {}
    for unit in elements_of_units:
        parts: tuple[list[str], list[str]] = [], []
        for part in elements(unit, "measure"):
            parts[_below(part)].append((part.text or "").strip().rpartition(":")[2])
        name, lower = map(" ".join, parts)
        name += f" per {lower.removesuffix('s')}" if parts[1] else ""
        if unit.get("id") and name:
            names[unit.get("id", "")] = name
    return names


def _below(element: _Element) -> bool:
    """Whether a measure stands under the line of a fraction."""
    parent = element.getparent()
    return parent is not None and local_name(parent) == "unitdenominator"


def amount(text: str, format_name: str, scale: str, sign: str) -> Decimal | None:
    """Value of a displayed number: text x 10^scale with its sign; None where it cannot be read."""
    shown = displayed(text, format_name)
    if shown is None:
        return None
    try:
        power = int(scale or 0)
    except ValueError:
        return None
    if abs(power) > _ORDER or len(shown.as_tuple().digits) > _DIGITS:
        return None
    value = shown.scaleb(power)
    if value and value.adjusted() >= _DIGITS:
        return None
    return -value if sign == "-" and value else value


def displayed(text: str, format_name: str) -> Decimal | None:
    """Number that a text shows under a rule ("ixt:num-dot-decimal"), before its scale."""
    rule = format_name.rpartition(":")[2].replace("-", "").casefold()
    if rule in _ZERO:
        return Decimal(0)
    text = text.strip()
    if not text or len(text) > _LONGEST_NUMBER:
        return None
    if rule == "numwordsen":
        if text.casefold() in {"no", "none", "nil", "zero"}:
            return Decimal(0)
        number = read_words(text, 0)
        return number[1] if number is not None and number[0] == len(text) else displayed(text, "")
    if rule in _COMMA:
        text = text.replace(".", "").replace(",", ".")
    bare = _GROUPS.sub("", text)
    try:
        return Decimal(bare) if _PLAIN.fullmatch(bare) else None
    except InvalidOperation:
        return None
