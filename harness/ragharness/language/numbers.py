"""Amounts in answers: figures, money, percentages and durations, found where they stand.

What is no amount is left out: citation marks, references to sections and pages, list enumerators, dates with
a month, telephone numbers, times and names such as COVID-19. Fractions in words ("two thirds") are not read.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from msgspec.structs import replace

from ragharness.language import number_context as context
from ragharness.language.amounts import Quantity, apply_stated_scale, mark_ranges, merge
from ragharness.language.dates import find_dates
from ragharness.language.latin import WORD, lowered, places, vocabulary
from ragharness.language.number_words import AFTER_ARTICLE, DIGITS, TRIGGERS, read_digits, read_words
from ragharness.language.patterns import regex
from ragharness.language.tables import any_of, phrases, words_of
from ragharness.language.units import is_duration, is_unit_word

__all__ = ["Quantity", "find_quantities"]


class _Atom(NamedTuple):
    """A bare number before it is extended to a quantity."""

    start: int
    end: int
    value: Decimal
    significant: int
    """Significant digits as written."""
    scaled: bool = False
    spelled: bool = False


_RUN = regex(r"[0-9]+")
_FRACTIONS = {"½": Decimal("0.5"), "¼": Decimal("0.25"), "¾": Decimal("0.75")}
_MIXED = regex(r"([0-9]{1,3}) ([1-9])/([1-9][0-9]?)(?![\w/])")
_VALUE_POSITION = regex(rf"(?:[|:=\t$€£]|\b{phrases('numbers', 'before_value')}|^|\n)\s*\Z")
_YEAR = regex(r"1[5-9][0-9]{2}|2[01][0-9]{2}")
_AND_A_HALF = regex(r"\sand a half\b")
_ONE_OF = regex(rf"[’']|[ -]{any_of(words_of('numbers', 'one_of'))}\b", re.IGNORECASE)
_GLUED = regex(r"[^\W_][-_@]\Z")
_NO_ONE = words_of("numbers", "no_one")
_NOT_HALF = words_of("numbers", "not_half")
_FRACTION_AFTER = regex(rf"[- ]{phrases('numbers', 'fractions')}\b")
_SPANS = words_of("numbers", "spans")
_WORDS = TRIGGERS | _SPANS
_ARTICLE = regex(r"(?<![^\W\d_])[Aa] \Z")
_A_SPAN = regex(rf"(?<![^\s]){any_of(words_of('numbers', 'before_a_span'))} (a )\Z", re.IGNORECASE)
"""In "for a year" the article is the number."""
_LONGEST = 24
"""Digits that a number may have: longer ones are codes."""


def find_quantities(text: str) -> list[Quantity]:
    """Return the amounts that a text states, in order of place.

    "three (3) years" is one quantity, "two years and six months" is one of 30 months, a range is two.
    """
    return list(_find_quantities(text))


@lru_cache(maxsize=256)
def _find_quantities(text: str) -> tuple[Quantity, ...]:
    triggers = vocabulary(text) & _WORDS
    atoms = _digit_atoms(text)
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


def _digit_atoms(text: str) -> list[_Atom]:
    runs = list(_RUN.finditer(text))
    dates = [date for date in find_dates(text) if date.month or date.fiscal or date.quarter] if runs else []
    marks = any(mark in text for mark in "[【#")
    links = any(mark in text for mark in ("://", "www.", "@"))
    atoms: list[_Atom] = []
    skip, reference, place = -1, -1, 0
    for run in runs:
        start = run.start()
        if start < skip:
            continue
        match = DIGITS.match(text, start)
        end = skip = run.end() if match is None else match.end()
        while place < len(dates) and dates[place].end <= start:
            place += 1
        if place < len(dates) and dates[place].start <= start:
            continue
        mixed = _MIXED.match(text, start) if text[end : end + 1] == " " else None
        code = -1 if mixed else context.code_end(text, start, end)
        if mixed is not None:
            skip = mixed.end()
            whole, upper, lower = (Decimal(part) for part in mixed.groups())
            value = (whole + upper / lower).quantize(Decimal("0.001")).normalize()
            atoms.append(_Atom(start, skip, value, 3))
        elif code >= 0:
            skip = max(skip, code)
        elif (
            context.is_name(text, start, end)
            or context.is_enumerator(text, start, end)
            or (marks and context.in_citation(text, start, end))
            or (links and context.in_link(text, start))
        ):
            continue
        elif context.is_reference(text, start) or (
            context.continues_list(text, reference, start) and not context.read_suffix(text, end).measure.unit
        ):
            reference = end
        elif end - start <= _LONGEST:
            atoms.append(_digit_atom(text, start, end))
    return atoms


def _digit_atom(text: str, start: int, end: int) -> _Atom:
    written = text[start:end]
    if text[start - 1 : start] == "." and not text[start - 2 : start - 1].isalnum() and written.isdecimal():
        return _Atom(start - 1, end, *read_digits("0." + written))
    value, digits = read_digits(written)
    part = _FRACTIONS.get(text[end : end + 1])
    return (
        _Atom(start, end, value, digits) if part is None else _Atom(start, end + 1, value + part, digits + 1)
    )


def _word_atoms(text: str, triggers: frozenset[str]) -> list[_Atom]:
    atoms: list[_Atom] = []
    stop = 0
    for start, word in places(text, triggers):
        if start < stop:
            continue
        atom = _word_atom(text, start, word)
        if atom is not None:
            atoms.append(atom)
            stop = atom.end
    return atoms


def _word_atom(text: str, start: int, word: str) -> _Atom | None:
    if word in _SPANS:
        of_one = _A_SPAN.search(text, max(0, start - 24), start)
        return None if of_one is None else _Atom(start - 2, start - 1, Decimal(1), 1, spelled=True)
    if word in AFTER_ARTICLE:
        if _ARTICLE.search(text, max(0, start - 3), start) is None:
            return None
        start -= 2
    spelled = read_words(text, start)
    if spelled is None or _GLUED.search(text, max(0, start - 2), start):
        return None
    if _FRACTION_AFTER.match(text, spelled.end) or context.is_reference(text, start):
        return None
    before = text[max(0, start - 16) : start].rstrip().rpartition(" ")[2].casefold()
    if word == "half" and before in _NOT_HALF:
        return None
    if word == "one" and spelled.end == start + 3 and _is_pronoun(text, spelled.end, before):
        return None
    digits = len(spelled.value.normalize().as_tuple().digits)
    return _Atom(start, spelled.end, spelled.value, digits, spelled.scaled, spelled=True)


def _is_pronoun(text: str, end: int, before: str) -> bool:
    """Whether "one" stands for a thing ("no one", "one of them") rather than for a number."""
    if before in _NO_ONE:
        following = WORD.match(lowered(text), end + 1)
        return text[end : end + 2] != " (" and not (following and is_unit_word(following[0]))
    return _ONE_OF.match(text, end) is not None


def _extend(text: str, atom: _Atom, last: Quantity | None) -> Quantity | None:
    """Add sign, currency, scale, unit and qualifiers; None: a bracketed mark such as (2)."""
    start, currency, negative = (
        (atom.start, "", False) if atom.spelled else context.read_prefix(text, atom.start)
    )
    suffix = context.read_suffix(text, atom.end, currency)
    if start and text[start - 1] == "(" and text[suffix.end : suffix.end + 1] == ")":
        repeats = last is not None and not text[last.end : start - 1].strip() and start - last.end < 4
        bracketed = (start, suffix, False) if repeats else _bracketed(text, start, suffix, currency, atom)
        if bracketed is None:
            return None
        start, suffix, minus = bracketed
        negative = negative or minus
    bound, approximate, minus = context.read_qualifiers(text, start, suffix.end)
    value = atom.value * suffix.scale * suffix.measure.factor
    unit, scaled, end = suffix.measure.unit, atom.scaled or suffix.scaled, suffix.end
    if is_duration(unit) and (half := _AND_A_HALF.match(text, end)) is not None:
        value, end = value + suffix.measure.factor / 2, half.end()
    year = not (unit or scaled or negative) and _YEAR.fullmatch(text, atom.start, atom.end) is not None
    return Quantity(
        start, end, -value if negative or minus else value, unit, atom.significant, scaled, bound,
        approximate, year=year,
    )  # fmt: skip


def _bracketed(
    text: str, start: int, suffix: context.Suffix, currency: str, atom: _Atom
) -> tuple[int, context.Suffix, bool] | None:
    """Read "(1,234)": a negative figure where a value is expected, else an aside, or a mark (None)."""
    outside = context.read_suffix(text, suffix.end + 1, currency)
    percent = suffix.measure.unit == "percent"
    if outside.measure.unit == "percent" and not percent:
        return start - 1, outside, True
    length = atom.end - atom.start
    figure = not atom.spelled and (currency or ((percent or length > 2) and not suffix.scaled))
    if figure and _VALUE_POSITION.search(text, max(0, start - 24), start - 1):
        if percent:
            return start - 1, suffix._replace(end=suffix.end + 1), True
        outer_start, outer, _ = context.read_prefix(text, start - 1)
        outside = context.read_suffix(text, suffix.end + 1, currency or outer)
        return outer_start, outside._replace(end=max(outside.end, suffix.end + 1)), True
    aside = currency or suffix.measure.unit or suffix.scaled or atom.spelled or length > 2
    return (start, suffix, False) if aside else None
