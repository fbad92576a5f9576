"""Neighbouring amounts made one: "three (3) years", "two years and six months"; ranges; "(in millions)"."""

from __future__ import annotations

import re
from decimal import Decimal

from msgspec.structs import replace

from ragharness.language.affixes import read_suffix
from ragharness.language.latin import WORD
from ragharness.language.patterns import regex
from ragharness.language.quantity import Quantity
from ragharness.language.units import SCALES, in_base, is_currency, is_duration

_COMPOUND = regex(r"\s?(?:,\s?)?(?:and|y|und|et)?\s?")
_CONNECTOR = regex(r"\s?(-|–|—|to|through|and|or|bis|und|oder|à|et|ou|y|o|a|hasta)\s?")
_JOINING_WORDS = frozenset({"and", "or", "und", "oder", "et", "ou", "y", "o"})
_YEAR_BEFORE = regex(
    r"\b(?:in|for|during|year|fiscal|FY|of|since|im|jahre?|geschäftsjahr|en)\s?$", re.IGNORECASE
)
_IN_SCALE = regex(
    r"\bin (?:(?:[A-Z]{3}|US|[$€£]) ?)?(thousand|million|billion)s\b"
    r"(?= of|,|\)|\]|;|$| except| US| [A-Z]{3}\b)"
    r"|\((?:[A-Z]{2,3}|[$€£])? ?[$€£]?(thousand|million|billion)s?\)",
    re.IGNORECASE,
)


def merge(text: str, left: Quantity, right: Quantity) -> Quantity | None:
    """Join "three (3) years" and "two years and six months"; None when they are two quantities."""
    gap = right.start - left.end
    if gap > 6:
        return None
    between = text[left.end : right.start]
    if between.strip() == "(":
        return _repetition(text, left, right)
    if not (is_duration(left.unit) and is_duration(right.unit) and _COMPOUND.fullmatch(between)):
        return None
    whole, family = in_base(left.value, left.unit)
    part, other = in_base(right.value, right.unit)
    if family != other or part >= in_base(Decimal(1), left.unit)[0]:
        return None
    value = (whole + part) / in_base(Decimal(1), right.unit)[0]
    return replace(left, end=right.end, value=value, unit=right.unit)


def _repetition(text: str, left: Quantity, right: Quantity) -> Quantity | None:
    """Join "three (3) years", "five thousand dollars ($5,000)" when the values agree."""
    if text[right.end : right.end + 1] != ")" or abs(left.value) != abs(right.value):
        return None
    if left.unit and right.unit and left.unit != right.unit:
        return None
    unit, value, end = left.unit or right.unit, left.value, right.end + 1
    scaled = left.scaled or right.scaled
    if not unit or not scaled:
        suffix = read_suffix(text, end + (text[end : end + 1] == "]"), unit)
        if suffix.scaled or suffix.measure.unit:
            value *= suffix.scale * (suffix.measure.factor if not unit else 1)
            unit, scaled = unit or suffix.measure.unit, scaled or suffix.scaled
            end = max(end, suffix.end) if suffix.end > end + 1 or unit == "percent" else end
    return replace(
        left,
        end=end,
        value=value,
        unit=unit,
        significant=max(left.significant, right.significant),
        scaled=scaled,
        year=False,
    )


def mark_ranges(text: str, found: list[Quantity]) -> None:
    """Mark ranges, and give "3 to 5 years", "$3 to $5 million" and "30 or 60 days" one unit and scale."""
    for index in range(len(found) - 1):
        left, right = found[index], found[index + 1]
        if right.start - left.end > 11:
            continue
        match = _CONNECTOR.fullmatch(text, left.end, right.start)
        if match is None:
            continue
        left = _like(text, left, right)
        if _of_two_sorts(left, right):
            continue
        joined = match[1] in _JOINING_WORDS
        if not joined or (match[1] not in {"or", "oder", "ou", "o"} and _after_between(text, left.start)):
            left = replace(left, range="low")
            found[index + 1] = replace(right, range="high")
        found[index] = left


def _like(text: str, left: Quantity, right: Quantity) -> Quantity:
    """Give the first of two joined amounts the unit and scale that only the second one states."""
    if left.year and (not right.unit or _is_calendar_year(text, left, right)):
        return left
    if right.scaled and not left.scaled and (not left.unit or left.unit == right.unit):
        scale = _scale_word(text, right)
        if scale != 1 and left.value * scale <= right.value:
            left = replace(left, value=left.value * scale, scaled=True)
    if right.unit and not left.unit:
        left = replace(left, unit=right.unit, year=False)
    return left


def _of_two_sorts(left: Quantity, right: Quantity) -> bool:
    """Say whether two amounts cannot end one range ("3.9% to $8 million", "$6 million to 148 people")."""
    if left.unit and right.unit:
        return left.unit != right.unit and not (is_duration(left.unit) and is_duration(right.unit))
    return bool(left.unit and left.scaled and not right.scaled)


def _is_calendar_year(text: str, left: Quantity, right: Quantity) -> bool:
    """Say whether "2023" in "in 2023 and $5 million" names a year; "2000 to 3000 dollars" is a range."""
    if _YEAR_BEFORE.search(text, max(0, left.start - 12), left.start) or not text[right.start].isdigit():
        return True
    return text[left.end : right.start].strip() in _JOINING_WORDS and not _after_between(text, left.start)


def _after_between(text: str, start: int) -> bool:
    words = text[max(0, start - 12) : start].casefold().split()
    return bool(words) and words[-1] in {"between", "entre", "zwischen"}


def _scale_word(text: str, quantity: Quantity) -> Decimal:
    for word in WORD.findall(text[quantity.start : quantity.end].casefold()):
        if word in SCALES:
            return SCALES[word]
    return Decimal(1)


def apply_stated_scale(text: str, found: list[Quantity]) -> list[Quantity]:
    """Apply "(in millions)" to the plain and money figures of its line and of what follows."""
    if not found or ("illion" not in text and "ousand" not in text):
        return found
    match = _IN_SCALE.search(text)
    if match is None:
        return found
    scale = SCALES[(match[1] or match[2]).casefold()]
    line = text.rfind("\n", 0, match.start()) + 1
    return [
        replace(quantity, value=quantity.value * scale, scaled=True)
        if quantity.start >= line
        and not quantity.scaled
        and not quantity.year
        and (not quantity.unit or is_currency(quantity.unit))
        else quantity
        for quantity in found
    ]
