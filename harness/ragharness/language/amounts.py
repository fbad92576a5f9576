"""An amount of a text: its record, neighbours made one, and its comparison with the gold one."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from ragharness.language.numerals import WORD, read_digits
from ragharness.language.tables import phrases, regex
from ragharness.language.units import SCALES, Bound, in_base, is_currency, is_duration, read_suffix, read_unit
from ragharness.language.words import STOPWORDS

Relation = Literal["match", "mismatch", "other_unit"]


class Quantity(Struct, frozen=True, omit_defaults=True):
    """An amount that a text states; ``start`` and ``end`` are offsets into that text."""

    start: int
    end: int
    value: Decimal  # in the unit; scale words and sign are applied
    unit: str = ""  # an ISO currency, "percent", a duration ("days", "years", ...) or "" for everything else
    significant: int = 1  # digits as written
    scaled: bool = False  # a scale word or suffix is written ("million", "k", "(in millions)")
    bound: Bound = ""  # what "at least", "up to" and the like say; the value is unchanged
    approximate: bool = False
    range: Literal["", "low", "high"] = ""  # its place in a range such as "between 3 and 5"
    year: bool = False  # a bare integer that reads as a calendar year (1500 to 2199)


_COMPOUND = regex(r"\s?(?:,\s?)?(?:and)?\s?")
_CONNECTOR = regex(rf"\s?(-|–|—|{phrases('numbers', 'range_words')})\s?")
_NOUN = regex(r"\s+([a-zA-Z]{3,})")
_BETWEEN = regex(r"\bbetween\s+\Z", re.IGNORECASE)
_IN_SCALE = regex(
    r"\bin (?:(?:[A-Z]{3}|US|[$€£]) ?)?(thousand|million|billion)s\b(?= of|,|\)|\]|;|$| except| US)",
    re.IGNORECASE,
)


def merge(text: str, left: Quantity, right: Quantity) -> Quantity | None:
    """Return "three (3) years" or "two years and six months" as one; None when they are two quantities."""
    if right.start - left.end > 6:
        return None
    between = text[left.end : right.start]
    if between.strip() == "(":
        return _repetition(text, left, right)
    if not (is_duration(left.unit) and is_duration(right.unit) and _COMPOUND.fullmatch(between)):
        return None
    (longer, family), (shorter, other) = in_base(Decimal(1), left.unit), in_base(Decimal(1), right.unit)
    if family != other or right.value * shorter >= longer:
        return None
    return replace(left, end=right.end, value=left.value * longer / shorter + right.value, unit=right.unit)


def _repetition(text: str, left: Quantity, right: Quantity) -> Quantity | None:
    """Join "three (3) years", "five thousand dollars ($5,000)" when the values agree."""
    same = abs(left.value) == abs(right.value) and (left.unit == right.unit or not (left.unit and right.unit))
    if not same or text[right.end : right.end + 1] != ")":
        return None
    value, unit, scaled, end = left.value, left.unit or right.unit, left.scaled or right.scaled, right.end + 1
    suffix = read_suffix(text, end, unit)
    if suffix.end > end and not (unit and scaled):
        value, end = value * suffix.factor, suffix.end
        unit, scaled = unit or suffix.unit, scaled or suffix.scaled
    digits = max(left.significant, right.significant)
    return Quantity(left.start, end, value, unit, digits, scaled, left.bound, left.approximate)


def mark_ranges(text: str, found: list[Quantity]) -> None:
    """Mark ranges, and give "3 to 5 years", "$3 to $5 million" and "30 or 60 days" one unit and scale."""
    for index in range(len(found) - 1):
        left, right = found[index], found[index + 1]
        match = _CONNECTOR.fullmatch(text, left.end, right.start)
        left = left if match is None else _like(text, left, right)
        # "3.9% to $8 million", "$6 million to 148 people" and "$900 to 14 heirs" are no ranges.
        if match is None or _other_unit(left.unit, right) or (left.unit and left.scaled > right.scaled):
            continue
        if is_currency(found[index].unit) and not right.unit and _counted(text, right.end):
            continue
        between = match[1] == "and" and _BETWEEN.search(text, max(0, left.start - 12), left.start)
        if between or match[1] not in {"and", "or"}:
            left = replace(left, range="low")
            found[index + 1] = replace(right, range="high")
        found[index] = left


def _like(text: str, left: Quantity, right: Quantity) -> Quantity:
    """Give the first of two joined amounts the unit and scale that only the second one states.

    "0.0142 or 1.42%" is one amount twice.
    """
    fraction = right.unit == "percent" and _rounds_to(left.value * 100, right.value, right.significant)
    if left.year or fraction:
        return left
    if right.scaled and not left.scaled and (not left.unit or left.unit == right.unit):
        words = WORD.findall(text[right.start : right.end].casefold())
        scale = next((SCALES[word] for word in words if word in SCALES), Decimal(1))
        if scale != 1 and left.value * scale <= right.value:
            left = replace(left, value=left.value * scale, scaled=True)
    return replace(left, unit=left.unit or right.unit)


def _counted(text: str, end: int) -> bool:
    """Say whether a noun stands behind a figure, which then counts what it names."""
    word = _NOUN.match(text, end)
    return word is not None and word[1].casefold() not in STOPWORDS


def _other_unit(unit: str, quantity: Quantity) -> bool:
    both_durations = is_duration(unit) and is_duration(quantity.unit)
    return bool(unit and quantity.unit) and unit != quantity.unit and not both_durations


def apply_stated_scale(text: str, found: list[Quantity]) -> None:
    """Apply "(in millions)" to plain and money figures from its line on."""
    match = _IN_SCALE.search(text)
    line = len(text) if match is None else text.rfind("\n", 0, match.start()) + 1
    for index, each in enumerate(found):
        plain = not (each.scaled or each.year or (each.unit and not is_currency(each.unit)))
        if match is not None and plain and each.start >= line:
            found[index] = replace(each, value=each.value * SCALES[match[1].casefold()], scaled=True)


_TOLERANCE = Decimal("0.005")
_MOST_DIGITS = 24
_FARTHEST = 1000
"""Places before or behind the point of a gold amount; one written 1e999999999 is none."""


def compare_quantity(gold: str | Decimal, gold_unit: str, quantity: Quantity) -> tuple[Relation, bool]:
    """Compare an amount with the gold one; the second value says that its scale was taken from the question.

    A missing unit is the question's. The more exact of the two must equal the other when it is rounded to
    the digits of that one, and be at most 0.5 % away, unless the gold has decimals and the answer rounds to
    it; calendar years, durations and counts below 1,000 must be equal. A fraction below one matches a
    percentage.
    """
    try:
        number = Decimal(gold.replace(",", "") if isinstance(gold, str) else gold)
    except InvalidOperation:
        return "mismatch", False
    if not number.is_finite() or abs(number.adjusted()) > _FARTHEST:
        return "mismatch", False
    unit, factor = read_unit(gold_unit)
    digits = min(read_digits(f"{abs(number):f}")[1], _MOST_DIGITS)
    if quantity.unit and (not unit or _other_unit(unit, quantity)):
        return "other_unit", False
    if _equal(number * factor, unit, quantity, digits):
        return "match", False
    if unit == "percent" and not quantity.unit and abs(quantity.value) < 1:
        percent = replace(quantity, value=quantity.value * 100)
        return ("match" if _equal(number * factor, unit, percent, digits) else "mismatch"), False
    plain = factor != 1 and not quantity.scaled and not is_duration(unit)
    implied = plain and _equal(number, unit, quantity, digits)
    return ("match" if implied else "mismatch"), implied


def _equal(wanted: Decimal, unit: str, quantity: Quantity, digits: int) -> bool:
    value = quantity.value
    if is_duration(unit):
        return in_base(wanted, unit) == in_base(value, quantity.unit or unit)
    if wanted == value:
        return True
    counted = not unit and abs(wanted) < 1000 and wanted == wanted.to_integral_value()
    if counted or quantity.year:
        return False
    rounded = _rounds_to(value, wanted, digits)
    if abs(wanted - value) > _TOLERANCE * abs(wanted):
        return rounded and wanted != wanted.to_integral_value()
    return rounded or _rounds_to(wanted, value, quantity.significant)


def _rounds_to(exact: Decimal, rounded: Decimal, digits: int) -> bool:
    """Whether a value is another one when it is written with so many significant digits."""
    step = Decimal(1).scaleb(rounded.adjusted() - digits + 1)
    roundings = (ROUND_HALF_UP, ROUND_HALF_EVEN)
    return any((exact / step).quantize(Decimal(1), rounding=each) * step == rounded for each in roundings)
