"""Dates in answers, as precise as they are written."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from ragharness.language.latin import places, vocabulary
from ragharness.language.number_context import in_citation, is_reference
from ragharness.language.patterns import regex
from ragharness.language.tables import any_of, phrases, table, words_of
from ragharness.language.units import MEASURES, SCALES

DateRelation = Literal["match", "mismatch", "coarser", "ambiguous"]


class DateMention(Struct, frozen=True, omit_defaults=True):
    """A date that a text states; ``start`` and ``end`` are offsets into that text."""

    start: int
    end: int
    year: int | None
    """None: only month and day are written ("1 March")."""
    month: int | None = None
    day: int | None = None
    ambiguous: bool = False
    """Day and month could change places ("01/03/2021"); ``day`` and ``month`` hold the day-first reading."""
    quarter: int = 0
    fiscal: bool = False


MONTHS = {name: number for number, names in enumerate(table("dates")["months"], 1) for name in names.split()}
"""Month names and abbreviations."""
_COMMON_WORDS = words_of("dates", "common")
_ORDINALS = {name: day for day, name in enumerate(str(table("dates")["ordinals"]).split(), 1)}
_PERIOD_WORDS = words_of("dates", "period_words")

_DIGIT = regex(r"[0-9]")
_CLUSTER = regex(r"[0-9]+(?:[-./–][0-9]+)*")
_YEAR = r"(?:1[5-9]\d\d|2[01]\d\d)"
_DAY = r"(?P<day>[12]\d|3[01]|0?[1-9])"
_ISO = regex(r"(\d{4})([-/.])(0?[1-9]|1[0-2])\2(0?[1-9]|[12]\d|3[01])|(\d{4})-(0[1-9]|1[0-2])")
_NUMERIC = regex(r"(\d{1,2})([-/])(\d{1,2})\2(\d{4}|\d{2})")
_YEARS = regex(rf"({_YEAR})(?:[-–/]({_YEAR}|\d\d))?")
_DAY_BEFORE = regex(
    rf"(?<![\w.,/#])(?:{_DAY}(?:st|nd|rd|th)?|(?P<ordinal>(?:twenty-|thirty-)?[a-z]+(?:st|nd|rd|th)))"
    r"(?:\s+day)?(?:-|\s*(?:\sof\s)?\s*)\Z",
    re.IGNORECASE,
)
_DAY_AFTER = regex(
    rf"\.?[-\s]\s*(?:the\s+)?{_DAY}(?:st|nd|rd|th)?(?![\w%]|[.,]\d)(?!\s*(?:days|years|months|%))",
    re.IGNORECASE,
)
_YEAR_AFTER = regex(rf"\.?(?:\s*,\s*|[-\s]\s*)(?:(?:of|the)\s+){{0,2}}(?P<year>{_YEAR})(?![\w%]|[.,]\d)")
_STREET = rf"(?-i:\s(?:[A-Z][\w.'’-]*\s){{1,3}}?{phrases('dates', 'streets')})"
_PERIOD_BEFORE = regex(
    r"(?<!\w)(?:(?:Q(?P<q>[1-4])|(?P<r>[1-4])Q|(?P<ordinal>first|second|third|fourth)\s+quarter)"
    rf"(?:\s+of)?(?:\s+the)?[\s,]*)?(?P<name>{phrases('dates', 'periods')})?\s*['’]?\Z",
    re.IGNORECASE,
)
_PERIOD_ENDINGS = frozenset("ylrsfeoq1234")
"""Last letters of what may stand right before the year of a period."""
_BLOCKED_BEFORE = regex(r"[\w#@/.,+$€£¥-]\Z|[$€£] \Z")
_BLOCKED_AFTER = regex(r"(?!T)[A-Za-zÀ-ɏ]|[_#@/%€$]")
_NO_YEAR = regex(rf"T| %|,\d|\W{any_of([*MEASURES, *SCALES])}\b|{_STREET}", re.IGNORECASE)
"""What follows an amount, or the number of a house ("1600 Amphitheatre Parkway")."""


def find_dates(text: str) -> list[DateMention]:
    """Return every date of a text in order of place: days, months, quarters, years; none overlaps another.

    Left out: citation marks, references ("Section 1999"), and years that are amounts ("2000 days", "$2021").
    """
    return list(_find_dates(text))


@lru_cache(maxsize=256)
def _find_dates(text: str) -> tuple[DateMention, ...]:
    clusters = list(_CLUSTER.finditer(text))
    if not clusters:
        return ()
    present = vocabulary(text)
    named = _named_dates(text, present & MONTHS.keys())
    periods = not _PERIOD_WORDS.isdisjoint(present)
    marks = any(mark in text for mark in "[【#")
    found: list[DateMention] = []
    place = 0
    for cluster in clusters:
        start, end = cluster.span()
        while place < len(named) and named[place].end <= start:
            place += 1
        if (place < len(named) and named[place].start < end) or (end - start < 4 and not periods):
            continue
        if not (marks and in_citation(text, start, end)):
            found += (periods and _period(text, start, end)) or _digits_only(text, start, end)
    return tuple(sorted(found + named, key=lambda mention: mention.start))


def _named_dates(text: str, months: Iterable[str]) -> list[DateMention]:
    """Dates with one of these month names."""
    found: list[DateMention] = []
    for start, name in places(text, months):
        floor = found[-1].end if found else 0
        if not _DIGIT.search(text, max(floor, start - 14), start + 24):
            continue
        if start >= floor and (mention := _around(text, start, name, floor)) is not None:
            found.append(mention)
    return found


def _around(text: str, place: int, name: str, floor: int) -> DateMention | None:
    start, end, day = place, place + len(name), None
    before = _DAY_BEFORE.search(text, max(floor, start - 28), start)
    if before is not None:
        day = int(before["day"]) if before["day"] else _ORDINALS.get(before["ordinal"].casefold())
        start = start if day is None else before.start()
    if day is None and (after := _DAY_AFTER.match(text, end)) is not None:
        day, end = int(after["day"]), after.end()
    year = _YEAR_AFTER.match(text, end)
    if year is not None:
        return DateMention(start, year.end(), int(year["year"]), MONTHS[name], day)
    if day is None or (name in _COMMON_WORDS and not text[place].isupper()):
        return None
    return DateMention(start, end, None, MONTHS[name], day)


def _digits_only(text: str, start: int, end: int) -> list[DateMention]:
    """The dates in a run of digits such as 2021-03-01, 1/3/2021, 2021 or 2020-2021."""
    if _BLOCKED_BEFORE.search(text, max(0, start - 2), start) or _BLOCKED_AFTER.match(text, end):
        return []
    written = text[start:end]
    numeric = _NUMERIC.fullmatch(written)
    if numeric is not None:
        return _numeric(numeric, start, end)
    iso = _ISO.fullmatch(written)
    if iso is not None:
        day = int(iso[4]) if iso[4] else None
        return [DateMention(start, end, int(iso[1] or iso[5]), int(iso[3] or iso[6]), day)]
    years = _YEARS.fullmatch(written)
    if years is None or _NO_YEAR.match(text, end) or is_reference(text, start):
        return []
    mentions = [DateMention(start, start + 4, int(years[1]))]
    if years[2] and len(years[2]) == 4:
        mentions.append(DateMention(start + 5, end, int(years[2])))
    return mentions


def _period(text: str, start: int, end: int) -> list[DateMention]:
    """A fiscal year or a quarter: FY2023, fiscal 2023, Q3 2021."""
    written = text[start:end]
    before = text[max(0, start - 12) : start].rstrip(" '’,")
    if end - start not in {2, 4} or not written.isdecimal() or before[-1:].casefold() not in _PERIOD_ENDINGS:
        return []
    period = _PERIOD_BEFORE.search(text, max(0, start - 40), start)
    if period is None or not period[0].strip(" '’"):
        return []
    quarter = int(period["q"] or period["r"] or 0) or _ORDINALS.get((period["ordinal"] or "").casefold(), 0)
    fiscal = (period["name"] or "CY").upper() != "CY"
    return [DateMention(period.start(), end, _full_year(written), quarter=quarter, fiscal=fiscal)]


def _full_year(written: str) -> int:
    year = int(written)
    return year if len(written) == 4 else year + (2000 if year < 70 else 1900)


def _numeric(match: re.Match[str], start: int, end: int) -> list[DateMention]:
    """Read 01/03/2021: day and month may change places unless one is above twelve."""
    first, second = int(match[1]), int(match[3])
    day, month = (second, first) if second > 12 else (first, second)
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return []
    ambiguous = first != second and max(first, second) <= 12
    return [DateMention(start, end, _full_year(match[4]), month, day, ambiguous)]


_PARTS = {"year": 1, "month": 2, "day": 3}


def compare_date(gold: str, precision: str, mention: DateMention) -> DateRelation:
    """Compare a mention with an ISO date ("2021", "2021-03", "2021-03-01") at a precision (year, month, day).

    An empty precision is that of the gold. ``coarser``: no contradiction, but less precise than asked for.
    ``ambiguous``: it matches in one order of day and month only.
    """
    try:
        wanted = [int(part) for part in gold.strip()[:10].split("-")[: _PARTS.get(precision, 3)]]
    except ValueError:
        return "mismatch"
    straight = _compare(wanted, mention, mention.month, mention.day)
    if not mention.ambiguous:
        return straight
    swapped = _compare(wanted, mention, mention.day, mention.month)
    if straight == swapped:
        return straight
    return "mismatch" if "match" not in {straight, swapped} else "ambiguous"


def _compare(wanted: list[int], mention: DateMention, month: int | None, day: int | None) -> DateRelation:
    pairs = list(zip(wanted, (mention.year, month, day), strict=False))
    if any(part is not None and part != gold for gold, part in pairs):
        return "mismatch"
    if mention.quarter and len(wanted) > 1 and not mention.fiscal and (wanted[1] + 2) // 3 != mention.quarter:
        return "mismatch"
    return "coarser" if any(part is None for _, part in pairs) else "match"
