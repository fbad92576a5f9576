"""Dates in answers, as precise as they are written."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from ragharness.language.markup import without_marks
from ragharness.language.tables import any_of, phrases, regex, table, words_of
from ragharness.language.units import SCALES, UNITS, is_currency, is_reference, places, vocabulary

DateRelation = Literal["match", "mismatch", "coarser", "ambiguous"]


class DateMention(Struct, frozen=True, omit_defaults=True):
    """A date that a text states; ``start`` and ``end`` are offsets into that text."""

    start: int
    end: int
    year: int | None  # None: only month and day are written ("1 March")
    month: int | None = None
    day: int | None = None
    ambiguous: bool = False  # day and month, read with the day first, could change places ("01/03/2021")
    quarter: int = 0
    fiscal: bool = False


MONTHS = {name: number for number, names in enumerate(table("dates")["months"], 1) for name in names.split()}
_QUARTERS = {"first": 1, "second": 2, "third": 3, "fourth": 4}

_ORDINALS = str(table("dates")["days"]).split()
_CLUSTER = regex(r"[0-9]+(?:[-./–][0-9]+)*")
_YEAR = r"(?:1[5-9]\d\d|2[01]\d\d)"
_DAY = rf"(?P<day>[12]\d|3[01]|0?[1-9]|{any_of(_ORDINALS)})(?:st|nd|rd|th)?"
_ISO = regex(r"(\d{4})([-/.])(0?[1-9]|1[0-2])\2(0?[1-9]|[12]\d|3[01])|(\d{4})-(0[1-9]|1[0-2])")
_NUMERIC = regex(r"(\d{1,2})([-/])(\d{1,2})\2(\d{4}|\d{2})|(\d{1,2})\.(\d{1,2})\.(\d{4})")
_MONTH_OF = regex(r"(0?[1-9]|1[0-2])/((?:19|20)\d\d)")
_YEARS = regex(rf"({_YEAR})(?:[-–/]({_YEAR}|\d\d))?")
_DAY_BEFORE = regex(rf"(?<![\w.,/#]){_DAY}(?:\s+day)?(?:-|\s*(?:\sof\s)?\s*)\Z", re.IGNORECASE)
_DAY_AFTER = regex(
    rf"\.?[-\s]\s*{_DAY}(?![\w%]|[.,]\d)(?!\s*(?:days|years|months|quarter|half|%))", re.IGNORECASE
)
_YEAR_AFTER = regex(
    rf"\.?(?:\s*,\s*|[-\s]\s*)(?:(?:of|the)\s+){{0,2}}(?P<year>{_YEAR})[1-9]?(?![\w%]|[.,]\d)"
)
_STREET = rf"(?-i:\s(?:[A-Z][\w.'’-]*\s){{1,3}}?{phrases('dates', 'streets')})"
_PERIOD_BEFORE = regex(
    r"(?<!\w)(?:(?:Q(?P<q>[1-4])|(?P<ordinal>first|second|third|fourth)\s+quarter)"
    rf"(?:\s+of)?(?:\s+the)?[\s,]*)?(?P<name>{phrases('dates', 'periods')})?\s*['’]?\Z",
    re.IGNORECASE,
)
_BLOCKED_BEFORE = regex(r"[\w#@/.,+$€£¥-]\Z|[$€£] \Z")
_BLOCKED_AFTER = regex(r"(?!T)[A-Za-zÀ-ɏ]|[_#@/%€$]")
_COUNTED = any_of([*SCALES, *(name for name, measure in UNITS.items() if not is_currency(measure.unit))])
_NO_YEAR = regex(rf"T| %|,\d|\W{_COUNTED}\b|{_STREET}", re.IGNORECASE)  # behind an amount or a house's number


@lru_cache(maxsize=256)
def find_dates(text: str) -> tuple[DateMention, ...]:
    """Every day, month, quarter and year of a text in order of place; none overlaps another."""
    text = without_marks(text)
    named = _named_dates(text)
    taken = {position for date in named for position in range(date.start, date.end)}
    periods = not words_of("dates", "period_words").isdisjoint(vocabulary(text))
    mentions: list[DateMention] = []
    for cluster in _CLUSTER.finditer(text):
        start, end = cluster.span()
        if start not in taken and end - 1 not in taken:
            mentions += (periods and _period(text, start, end)) or _digits_only(text, start, end)
    return tuple(sorted(named + mentions, key=lambda mention: mention.start))


def _named_dates(text: str) -> list[DateMention]:
    mentions: list[DateMention] = []
    for position, name in places(text, MONTHS):
        floor, start, end, day = mentions[-1].end if mentions else 0, position, position + len(name), None
        if position < floor:
            continue
        if (before := _DAY_BEFORE.search(text, max(floor, start - 28), start)) is not None:
            day, start = _day(before["day"]), before.start()
        elif (after := _DAY_AFTER.match(text, end)) is not None:
            day, end = _day(after["day"]), after.end()
        if (year := _YEAR_AFTER.match(text, end)) is not None:
            mentions.append(DateMention(start, year.end(), int(year["year"]), MONTHS[name], day))
        elif day is not None and (name not in words_of("dates", "common") or text[position].isupper()):
            mentions.append(DateMention(start, end, None, MONTHS[name], day))
    return mentions


def _day(written: str) -> int:
    return int(written) if written.isdecimal() else _ORDINALS.index(written.casefold()) + 1


def _digits_only(text: str, start: int, end: int) -> list[DateMention]:
    """The dates in a run of digits such as 2021-03-01, 1/3/2021, 2021 or 2020-2021."""
    if _BLOCKED_BEFORE.search(text, max(0, start - 2), start) or _BLOCKED_AFTER.match(text, end):
        return []
    written = text[start:end]
    numeric = _NUMERIC.fullmatch(written)
    if numeric is not None and numeric[5]:
        day, month = int(numeric[5]), int(numeric[6])
        date = DateMention(start, end, int(numeric[7]), month, day)
        return [date] if 1 <= month <= 12 and 1 <= day <= 31 else []
    if numeric is not None:
        leading, trailing = int(numeric[1]), int(numeric[3])
        day, month = (trailing, leading) if trailing > 12 else (leading, trailing)
        date = DateMention(start, end, _full_year(numeric[4]), month, day, day != month and day <= 12)
        return [date] if 1 <= month <= 12 and 1 <= day <= 31 else []
    if (month_of := _MONTH_OF.fullmatch(written)) is not None:
        return [DateMention(start, end, int(month_of[2]), int(month_of[1]))]
    if (iso := _ISO.fullmatch(written)) is not None:
        year, month = int(iso[1] or iso[5]), int(iso[3] or iso[6])
        return [DateMention(start, end, year, month, int(iso[4]) if iso[4] else None)]
    years = _YEARS.fullmatch(written)
    if years is None or _NO_YEAR.match(text, end) or is_reference(text, start):
        return []
    until = [DateMention(start + 5, end, int(years[2]))] if len(years[2] or "") == 4 else []
    return [DateMention(start, start + 4, int(years[1])), *until]


def _period(text: str, start: int, end: int) -> list[DateMention]:
    """A fiscal year or a quarter: FY2023, fiscal 2023, Q3 2021."""
    written = text[start:end]
    period = _PERIOD_BEFORE.search(text, max(0, start - 40), start) if written.isdecimal() else None
    if end - start not in {2, 4} or period is None or not period[0].strip(" '’"):
        return []
    quarter = int(period["q"] or 0) or _QUARTERS.get((period["ordinal"] or "").casefold(), 0)
    fiscal = (period["name"] or "CY").upper() != "CY"
    return [DateMention(period.start(), end, _full_year(written), quarter=quarter, fiscal=fiscal)]


def _full_year(written: str) -> int:
    year = int(written)
    return year if len(written) == 4 else year + (2000 if year < 70 else 1900)


def compare_date(gold: str, precision: str, mention: DateMention) -> DateRelation:
    """Compare a mention with an ISO date at a precision (year, month, day; empty: that of the date).

    ``coarser``: no contradiction, but less precise; ``ambiguous``: it matches in one order of day and month.
    """
    try:
        length = {"year": 1, "month": 2}.get(precision, 3)
        parts = [int(part) for part in gold.strip()[:10].split("-")[:length]]
    except ValueError:
        return "mismatch"
    readings = {_compare(parts, mention, mention.month, mention.day)}
    if mention.ambiguous:
        readings.add(_compare(parts, mention, mention.day, mention.month))
    if len(readings) == 1:
        return readings.pop()
    return "ambiguous" if "match" in readings else "mismatch"


def _compare(parts: list[int], mention: DateMention, month: int | None, day: int | None) -> DateRelation:
    pairs = list(zip(parts, (mention.year, month, day), strict=False))
    quarter = mention.quarter if len(parts) > 1 and not mention.fiscal else 0
    differs = any(part is not None and part != gold for gold, part in pairs)
    if differs or (quarter and (parts[1] + 2) // 3 != quarter):
        return "mismatch"
    return "coarser" if any(part is None for _, part in pairs) else "match"


def iso(date: DateMention) -> str:
    """Date as precise as it was written: "2024", "2024-03", "2024-03-01"."""
    parts = [f"{date.year:04d}", *(f"{part:02d}" for part in (date.month, date.day) if part)]
    return "-".join(parts)
