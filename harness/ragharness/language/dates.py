"""Dates in answers, as precise as they are written, in English, Spanish, German and French."""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct

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


_MONTHS = (
    "january jan enero ene januar jänner janvier janv",
    "february feb febrero februar feber février févr fevrier",
    "march mar marzo märz mrz mars",
    "april apr abril abr avril avr",
    "may mayo mai",
    "june jun junio juni juin",
    "july jul julio juli juillet juil",
    "august aug agosto ago août aout",
    "september sep sept septiembre setiembre septembre",
    "october oct octubre oktober okt octobre",
    "november nov noviembre novembre",
    "december dec diciembre dic dezember dez décembre déc decembre",
)
MONTHS = {name: number for number, row in enumerate(_MONTHS, 1) for name in row.split()}
"""Month names and abbreviations of four languages."""

_WORDS = re.compile(r"[^\W\d_]+")
_MONTH = "(?:" + "|".join(sorted(MONTHS, key=lambda name: (-len(name), name))) + r")(?!\w)\.?"
_DAY = r"(?<![\w.,/])(?P<day>[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th|er|º|ª|°|\.)?(?!\w)"
_YEAR = r"(?P<year>\d{4})(?![\w]|[.,]\d)"
_OF = r"(?:(?:of|de|del|the|,)\s*){0,2}"

_DAY_FIRST = re.compile(
    rf"{_DAY}(?:\s+day)?\s*(?:(?:of|de)\s+)?(?P<sep>[-\s])?\s*(?<!\w)(?P<month>{_MONTH})"
    rf"(?:\s*,?[-\s]\s*{_OF}{_YEAR}|\s*,\s*{_YEAR.replace('year', 'year2')})?",
    re.IGNORECASE,
)
_MONTH_FIRST = re.compile(
    rf"(?<!\w)(?P<month>{_MONTH})(?:[-\s]+(?:the\s+)?(?P<day>[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?(?!\w)(?!\.\d))?"
    rf"(?:\s*,?[-\s]\s*{_OF}{_YEAR}|\s*,\s*{_YEAR.replace('year', 'year2')})?",
    re.IGNORECASE,
)
_ISO = re.compile(
    r"(?<![\w-])(\d{4})([-/.])(0?[1-9]|1[0-2])(?:\2(0?[1-9]|[12]\d|3[01])(?!\d)|(?![\d.,/]|-\d))(?!\w(?<!T))"
)
_NUMERIC = re.compile(r"(?<![\w./-])(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})(?![\w/-]|\.\d)")
_FISCAL = re.compile(
    r"(?<!\w)(?:(?:Q(?P<q>[1-4])|(?P<ordinal>first|second|third|fourth)\s+quarter)(?:\s+of)?[\s,]*)?"
    r"(?P<fy>FY|CY|fiscal(?:\s+year)?|(?:the\s+)?fiscal\s+year\s+ended)?\s*['’]?(?P<year>\d{4}|\d{2})(?![\w]|[.,]\d)",
    re.IGNORECASE,
)
_BARE_YEAR = re.compile(
    r"(?<![\w.,/#$€£¥+-])(?<!\d\s)(1[5-9]\d\d|20\d\d|21\d\d)(?![\w%€/]|[.,-]\d|\s?(?:%|€))"
)
_YEAR_RANGE = re.compile(
    r"(?<![\w.,/#-])((?:1[89]|20)\d\d)\s?[-–/]\s?((?:1[89]|20)\d\d|\d\d)(?![\w/-]|[.,]\d)"
)
_HAS_DIGIT = re.compile(r"\d")
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4}
_NEEDS_CAPITAL = frozenset(
    {"may", "march", "mar", "mai", "ago", "dec", "sept", "sep", "jan", "mars", "oct", "dic", "nov"}
)


