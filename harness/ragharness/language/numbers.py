"""Amounts in answers: figures, money, percentages and durations, found where they stand.

Marks, references, enumerators, dates with a month, codes, names and fractions in words are no amounts.
"""

from __future__ import annotations

import re
import unicodedata
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from ragharness.language import units
from ragharness.language.dates import find_dates
from ragharness.language.markup import without_marks
from ragharness.language.tables import any_of, phrases, regex, words_of
from ragharness.language.units import Bound, Suffix
from ragharness.language.words import STOPWORDS

_RUN = regex(r"[0-9]+")
_PART = regex(r"[½¼¾]| ([1-9])/([1-9][0-9]?)(?![\w/])")
_VALUE_POSITION = regex(rf"(?:[|:=\t$€£]|\b{phrases('numbers', 'before_value')}|^|\n)\s*\Z")
_YEAR = regex(r"1[5-9][0-9]{2}|2[01][0-9]{2}")
_AND_A_HALF = regex(r"\sand a half\b")
_ONE_OF = regex(rf"[’']|[ -]{any_of(words_of('numbers', 'one_of'))}\b", re.IGNORECASE)
_GLUED = regex(r"[^\W_][-_@]\Z")
_FRACTION_AFTER = regex(rf"[- ]{phrases('numbers', 'fractions')}\b")
_ARTICLE = regex(r"(?<![^\W\d_])[Aa] \Z")
_LONGEST = 24  # digits that a number may have: longer ones are codes


@lru_cache(maxsize=256)
def find_quantities(text: str) -> tuple[Quantity, ...]:
    """Amounts of a text in order of place; "three (3) years" is one of them, a range is two."""
    text = without_marks(text)
    quantities: list[Quantity] = []
    for number in sorted(_in_digits(text) + _in_words(text), key=lambda numeral: numeral.start):
        last = quantities[-1] if quantities else None
        quantity = _extend(text, number, last) if last is None or number.start >= last.end else None
        if quantity is None:
            continue
        if last is not None and quantity.start < last.end:
            quantity = replace(quantity, start=last.end)
        joined = None if last is None else merge(text, last, quantity)
        quantities[len(quantities) - (joined is not None) :] = [joined or quantity]
    if quantities:
        mark_ranges(text, quantities)
        apply_stated_scale(text, quantities)
    return tuple(quantities)


def _in_digits(text: str) -> list[Quantity]:
    """The bare numbers in digits, still without sign and unit."""
    if not _RUN.search(text):
        return []
    dates = [date for date in find_dates(text) if date.month or date.fiscal or date.quarter]
    taken = {position for date in dates for position in range(date.start, date.end)}
    listed = {item.start(item.lastindex or 0) for item in units.LIST_ITEM.finditer(text)}
    numerals: list[Quantity] = []
    skip, reference = -1, -1
    for run in _RUN.finditer(text):
        start = run.start()
        if start < skip or start in taken:
            continue
        match = units.DIGITS.match(text, start)
        end = skip = run.end() if match is None else match.end()
        part = _PART.match(text, end)
        code = None if part else units.CODE.match(text, start)
        if code is not None:
            skip = max(skip, code.end())
        elif start in listed or units.is_name(text, start, end):
            continue
        elif units.is_reference(text, start) or (
            0 <= reference < start <= reference + 12
            and units.LIST_GAP.fullmatch(text, reference, start)
            and not units.read_suffix(text, end).unit
        ):
            reference = end
        elif end - start <= _LONGEST:
            skip = end if part is None else part.end()
            numerals.append(_numeral(text, start, end, part))
    return numerals


def _numeral(text: str, start: int, end: int, part: re.Match[str] | None) -> Quantity:
    """Read one numeral, with a decimal point before it or a fraction behind it: ".5", "2½", "2 1/2"."""
    written = text[start:end]
    if text[start - 1 : start] == "." and not text[start - 2 : start - 1].isalnum() and written.isdecimal():
        start, written = start - 1, "0." + written
    value, digits = units.read_digits(written)
    if part is not None:
        upper, lower = part.groups()
        value += round(Decimal(upper) / Decimal(lower) if upper else Decimal(unicodedata.numeric(part[0])), 3)
        end, digits = part.end(), digits + 1
    return Quantity(start, end, value, significant=digits)


