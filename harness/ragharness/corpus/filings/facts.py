"""The tagged facts of a filing: concept, period, value, and their place on the page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from ragharness.corpus.filings.tree import attribute, elements, local_name
from ragharness.language.units import read_words

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

_LONGEST_NUMBER = 60
"""Characters above which no text is a number."""

_GROUPS = re.compile(r"[\s,\u00a0'`\u2019]")
_PLAIN = re.compile(r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+")
_ZERO = frozenset({"fixedzero", "zerodash", "numdash"})
_COMMA = frozenset({"numcommadecimal", "numcommadecimalapos", "numcomma", "numdotcomma", "numspacecomma"})
"""Rules by which the comma stands before the fraction; the names of version 1 give groups, then fraction."""
_WORDS = frozenset({"numwordsen"})
_ORDER = 30
"""Powers of ten above which a scale is a mistake."""

_DIGITS = 21
"""Digits above which a value is one; the world's money has 15 before the point."""


@dataclass(frozen=True)
class Context:
    """The period of a fact, in ISO days; ``start`` is empty for a point in time."""

    start: str
    end: str
    dimensions: int = 0
    """Members of axes (segments, products, ...) to which it is limited; 0: the whole company."""


@dataclass(frozen=True)
class Tagged:
    """One fact as it is tagged, with its places; both are None where the page does not show it."""

    concept: str
    """With its prefix: ``us-gaap:Revenues``, ``dei:EntityPublicFloat``."""
    text: str
    """What stands on the page."""
    context: Context
    value: Decimal | None = None
    """None where it is no number."""
    unit: str = ""
    """``USD``, ``shares``, ``USD per share``, ``pure``, ...; empty for what is no number."""
    scale: int = 0
    span: Span | None = None
    """The characters of the value."""
    row: Span | None = None
    """The row of a table, or the sentence, that states it: label and value."""


def read_facts(root: _Element) -> list[tuple[_Element, Tagged]]:
    """Return every fact in the order of the page with its element, without places yet.

    Those without a readable context or value are left out.
    """
    named: dict[str, list[_Element]] = {"context": [], "unit": [], "continuation": []}
    tagged: list[tuple[str, _Element]] = []
    for element in root.iter():
        name = local_name(element)
        if name in named:
            named[name].append(element)
        elif name in {"nonfraction", "nonnumeric"} and not _is_nil(element):
            tagged.append((name, element))
    contexts, units = _contexts(named["context"]), _units(named["unit"])
    rest = {each.get("id", ""): each for each in named["continuation"]}
    found: list[tuple[_Element, Tagged]] = []
    for name, element in tagged:
        context = contexts.get(attribute(element, "contextRef"))
        if context is None:
            continue
        fact = _number(element, context, units) if name == "nonfraction" else _text(element, context, rest)
        if fact is not None:
            found.append((element, fact))
    return found


def fiscal_period(facts: Iterable[Tagged]) -> Context | None:
    """Return the period that the filing reports on: the context of ``dei:DocumentPeriodEndDate``."""
    dated = [
        each.context for each in facts if each.concept == "dei:DocumentPeriodEndDate" and each.context.end
    ]
    whole = [each for each in dated if not each.dimensions]
    return next(iter(whole or dated), None)


def _number(element: _Element, context: Context, units: Mapping[str, str]) -> Tagged | None:
    text = _collapsed(element)
    scale = attribute(element, "scale")
    value = amount(text, attribute(element, "format"), scale, attribute(element, "sign"))
    concept = attribute(element, "name")
    if value is None or not concept:
        return None
    unit = units.get(attribute(element, "unitRef"), "")
    return Tagged(concept, text, context, value, unit, int(scale or 0))


def _text(element: _Element, context: Context, rest: Mapping[str, _Element]) -> Tagged | None:
    pieces = [_collapsed(element)]
    following = attribute(element, "continuedAt")
    for _ in range(_CHAINED):
        if not following or following not in rest or sum(map(len, pieces)) > _LONGEST:
            break
        pieces.append(_collapsed(rest[following]))
        following = attribute(rest[following], "continuedAt")
    text = " ".join(filter(None, pieces))
    concept = attribute(element, "name")
    return Tagged(concept, text[:_LONGEST], context) if text and concept else None


def _collapsed(element: _Element) -> str:
    """Return the text within an element, without what it excludes, up to the length of a fact."""
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


def _contexts(told_in: Iterable[_Element]) -> dict[str, Context]:
    found: dict[str, Context] = {}
    for each in told_in:
        told = {"startdate": "", "enddate": "", "instant": ""}
        dimensions = 0
        for part in each.iter():
            name = local_name(part)
            if name in told:
                told[name] = _day(part.text or "")
            dimensions += name in {"explicitmember", "typedmember"}
        end = told["instant"] or told["enddate"]
        if end and each.get("id"):
            found[each.get("id", "")] = Context(told["startdate"], end, dimensions)
    return found


def _day(text: str) -> str:
    """Return the day that a text begins with, ISO; "" for none that a filing may speak of."""
    found = _DATE.match(text)
    try:
        return found[1] if found and date.fromisoformat(found[1]).year in _YEARS else ""
    except ValueError:
        return ""


def _units(told_in: Iterable[_Element]) -> dict[str, str]:
    found: dict[str, str] = {}
    for each in told_in:
        upper = [_measure(part) for part in elements(each, "measure") if not _below(part)]
        lower = [_measure(part) for part in elements(each, "measure") if _below(part)]
        name = " ".join(upper)
        if lower:
            name = f"{name} per {' '.join(lower).removesuffix('s')}"
        if each.get("id") and name:
            found[each.get("id", "")] = name
    return found


def _measure(element: _Element) -> str:
    return (element.text or "").strip().rpartition(":")[2]


def _below(element: _Element) -> bool:
    """Whether a measure stands under the line of a fraction."""
    parent = element.getparent()
    return parent is not None and local_name(parent) == "unitdenominator"


def amount(text: str, format_name: str, scale: str, sign: str) -> Decimal | None:
    """Return the value of a displayed number: text x 10^scale with its sign; None where it cannot be read."""
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
    """Return the number that a text shows under a rule ("ixt:num-dot-decimal"), before its scale."""
    rule = format_name.rpartition(":")[2].replace("-", "").casefold()
    if rule in _ZERO:
        return Decimal(0)
    text = text.strip()
    if not text or len(text) > _LONGEST_NUMBER:
        return None
    if rule in _WORDS:
        return _in_words(text)
    if rule in _COMMA:
        text = text.replace(".", "").replace(",", ".")
    bare = _GROUPS.sub("", text)
    try:
        return Decimal(bare) if _PLAIN.fullmatch(bare) else None
    except InvalidOperation:
        return None


def _in_words(text: str) -> Decimal | None:
    if text.casefold() in {"no", "none", "nil", "zero"}:
        return Decimal(0)
    found = read_words(text, 0)
    return found[1] if found is not None and found[0] == len(text) else displayed(text, "")
