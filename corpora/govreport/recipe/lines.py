"""The sentences of a report, the words by which they are compared, and what is found in them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Literal, NamedTuple

from ragharness.language.dates import find_dates, iso
from ragharness.language.numbers import find_quantities
from ragharness.language.words import sentences, words
from ragharness.records import Evidence, Kind
from ragquestions.recipes import Fact
from ragquestions.wording import plain, unit, without_named_years

Value = tuple[str, str]  # a unit ("date" for dates) and a plain value
_STOP = frozenset(
    "a an the of in on for to and or by with from at as was were is are did do does how many much what when percentage has have had been be its their into during between among total people through per under over within that which who would will fiscal year years report reports government federal united states".split()  # noqa: SIM905
)
_STEM = 6  # letters by which words are compared
_NOUNS_BEHIND = 4  # words behind a figure among which stands what it counts
_BEHIND_CHANGE = re.compile(
    r"\s*(?:\([^()]*\)\s*)?(?:,\s*)?(?:or\s+[\d.]+\s?(?:%|percent)\s*)?(?:less|more|above|below|over|greater|higher|lower|increase|decrease|reduction)\b"
)
_BEFORE_CHANGE = re.compile(
    r"(?i)\b(?:by|up|down|(?:increase|decrease|reduction|rise|decline|change|cut)s?\s+of)\s+(?:about\s+|approximately\s+|nearly\s+|roughly\s+)?(?:\$?[\d.,]+\s?(?:million|billion|percent|%)?,\s+(?:and\s+)?)*$",
)  # what tells a difference from an amount: nobody takes one for the other
MOST_PLACES = 3  # sentences that may state the same: to withhold more would leave a hole in the report


class Found(NamedTuple):
    """A finding of a report."""

    ask: str
    kind: Kind
    answer: str
    unit: str
    precision: Literal["", "year", "month", "day"]
    places: tuple[tuple[int, int], ...]  # the sentences that state it, the one that was asked from first
    near: tuple[tuple[str, int, int], ...]  # other values that tempt, with their sentences, the nearest first
    also_summary: bool  # the official summary states it too
    alone: bool  # no other sentence comes near with the same value: without these the report is silent
    sort: str = ""  # of a text: an agency, an official, an abbreviation
    also: tuple[str, ...] = ()  # further spellings of the answer; a number as a table states it, more exactly


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
        return any(
            nouns & stems(" ".join(self.text[figure.end :].split()[:_NOUNS_BEHIND]))
            for figure in find_quantities(self.text)
            if not figure.year and not figure.unit and plain(figure) == value
        )

    @cached_property
    def untempting(self) -> frozenset[Value]:
        """The figures that nobody takes for an amount: differences ("$4.7 billion above"), bounds and ranges."""
        return frozenset(
            (unit(figure), plain(figure))
            for figure in find_quantities(self.text)
            if figure.bound
            or figure.range
            or _BEHIND_CHANGE.match(self.text[figure.end :])
            or _BEFORE_CHANGE.search(self.text[: figure.start])
        )

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
    """Beginnings of the words that carry meaning."""
    return frozenset(
        each[:_STEM] for each in words(text) if each not in _STOP and (len(each) > 1 or each.isdigit())
    )


def lines(text: str) -> list[Line]:
    """Sentences of a text."""
    return [Line(text[start:end], start, end) for start, end in sentences(text)]


def overlap(wanted: frozenset[str], line: Line) -> float:
    """Which part of a question's words a sentence has."""
    return len(wanted & line.stems) / max(1, len(wanted))


Sort = Literal["agency", "law", "program"]
_WRITTEN_OUT = re.compile(
    r"\b(?P<name>[A-Z][\w’'-]+(?:[ -](?:(?:of|the|and|for|in|on|to) )*[A-Z][\w’'-]+){1,7}) \((?P<short>[A-Z][A-Z&]{1,7})\)"
)
_LEAD = re.compile(
    r"^(?:(?:The|In|Under|Of|For|And|By|At|On|Since|While|When|Although|After|Both|Through|See|To)\s+)+"
)
_OWNED = re.compile(r"[’']s\b")
_SORTS: dict[Sort, re.Pattern[str]] = {
    "agency": re.compile(
        r"\b(?:Agency|Administration|Bureau|Service|Center|Institute|Commission|Board|Office|Department|Corporation|"
        r"Foundation|Authority|Council|Court)$|^(?:Department|Bureau|Office|Institute|Board|Court|Commission|Institutes) "
    ),
    "law": re.compile(r"\bAct$"),
    "program": re.compile(r"\bProgram$"),
}
_HEADS = "Agency|Administration|Bureau|Center|Institute|Commission|Board|Corporation|Foundation|Authority|Council|Act|Program"
_UNABBREVIATED = re.compile(
    rf"\b[A-Z][\w’'-]+(?: (?:(?:of|the|and|for|in|on|to) )*[A-Z][\w’'-]+){{1,7}} (?:{_HEADS})\b(?! (?:\(|of\b|for\b|on\b|[A-Z]))(?!, (?:19|20)\d\d)"
)  # three words at least: shorter names are of anything
_YEARLY = re.compile(r"\b(?:Appropriations?|Authorization) Act$")  # there is one each year
_ELSEWHERE = frozenset(["CRS", "GAO", "OIG"])  # authors of reports, and offices that each department has
_OTHER_NAME = re.compile(r"\b(?:called|named|renamed|known as|formerly|previously|now)\b[^.]{0,60}$")
"""A thing with two names: what the report says of it may stand beside the other one."""
_SHORTEST = 2  # words up to which a name without an abbreviation is none of its own
_BEFORE = 100  # characters before a name among which it would be called another thing's
AFTER_NAME = r"(?:,? (?:of )?(?:19|20)\d\d|[’']s [A-Z]| [A-Z])"  # what makes a longer name of a name
BEFORE_NAME, NO_NOUN = (
    r"\b(?:[Tt]he|did|does|under|of|by|for) ",
    r"(?! (?!to\b|in\b|for\b|of\b|provide|give|pay)[a-z])",
)  # what stands around a name that is no part of another one: not "higher FUTA rates"
_OFTEN = 3  # how often a report speaks of a thing before anything is asked about it