def _in_words(text: str) -> list[Quantity]:
    numerals: list[Quantity] = []
    for start, word in units.places(text, units.TRIGGERS):
        number = _spelled(text, start, word) if not numerals or start >= numerals[-1].end else None
        numerals += [] if number is None else [number]
    return numerals


def _spelled(text: str, start: int, word: str) -> Quantity | None:
    if word in units.AFTER_ARTICLE:
        if _ARTICLE.search(text, max(0, start - 3), start) is None:
            return None
        start -= 2
    spelled = units.read_words(text, start)
    if spelled is None or _GLUED.search(text, max(0, start - 2), start) or units.is_reference(text, start):
        return None
    end, value, scaled = spelled
    before = text[max(0, start - 16) : start].rstrip().rpartition(" ")[2].casefold()
    if _FRACTION_AFTER.match(text, end) or (word == "half" and before in words_of("numbers", "not_half")):
        return None
    if (
        word == "one"
        and end == start + 3
        and (before in words_of("numbers", "no_one") or _ONE_OF.match(text, end))
    ):
        return None
    digits = len(value.normalize().as_tuple().digits)
    return Quantity(start, end, value, significant=digits, scaled=scaled)


def _extend(text: str, number: Quantity, last: Quantity | None) -> Quantity | None:
    """Add sign, currency, scale, unit and qualifiers; None: a bracketed mark such as (2)."""
    spelled = text[number.start].isalpha()
    unmarked = (number.start, "", False)
    start, currency, negative = unmarked if spelled else units.read_prefix(text, number.start)
    suffix = units.read_suffix(text, number.end, currency)
    if start and text[start - 1] == "(" and text[suffix.end : suffix.end + 1] == ")":
        repeats = last is not None and not text[last.end : start - 1].strip() and start - last.end < 4
        bracketed = (start, suffix, False) if repeats else _bracketed(text, start, suffix, currency, number)
        if bracketed is None:
            return None
        start, suffix, minus = bracketed
        negative = negative or minus
    bound, approximate, minus = units.read_qualifiers(text, start, suffix.end)
    end, value = suffix.end, number.value
    if units.is_duration(suffix.unit) and (half := _AND_A_HALF.match(text, end)) is not None:
        end, value = half.end(), value + Decimal("0.5")
    value = value * suffix.factor * (-1 if negative or minus else 1)
    scaled = number.scaled or suffix.scaled
    bare, digits = not (suffix.unit or scaled or negative), number.significant
    year = bare and _YEAR.fullmatch(text, number.start, number.end) is not None
    return Quantity(start, end, value, suffix.unit, digits, scaled, bound, approximate, year=year)


def _bracketed(
    text: str, start: int, suffix: Suffix, currency: str, number: Quantity
) -> tuple[int, Suffix, bool] | None:
    """Read "(1,234)": a negative figure where a value is expected, else an aside, or a mark (None)."""
    percent, longer = suffix.unit == "percent", number.end - number.start > 2
    outer_start, outer, _ = units.read_prefix(text, start - 1)
    outside = units.read_suffix(text, suffix.end + 1, currency or outer)
    if outside.unit == "percent" and not percent:
        return start - 1, outside, True
    spelled = text[number.start].isalpha()
    figure = not spelled and (currency or ((percent or longer) and not suffix.scaled))
    if figure and _VALUE_POSITION.search(text, max(0, start - 24), start - 1):
        whole = suffix if percent else outside
        return outer_start, whole._replace(end=max(outside.end, suffix.end + 1)), True
    return (start, suffix, False) if suffix.unit or suffix.scaled or spelled or longer else None


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
    """Two quantities as one ("three (3) years", "two years and six months"); None where they stay two."""
    if right.start - left.end > 6:
        return None
    between = text[left.end : right.start]
    if between.strip() == "(":
        return _repetition(text, left, right)
    if not (units.is_duration(left.unit) and units.is_duration(right.unit) and _COMPOUND.fullmatch(between)):
        return None
    longer, family = units.in_base(Decimal(1), left.unit)
    shorter, other_family = units.in_base(Decimal(1), right.unit)
    if family != other_family or right.value * shorter >= longer:
        return None
    return replace(left, end=right.end, value=left.value * longer / shorter + right.value, unit=right.unit)


