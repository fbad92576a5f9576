"""Amounts in answers: figures, money, percentages and durations, found where they stand.

What is no amount is left out: citation marks, references to sections and pages, list enumerators, dates with
a month, telephone numbers, times and codes such as COVID-19. Fractions in words ("two thirds") are not read.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from msgspec.structs import replace

from ragharness.language.affixes import Suffix, read_prefix, read_qualifiers, read_suffix
from ragharness.language.dates import find_dates
from ragharness.language.joining import apply_stated_scale, mark_ranges, merge
from ragharness.language.latin import WORD, lowered, places, vocabulary, word_set
from ragharness.language.number_words import AFTER_ARTICLE, NEEDS_UNIT, TRIGGERS, read_words
from ragharness.language.numerals import DIGITS, Numeral, read_digits
from ragharness.language.patterns import regex
from ragharness.language.quantity import Quantity
from ragharness.language.references import (
    continues_list,
    identifier_end,
    in_citation,
    in_link,
    is_enumerator,
    is_reference,
    is_unit_word,
    stands_free,
)
from ragharness.language.units import is_duration

__all__ = ["Quantity", "find_quantities"]


class _Atom(NamedTuple):
    """A bare number before it is extended to a quantity."""

    start: int
    end: int
    numeral: Numeral
    scaled: bool = False
    spelled: bool = False


_RUN = regex(r"[0-9]+")
_FRACTIONS = {"½": Decimal("0.5"), "¼": Decimal("0.25"), "¾": Decimal("0.75")}
_MIXED = regex(r"([0-9]{1,3}) ([1-9])/([1-9][0-9]?)(?![\w/])")
_VALUE_POSITION = regex(
    r"(?:[|:=\t$€£]|\b(?:of|was|were|is|are|be|to|from|and|or|at|versus|vs\.?|by)|^|\n)\s*$"
)
_AND_A_HALF = regex(r"\s(?:and a half|y medi[oa]|et demie?)\b")
_PRONOUN_AFTER = word_set(
    "of or another time sided way off party side hand else thing who that such can must should may s"
)
_PRONOUN_BEFORE = word_set("no any each every the this that which either only another some such")
_NOT_HALF = word_set("first second other latter last better")
_ORDINAL_TAIL = regex(
    r"[- ](?:first|second|thirds?|fourths?|fifths?|sixths?|sevenths?|eighths?|ninths?|tenths?|half|halves"
    r"|quarters?(?= of)|hundredths?|thousandths?)\b"
)
_SPAN_WORDS = frozenset({"year", "month", "week", "day", "decade", "fortnight"})
_BEFORE_A_SPAN = word_set(
    "for of within after least than about approximately lasts is to exceed exactly only"
)
_CODE_MARKS = frozenset("-:/.(")
_LONGEST = 24
"""Digits that a number may have: longer ones are codes."""


def find_quantities(text: str) -> list[Quantity]:
    """Return the amounts that a text states, in order of place.

    "three (3) years" is one quantity, "two years and six months" is one of 30 months, a range is two.
    """
    return list(_find_quantities(text))


@lru_cache(maxsize=256)
def _find_quantities(text: str) -> tuple[Quantity, ...]:
    triggers = vocabulary(text) & _ALL_TRIGGERS
    has_digits = _RUN.search(text) is not None
    if not triggers and not has_digits and not any(fraction in text for fraction in _FRACTIONS):
        return ()
    atoms = _digit_atoms(text) if has_digits else []
    if triggers:
        atoms = sorted(atoms + _word_atoms(text, triggers))
    found: list[Quantity] = []
    for atom in atoms:
        last = found[-1] if found else None
        if last is not None and atom.start < last.end:
            continue
        quantity = _extend(text, atom, last)
        if quantity is None:
            continue
        if last is not None and quantity.start < last.end:
            quantity = replace(quantity, start=last.end)
        joined = None if last is None else merge(text, last, quantity)
        if joined is None:
            found.append(quantity)
        else:
            found[-1] = joined
    mark_ranges(text, found)
    return tuple(apply_stated_scale(text, found))


_ALL_TRIGGERS = TRIGGERS | _SPAN_WORDS


def _digit_atoms(text: str) -> list[_Atom]:
    dates = [date for date in find_dates(text) if date.month or date.fiscal or date.quarter]
    marks = "[" in text or "【" in text or "#" in text
    links = "://" in text or "www." in text or "@" in text
    atoms: list[_Atom] = []
    skip, reference, place = -1, -1, 0
    for run in _RUN.finditer(text):
        start = run.start()
        if start < skip:
            continue
        match = DIGITS.match(text, start)
        end = skip = run.end() if match is None else match.end()
        while place < len(dates) and dates[place].end <= start:
            place += 1
        if place < len(dates) and dates[place].start <= start:
            continue
        if text[end : end + 1] == " " and (mixed := _MIXED.match(text, start)) is not None:
            skip = mixed.end()
            atoms.append(_Atom(start, skip, _mixed(mixed)))
            continue
        code_end = _code_end(text, start, end)
        if code_end >= 0:
            skip = max(skip, code_end)
        elif _is_mark(text, start, end, marks=marks, links=links):
            continue
        elif _is_reference(text, start, end, reference):
            reference = end
        elif end - start <= _LONGEST:
            atoms.append(_digit_atom(text, start, end))
    return atoms


def _code_end(text: str, start: int, end: int) -> int:
    if start and text[start - 1] == "+":
        return identifier_end(text, start - 1)
    return identifier_end(text, start) if text[end : end + 1] in _CODE_MARKS else -1


def _is_mark(text: str, start: int, end: int, *, marks: bool, links: bool) -> bool:
    """Whether digits belong to a code, a list, a citation or an address."""
    if not stands_free(text, start, end) or is_enumerator(text, start, end):
        return True
    return (marks and in_citation(text, start, end)) or (links and in_link(text, start))


def _is_reference(text: str, start: int, end: int, reference: int) -> bool:
    """Whether digits name a section or page, by themselves or in a list that ends at ``reference``."""
    if is_reference(text, start):
        return True
    return continues_list(text, reference, start) and not read_suffix(text, end).measure.unit


def _mixed(mixed: re.Match[str]) -> Numeral:
    whole, upper, lower = (Decimal(part) for part in mixed.groups())
    return Numeral((whole + upper / lower).quantize(Decimal("0.001")).normalize(), 3)


def _digit_atom(text: str, start: int, end: int) -> _Atom:
    written = text[start:end]
    if start and text[start - 1] == "." and not text[start - 2 : start - 1].isalnum() and written.isdecimal():
        return _Atom(start - 1, end, read_digits("0." + written, text))
    numeral = read_digits(written, text)
    half = _FRACTIONS.get(text[end : end + 1])
    if half is not None:
        return _Atom(start, end + 1, Numeral(numeral.value + half, numeral.significant + 1))
    return _Atom(start, end, numeral)


def _word_atoms(text: str, triggers: frozenset[str]) -> list[_Atom]:
    atoms: list[_Atom] = []
    stop = 0
    for start, word in places(text, triggers):
        if start < stop:
            continue
        atom = _a_span(text, start) if word in _SPAN_WORDS else _word_atom(text, start, word)
        if atom is not None:
            atoms.append(atom)
            stop = atom.end
    return atoms


def _a_span(text: str, start: int) -> _Atom | None:
    """Read "for a year": the article is the number."""
    before = text[max(0, start - 24) : start].casefold().split(" ")
    if len(before) < 3 or before[-1] or before[-2] != "a" or before[-3] not in _BEFORE_A_SPAN:
        return None
    return _Atom(start - 2, start - 1, Numeral(Decimal(1), 1), spelled=True)


def _word_atom(text: str, start: int, word: str) -> _Atom | None:
    before = text[max(0, start - 16) : start]
    if word in AFTER_ARTICLE:
        article = 2 if before[-2:].casefold() == "a " else 3 if before[-3:].casefold() == "an " else 0
        if not article or before[:-article][-1:].isalpha():
            return None
        start -= article
    spelled = read_words(text, start)
    if spelled is None or (before[-1:] in {"-", "_", "@"} and before[-1:] and before[-2:-1].isalnum()):
        return None
    if _ORDINAL_TAIL.match(text, spelled.end) or is_reference(text, start):
        return None
    previous = before.rstrip().rpartition(" ")[2].casefold()
    if word == "half" and previous in _NOT_HALF:
        return None
    if spelled.words == 1:
        if word == "one" and _is_pronoun(text, spelled.end, previous):
            return None
        if (
            word in NEEDS_UNIT
            and not read_suffix(text, spelled.end).measure.unit
            and text[spelled.end : spelled.end + 2] != " ("
        ):
            return None
    digits = len(spelled.value.normalize().as_tuple().digits)
    return _Atom(start, spelled.end, Numeral(spelled.value, digits), spelled.scaled, spelled=True)


def _is_pronoun(text: str, end: int, previous: str) -> bool:
    """Whether "one" stands for a thing ("no one", "one of them") rather than for a number."""
    following = WORD.match(lowered(text), end + 1)
    word = following[0] if following is not None else ""
    if previous in _PRONOUN_BEFORE:
        return not is_unit_word(word) and text[end : end + 2] != " ("
    return text[end : end + 1] in {"’", "'"} or (word in _PRONOUN_AFTER and text[end : end + 1] in {" ", "-"})


def _extend(text: str, atom: _Atom, last: Quantity | None) -> Quantity | None:
    """Add sign, currency, scale, unit and qualifiers; None: a bracketed mark such as (2)."""
    start, currency, negative = (atom.start, "", False) if atom.spelled else read_prefix(text, atom.start)
    suffix = read_suffix(text, atom.end, currency, after_scale=atom.scaled)
    if start and text[start - 1] == "(" and text[suffix.end : suffix.end + 1] == ")":
        repeats = last is not None and not text[last.end : start - 1].strip() and start - last.end < 4
        bracketed = (start, suffix, False) if repeats else _bracketed(text, start, suffix, currency, atom)
        if bracketed is None:
            return None
        start, suffix, minus = bracketed
        negative = negative or minus
    bound, approximate, minus = read_qualifiers(text, start, suffix.end)
    factor = suffix.scale * suffix.measure.factor
    value = atom.numeral.value * factor
    unit, scaled = suffix.measure.unit, atom.scaled or suffix.scaled
    end = suffix.end
    if is_duration(unit) and (half := _AND_A_HALF.match(text, end)) is not None:
        value, end = value + suffix.measure.factor / 2, half.end()
    alternative = atom.numeral.alternative
    return Quantity(
        start, end, -value if negative or minus else value, unit, atom.numeral.significant, scaled, bound,
        approximate,
        year=not (unit or scaled or negative) and _is_year(text, atom),
        alternative=None if alternative is None else alternative * factor,
    )  # fmt: skip


def _is_year(text: str, atom: _Atom) -> bool:
    digits = text[atom.start : atom.end]
    return len(digits) == 4 and digits.isdecimal() and 1500 <= atom.numeral.value < 2200


def _bracketed(
    text: str, start: int, suffix: Suffix, currency: str, atom: _Atom
) -> tuple[int, Suffix, bool] | None:
    """Read "(1,234)": a negative figure where a value is expected, else an aside, or a mark (None)."""
    outside = read_suffix(text, suffix.end + 1, currency)
    if outside.measure.unit == "percent" and suffix.measure.unit != "percent":
        return start - 1, outside, True
    before = text[max(0, start - 24) : start - 1]
    length = atom.end - atom.start
    percent = suffix.measure.unit == "percent"
    figure = not atom.spelled and (currency or ((percent or length > 2) and not suffix.scaled))
    if figure and _VALUE_POSITION.search(before):
        if percent:
            suffix.end += 1
            return start - 1, suffix, True
        outer_start, outer, _ = read_prefix(text, start - 1)
        outside = read_suffix(text, suffix.end + 1, currency or outer)
        outside.end = max(outside.end, suffix.end + 1)
        return outer_start, outside, True
    aside = currency or suffix.measure.unit or suffix.scaled or atom.spelled or length > 2
    return (start, suffix, False) if aside else None
