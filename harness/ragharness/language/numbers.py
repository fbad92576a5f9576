"""Amounts in answers: figures, money, percentages and durations, found where they stand.

Marks, references, enumerators, dates with a month, codes, names and fractions in words are no amounts.
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from functools import lru_cache

from msgspec.structs import replace

from ragharness.language import numerals
from ragharness.language.amounts import Quantity, apply_stated_scale, mark_ranges, merge
from ragharness.language.dates import find_dates
from ragharness.language.tables import any_of, phrases, regex, words_of
from ragharness.language.units import Suffix, is_duration, read_prefix, read_qualifiers, read_suffix

__all__ = ["Quantity", "find_quantities"]

_RUN = regex(r"[0-9]+")
_PART = regex(r"[½¼¾]| ([1-9])/([1-9][0-9]?)(?![\w/])")
_VALUE_POSITION = regex(rf"(?:[|:=\t$€£]|\b{phrases('numbers', 'before_value')}|^|\n)\s*\Z")
_YEAR = regex(r"1[5-9][0-9]{2}|2[01][0-9]{2}")
_AND_A_HALF = regex(r"\sand a half\b")
_ONE_OF = regex(rf"[’']|[ -]{any_of(words_of('numbers', 'one_of'))}\b", re.IGNORECASE)
_GLUED = regex(r"[^\W_][-_@]\Z")
_NO_ONE = words_of("numbers", "no_one")
_NOT_HALF = words_of("numbers", "not_half")
_FRACTION_AFTER = regex(rf"[- ]{phrases('numbers', 'fractions')}\b")
_ARTICLE = regex(r"(?<![^\W\d_])[Aa] \Z")
_Read = tuple[int, Suffix, bool]
_LONGEST = 24
"""Digits that a number may have: longer ones are codes."""


def find_quantities(text: str) -> list[Quantity]:
    """Return the amounts of a text in order of place; "three (3) years" is one of them, a range is two."""
    return list(_find_quantities(text))


@lru_cache(maxsize=256)
def _find_quantities(text: str) -> tuple[Quantity, ...]:
    text = numerals.without_marks(text)
    found: list[Quantity] = []
    for number in sorted(_in_digits(text) + _in_words(text), key=lambda each: each.start):
        last = found[-1] if found else None
        quantity = _extend(text, number, last) if last is None or number.start >= last.end else None
        if quantity is None:
            continue
        if last is not None and quantity.start < last.end:
            quantity = replace(quantity, start=last.end)
        joined = None if last is None else merge(text, last, quantity)
        found[len(found) - (joined is not None) :] = [joined or quantity]
    mark_ranges(text, found)
    apply_stated_scale(text, found)
    return tuple(found)


def _in_digits(text: str) -> list[Quantity]:
    """The bare numbers in digits, still without sign and unit."""
    dates = [date for date in find_dates(text) if date.month or date.fiscal or date.quarter]
    taken = {place for date in dates for place in range(date.start, date.end)}
    listed = {item.start(item.lastindex or 0) for item in numerals.LIST_ITEM.finditer(text)}
    found: list[Quantity] = []
    skip, reference = -1, -1
    for run in _RUN.finditer(text):
        start = run.start()
        if start < skip or start in taken:
            continue
        match = numerals.DIGITS.match(text, start)
        end = skip = run.end() if match is None else match.end()
        part = _PART.match(text, end)
        code = None if part else numerals.CODE.match(text, start)
        if code is not None:
            skip = max(skip, code.end())
        elif start in listed or numerals.is_name(text, start, end):
            continue
        elif numerals.is_reference(text, start) or (
            0 <= reference < start <= reference + 12
            and numerals.LIST_GAP.fullmatch(text, reference, start)
            and not read_suffix(text, end).unit
        ):
            reference = end
        elif end - start <= _LONGEST:
            skip = end if part is None else part.end()
            found.append(_numeral(text, start, end, part))
    return found


def _numeral(text: str, start: int, end: int, part: re.Match[str] | None) -> Quantity:
    """Read one numeral, with a decimal point before it or a fraction behind it: ".5", "2½", "2 1/2"."""
    written = text[start:end]
    if text[start - 1 : start] == "." and not text[start - 2 : start - 1].isalnum() and written.isdecimal():
        start, written = start - 1, "0." + written
    value, digits = numerals.read_digits(written)
    if part is not None:
        upper, lower = part.groups()
        value += round(Decimal(upper) / Decimal(lower) if upper else Decimal(unicodedata.numeric(part[0])), 3)
        end, digits = part.end(), digits + 1
    return Quantity(start, end, value, significant=digits)


def _in_words(text: str) -> list[Quantity]:
    """The bare numbers in words, still without unit."""
    found: list[Quantity] = []
    for start, word in numerals.places(text, numerals.TRIGGERS):
        number = _spelled(text, start, word) if not found or start >= found[-1].end else None
        found += [] if number is None else [number]
    return found


def _spelled(text: str, start: int, word: str) -> Quantity | None:
    if word in numerals.AFTER_ARTICLE:
        if _ARTICLE.search(text, max(0, start - 3), start) is None:
            return None
        start -= 2
    spelled = numerals.read_words(text, start)
    if spelled is None or _GLUED.search(text, max(0, start - 2), start) or numerals.is_reference(text, start):
        return None
    end, value, scaled = spelled
    before = text[max(0, start - 16) : start].rstrip().rpartition(" ")[2].casefold()
    if _FRACTION_AFTER.match(text, end) or (word == "half" and before in _NOT_HALF):
        return None
    if word == "one" and end == start + 3 and (before in _NO_ONE or _ONE_OF.match(text, end)):
        return None
    digits = len(value.normalize().as_tuple().digits)
    return Quantity(start, end, value, significant=digits, scaled=scaled)


def _extend(text: str, number: Quantity, last: Quantity | None) -> Quantity | None:
    """Add sign, currency, scale, unit and qualifiers; None: a bracketed mark such as (2)."""
    spelled = text[number.start].isalpha()
    start, currency, negative = (number.start, "", False) if spelled else read_prefix(text, number.start)
    suffix = read_suffix(text, number.end, currency)
    if start and text[start - 1] == "(" and text[suffix.end : suffix.end + 1] == ")":
        repeats = last is not None and not text[last.end : start - 1].strip() and start - last.end < 4
        bracketed = (start, suffix, False) if repeats else _bracketed(text, start, suffix, currency, number)
        if bracketed is None:
            return None
        start, suffix, minus = bracketed
        negative = negative or minus
    bound, approximate, minus = read_qualifiers(text, start, suffix.end)
    end, value = suffix.end, number.value
    if is_duration(suffix.unit) and (half := _AND_A_HALF.match(text, end)) is not None:
        end, value = half.end(), value + Decimal("0.5")
    value = value * suffix.factor * (-1 if negative or minus else 1)
    scaled = number.scaled or suffix.scaled
    bare, digits = not (suffix.unit or scaled or negative), number.significant
    year = bare and _YEAR.fullmatch(text, number.start, number.end) is not None
    return Quantity(start, end, value, suffix.unit, digits, scaled, bound, approximate, year=year)


def _bracketed(text: str, start: int, suffix: Suffix, currency: str, number: Quantity) -> _Read | None:
    """Read "(1,234)": a negative figure where a value is expected, else an aside, or a mark (None)."""
    percent, longer = suffix.unit == "percent", number.end - number.start > 2
    outer_start, outer, _ = read_prefix(text, start - 1)
    outside = read_suffix(text, suffix.end + 1, currency or outer)
    if outside.unit == "percent" and not percent:
        return start - 1, outside, True
    spelled = text[number.start].isalpha()
    figure = not spelled and (currency or ((percent or longer) and not suffix.scaled))
    if figure and _VALUE_POSITION.search(text, max(0, start - 24), start - 1):
        whole = suffix if percent else outside
        return outer_start, whole._replace(end=max(outside.end, suffix.end + 1)), True
    return (start, suffix, False) if suffix.unit or suffix.scaled or spelled or longer else None