def find_dates(text: str) -> list[DateMention]:
    """Return every date of a text in order of place: days, months, quarters, years; none overlaps another."""
    if not _HAS_DIGIT.search(text):
        return []
    found: list[DateMention] = []
    if not MONTHS.keys().isdisjoint(_WORDS.findall(text.casefold())):
        for match in _DAY_FIRST.finditer(text):
            _keep(found, _named(match, text))
        for match in _MONTH_FIRST.finditer(text):
            _keep(found, _named(match, text))
    for match in _ISO.finditer(text):
        day = int(match[4]) if match[4] else None
        if match[4] or match[2] == "-":
            _keep(found, DateMention(match.start(), match.end(), int(match[1]), int(match[3]), day))
    for match in _NUMERIC.finditer(text):
        _keep(found, _numeric(match))
    for match in _FISCAL.finditer(text):
        if match["fy"] or match["q"] or match["ordinal"]:
            _keep(found, _fiscal(match))
    for match in _YEAR_RANGE.finditer(text):
        if len(match[2]) == 4:
            _keep(found, DateMention(match.start(1), match.end(1), int(match[1])))
            _keep(found, DateMention(match.start(2), match.end(2), int(match[2])))
    for match in _BARE_YEAR.finditer(text):
        _keep(found, DateMention(match.start(), match.end(), int(match[1])))
    found.sort(key=lambda mention: mention.start)
    return found


def compare_date(gold: str, precision: str, mention: DateMention) -> DateRelation:
    """Compare a mention with an ISO date ("2021", "2021-03", "2021-03-01") at a precision (year, month, day).

    An empty precision is that of the gold. ``coarser``: no contradiction, but less precise than asked for.
    ``ambiguous``: it matches in one order of day and month only.
    """
    wanted = [int(part) for part in gold.split("-")[: {"year": 1, "month": 2, "day": 3}.get(precision, 3)]]
    if not mention.ambiguous:
        return _compare(wanted, mention, mention.month, mention.day)
    readings = {
        _compare(wanted, mention, mention.month, mention.day),
        _compare(wanted, mention, mention.day, mention.month),
    }
    if readings == {"match"}:
        return "match"
    return "ambiguous" if "match" in readings else "mismatch"


def _compare(wanted: list[int], mention: DateMention, month: int | None, day: int | None) -> DateRelation:
    pairs = list(zip(wanted, (mention.year, month, day), strict=False))
    if any(part is not None and part != gold for gold, part in pairs):
        return "mismatch"
    if mention.quarter and len(wanted) > 1 and not mention.fiscal and (wanted[1] + 2) // 3 != mention.quarter:
        return "mismatch"
    return "coarser" if any(part is None for _, part in pairs) else "match"


def _keep(found: list[DateMention], mention: DateMention | None) -> None:
    if mention is not None and all(
        mention.start >= other.end or mention.end <= other.start for other in found
    ):
        found.append(mention)


def _named(match: re.Match[str], text: str) -> DateMention | None:
    name = match["month"].rstrip(".")
    year = match["year"] or match["year2"]
    day = match["day"]
    if year is None:
        if day is None or (name.casefold() in _NEEDS_CAPITAL and not name[0].isupper()):
            return None
        end = max(match.end("month"), match.end("day"))
        return DateMention(match.start(), end, None, MONTHS[name.casefold()], int(day))
    return DateMention(
        match.start(), match.end(), int(year), MONTHS[name.casefold()], int(day) if day else None
    )


def _numeric(match: re.Match[str]) -> DateMention | None:
    first, second, year = int(match[1]), int(match[3]), int(match[4])
    if len(match[4]) == 2:
        year += 2000 if year < 70 else 1900
    if match[2] == ".":
        return _valid(match, year, second, first, ambiguous=False)
    if first > 12:
        return _valid(match, year, second, first, ambiguous=False)
    if second > 12:
        return _valid(match, year, first, second, ambiguous=False)
    return _valid(match, year, second, first, ambiguous=first != second)


def _valid(match: re.Match[str], year: int, month: int, day: int, *, ambiguous: bool) -> DateMention | None:
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    return DateMention(match.start(), match.end(), year, month, day, ambiguous)


def _fiscal(match: re.Match[str]) -> DateMention:
    year = int(match["year"])
    if len(match["year"]) == 2:
        year += 2000 if year < 70 else 1900
    quarter = int(match["q"] or 0) or _ORDINALS.get((match["ordinal"] or "").casefold(), 0)
    fiscal = (match["fy"] or "").casefold() not in {"", "cy"}
    return DateMention(match.start(), match.end(), year, quarter=quarter, fiscal=fiscal)