def _repetition(text: str, left: Quantity, right: Quantity) -> Quantity | None:
    """Join "three (3) years", "five thousand dollars ($5,000)" when the values agree."""
    same = abs(left.value) == abs(right.value) and (left.unit == right.unit or not (left.unit and right.unit))
    if not same or text[right.end : right.end + 1] != ")":
        return None
    value, unit, scaled, end = left.value, left.unit or right.unit, left.scaled or right.scaled, right.end + 1
    suffix = units.read_suffix(text, end, unit)
    if suffix.end > end and not (unit and scaled):
        value, end = value * suffix.factor, suffix.end
        unit, scaled = unit or suffix.unit, scaled or suffix.scaled
    digits = max(left.significant, right.significant)
    return Quantity(left.start, end, value, unit, digits, scaled, left.bound, left.approximate)


def mark_ranges(text: str, quantities: list[Quantity]) -> None:
    """Mark ranges, and give "3 to 5 years", "$3 to $5 million" and "30 or 60 days" one unit and scale."""
    for index in range(len(quantities) - 1):
        lower, upper = quantities[index], quantities[index + 1]
        match = _CONNECTOR.fullmatch(text, lower.end, upper.start)
        lower = lower if match is None else _like(text, lower, upper)
        # "3.9% to $8 million", "$6 million to 148 people" and "$900 to 14 heirs" are no ranges.
        if match is None or other_unit(lower.unit, upper) or (lower.unit and lower.scaled > upper.scaled):
            continue
        if units.is_currency(quantities[index].unit) and not upper.unit and _counted(text, upper.end):
            continue
        between = match[1] == "and" and _BETWEEN.search(text, max(0, lower.start - 12), lower.start)
        if between or match[1] not in {"and", "or"}:
            lower = replace(lower, range="low")
            quantities[index + 1] = replace(upper, range="high")
        quantities[index] = lower


def _like(text: str, lower: Quantity, upper: Quantity) -> Quantity:
    """Give the first of two joined amounts the unit and scale of the second; "0.0142 or 1.42%" is one."""
    fraction = upper.unit == "percent" and rounds_to(lower.value * 100, upper.value, upper.significant)
    if lower.year or fraction:
        return lower
    if upper.scaled and not lower.scaled and (not lower.unit or lower.unit == upper.unit):
        words = units.WORD.findall(text[upper.start : upper.end].casefold())
        scale = next((units.SCALES[word] for word in words if word in units.SCALES), Decimal(1))
        if scale != 1 and lower.value * scale <= upper.value:
            lower = replace(lower, value=lower.value * scale, scaled=True)
    return replace(lower, unit=lower.unit or upper.unit)


def _counted(text: str, end: int) -> bool:
    word = _NOUN.match(text, end)
    return word is not None and word[1].casefold() not in STOPWORDS


def other_unit(unit: str, quantity: Quantity) -> bool:
    """Whether an amount is measured in something else than a unit; all durations are alike."""
    if units.is_duration(unit) and units.is_duration(quantity.unit):
        return False
    family, other_family = units.in_base(Decimal(1), unit)[1], units.in_base(Decimal(1), quantity.unit)[1]
    return bool(unit and quantity.unit) and family != other_family


def apply_stated_scale(text: str, amounts: list[Quantity]) -> None:
    """Apply "(in millions)" to plain and money figures from its line on."""
    match = _IN_SCALE.search(text)
    line = len(text) if match is None else text.rfind("\n", 0, match.start()) + 1
    for index, amount in enumerate(amounts):
        plain = not (amount.scaled or amount.year or (amount.unit and not units.is_currency(amount.unit)))
        if match is not None and plain and amount.start >= line:
            factor = units.SCALES[match[1].casefold()]
            amounts[index] = replace(amount, value=amount.value * factor, scaled=True)


def rounds_to(exact: Decimal, rounded: Decimal, digits: int) -> bool:
    """Whether a value is another one when it is written with so many significant digits."""
    step = Decimal(1).scaleb(rounded.adjusted() - digits + 1)
    roundings = (ROUND_HALF_UP, ROUND_HALF_EVEN)
    return any((exact / step).quantize(Decimal(1), rounding=mode) * step == rounded for mode in roundings)