class Thing(NamedTuple):
    """``name`` is without article; a question puts "the" before it. ``short`` may be empty."""

    name: str
    short: str
    sort: Sort

    @property
    def pattern(self) -> str:
        """What finds it, in short or in full."""
        return rf"\b(?:{'|'.join(re.escape(each) for each in (self.name, self.short) if each)})\b"


def things(text: str) -> list[Thing]:
    """What a report names and then speaks of again, in the order of the text; abbreviated things first."""
    found: dict[str, Thing | None] = {}
    for each in _WRITTEN_OUT.finditer(text):
        name, short = _LEAD.sub("", each["name"]), each["short"]
        sort = _sort(name)
        renamed = _OTHER_NAME.search(text, max(0, each.start() - _BEFORE), each.start())
        if sort is None or short in _ELSEWHERE or not spells(name, short) or renamed:
            continue
        known = found.setdefault(short, Thing(name, short, sort))
        if known and known.name.casefold() != name.casefold():
            found[short] = None  # two names: which one is meant, a question could not say
    abbreviated = {each.name for each in found.values() if each}
    for name in dict.fromkeys(_LEAD.sub("", each[0]) for each in _UNABBREVIATED.finditer(text)):
        sort = _sort(name)
        known_already = any(name in each or each in name for each in abbreviated)
        if sort and len(name.split()) > _SHORTEST and not known_already:
            found[name] = Thing(name, "", sort)
    # What has no abbreviation is only spoken of where it has an article.
    articles = {thing: "" if thing.short else r"\b[Tt]he " for thing in found.values() if thing}
    return [thing for thing, the in articles.items() if len(re.findall(the + thing.pattern, text)) >= _OFTEN]


def _sort(name: str) -> Sort | None:
    if _OWNED.search(name) or _YEARLY.search(name):
        return None
    return next((sort for sort, ending in _SORTS.items() if ending.search(name)), None)


def spells(name: str, short: str) -> bool:
    """Whether an abbreviation is made of the first letters of a name's words."""
    letters = [word[0] for word in re.split(r"[\s-]+", name) if word[0].isupper()]
    return "".join(letters) == short.replace("&", "") and short.isupper() and len(short) > 1


def near(thing: Thing, text: str) -> str:
    """Paragraphs that speak of a thing, each with the next one, which may go on about it."""
    paragraphs = [each for each in text.split("\n") if each.strip()]
    telling = {place for place, each in enumerate(paragraphs) if re.search(thing.pattern, each)}
    chosen = sorted(telling | {place + 1 for place in telling if place + 1 < len(paragraphs)})
    return "\n".join(paragraphs[place] for place in chosen)


def apart(thing: Thing, words: str) -> list[str]:
    """Patterns that match where a text has words near a thing, and nowhere else."""
    return [rf"{thing.pattern}[^\n]*(?:\n+[^\n]*)?(?:{words})", rf"(?:{words})[^\n]*{thing.pattern}"]


_ABBREVIATION = re.compile(
    r"\b(?P<name>[A-Z][\w’'-]+(?:(?:\s+|-)(?:(?:of|the|and|for|in|on|to|de)\s+)?[A-Z][\w’'-]+){1,6})\s+\((?P<short>[A-Z][A-Z&]{1,7})\)"
)
_FAMOUS = frozenset(
    "GAO CRS OMB CBO EPA FBI IRS DHS DOD DOE DOJ DOT HHS HUD USDA US USA UN EU NASA CIA VA GPS GDP UK AI".split()  # noqa: SIM905
)  # what nobody needs to look up
_BEFORE_ABBREVIATED = re.compile(
    r"^(?:(?:The|In|Under|Of|For|And|By|At|On|Since|While|When|Although|After|Both|U\.S)\s+)+"
)


def abbreviations(own: list[Line], official: list[Line], body: str, title: str) -> Iterator[Found]:
    """Yield abbreviations that are written out once, the most used ones first."""
    written_out: dict[str, list[tuple[str, Line]]] = defaultdict(list)
    for line in own:
        for found in _ABBREVIATION.finditer(line.text):
            name = re.sub(r"[’']s$", "", _BEFORE_ABBREVIATED.sub("", found["name"]))
            if spells(name, found["short"]):
                written_out[found["short"]].append((name, line))
    used = {short: len(re.findall(rf"\b{re.escape(short)}\b", body)) for short in written_out}
    for short in sorted(used, key=lambda short: (-used[short], short)):
        name = written_out[short][0][0]
        naming = [line for line in own if name.casefold() in line.text.casefold()]
        stating = [line for line in naming if short in line.text and "|" not in line.text]
        odd = used[short] < 2 or short in _FAMOUS or name.casefold() in title.casefold()
        if odd or len({each for each, _ in written_out[short]}) > 1 or not 0 < len(stating) <= MOST_PLACES:
            continue
        ask = f"What does the abbreviation “{short}” stand for?"
        places = tuple((line.start, line.end) for line in stating)
        also, alone = any(name in line.text for line in official), len(naming) == len(stating)
        yield Found(ask, "text", name, "", "", places, (), also, alone, "abbreviation")
