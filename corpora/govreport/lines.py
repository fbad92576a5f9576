"""The sentences of a report, the words by which they are compared, and what is found in them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Literal, NamedTuple

from ragharness.language.dates import find_dates
from ragharness.language.numbers import find_quantities
from ragharness.language.words import sentences, words
from ragharness.records import Evidence, Fact, Kind
from ragquestions.wording.dates import iso, without_named_years
from ragquestions.wording.figures import plain, unit

Value = tuple[str, str]
"""A unit ("date" for dates) and a plain value."""

_STOP = frozenset(
    "a an the of in on for to and or by with from at as was were is are did do does how many much what when percentage has have had been be its their into during between among total people through per under over within that which who would will fiscal year years report reports government federal united states".split()  # noqa: SIM905
)
_STEM = 6
"""Letters by which words are compared."""
_NOUNS_BEHIND = 4
"""Words behind a figure among which stands what it counts."""
_BEHIND_CHANGE = re.compile(
    r"\s*(?:\([^()]*\)\s*)?(?:,\s*)?(?:or\s+[\d.]+\s?(?:%|percent)\s*)?(?:less|more|above|below|over|greater|higher|lower|increase|decrease|reduction)\b"
)
_BEFORE_CHANGE = re.compile(
    r"\b(?:by|up|down|(?:increase|decrease|reduction|rise|decline|change|cut)s?\s+of)\s+(?:about\s+|approximately\s+|nearly\s+|roughly\s+)?(?:\$?[\d.,]+\s?(?:million|billion|percent|%)?,\s+(?:and\s+)?)*$",
    re.IGNORECASE,
)
"""What tells a difference from an amount: nobody takes one for the other."""

MOST_PLACES = 3
"""Sentences that may state the same: to withhold more would leave a hole in the report."""


class Found(NamedTuple):
    """A finding of a report."""

    ask: str
    kind: Kind
    answer: str
    unit: str
    precision: Literal["", "year", "month", "day"]
    places: tuple[tuple[int, int], ...]
    """The sentences that state it, the one that was asked from first."""
    near: tuple[tuple[str, int, int], ...]
    """Other values of the kind that tempt, with their sentences, the nearest first."""
    also_summary: bool
    """The official summary states it too."""
    alone: bool
    """No other sentence comes near with the same value: without these the report is silent."""
    sort: str = ""
    """Of a text: an agency, an official, an abbreviation."""
    also: tuple[str, ...] = ()
    """Further spellings of the answer; a number as a table states it, more exactly."""


def facts_of(document: str, found: Iterable[tuple[Found, dict[str, str]]]) -> Iterator[Fact]:
    """Yield findings as facts, numbered by their sorts, each with its question and what else is told of it."""
    numbers: Counter[str] = Counter()
    for each, told in found:
        sort = each.sort or each.kind
        numbers[sort] += 1
        near = {f"near{n}": f"{value} {start} {end}" for n, (value, start, end) in enumerate(each.near, 1)}
        named = each.kind == "text" and each.also
        yield Fact(
            document=document,
            topic=f"{sort}-{numbers[sort]:02}",
            kind=each.kind,
            answers=(each.answer,) if named else (each.answer, *each.also),
            evidence=tuple(Evidence(document, start, end) for start, end in sorted(each.places)),
            unit=each.unit,
            date_precision=each.precision,
            details={
                "ask": each.ask,
                **told,
                **({"alone": "yes"} if each.alone else {}),
                **({"also": "|".join(each.also)} if named else {}),
                **near,
            },
        )


class Line:
    """A sentence of a report."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text, self.start, self.end = text, start, end

    @cached_property
    def stems(self) -> frozenset[str]:
        """The words by which it is compared."""
        return stems(self.text)

    def counts(self, value: str, nouns: frozenset[str]) -> bool:
        """Whether a bare figure of that value counts one of the nouns, or nothing that is said."""
        for each in find_quantities(self.text):
            if not each.year and not each.unit and plain(each) == value:
                behind = stems(" ".join(self.text[each.end :].split()[:_NOUNS_BEHIND]))
                if nouns & behind:
                    return True
        return False

    @cached_property
    def untempting(self) -> frozenset[Value]:
        """The figures that nobody takes for an amount: differences ("$4.7 billion above"), bounds and ranges."""
        found = set()
        for each in find_quantities(self.text):
            change = _BEHIND_CHANGE.match(self.text[each.end :]) or _BEFORE_CHANGE.search(
                self.text[: each.start]
            )
            if change or each.bound or each.range:
                found.add((unit(each), plain(each)))
        return frozenset(found)

    @cached_property
    def fiscal_years(self) -> frozenset[str]:
        """The fiscal years that it names: what was in one was not always in the calendar year."""
        return frozenset(str(each.year) for each in find_dates(self.text) if each.year and each.fiscal)

    @cached_property
    def values(self) -> frozenset[Value]:
        """The figures and dates that it states."""
        figures = {(unit(each), plain(each)) for each in find_quantities(self.text) if not each.year}
        dates = {
            ("date", iso(each))
            for each in find_dates(without_named_years(self.text))
            if each.year and not (each.fiscal or each.quarter)
        }
        return frozenset(figures | dates)


def stems(text: str) -> frozenset[str]:
    """Return the beginnings of the words that carry meaning."""
    return frozenset(
        each[:_STEM] for each in words(text) if each not in _STOP and (len(each) > 1 or each.isdigit())
    )


def lines(text: str) -> list[Line]:
    """Return the sentences of a text."""
    return [Line(text[start:end], start, end) for start, end in sentences(text)]


def overlap(wanted: frozenset[str], line: Line) -> float:
    """Return which part of a question's words a sentence has."""
    return len(wanted & line.stems) / max(1, len(wanted))
