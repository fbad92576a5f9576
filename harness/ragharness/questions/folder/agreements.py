"""What contracts state in set words: their date, the law that governs them, where a party is organised."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragharness.language.dates import find_dates
from ragharness.language.sentences import sentences
from ragharness.questions.asking.dates import iso, precision
from ragharness.questions.asking.statement import Asked
from ragharness.questions.folder.facts import Fact

if TYPE_CHECKING:
    from collections.abc import Iterator

_KIND = re.compile(r"\b(?:agreement|contract|lease|licen[cs]e)\b", re.IGNORECASE)
_LAW = re.compile(
    r"\b(?:governed|construed|interpreted)\b[^.\n]{0,80}?\b(?:with|by|under)\s+the\s+(?:internal\s+|substantive\s+)?laws?\s+of\s+(?:the\s+)?(?P<of>(?:State|Commonwealth|Province|Republic|Kingdom)\s+of\s+(?:the\s+)?)?(?P<where>[A-Z][a-z]+(?:\s+[A-Z][a-z]+){0,2}(?:\s+and\s+Wales)?)\b"
)
_NO_PLACE = frozenset(
    "The State District Country Jurisdiction Company Parties Party Owner Buyer Seller Law".split()  # noqa: SIM905
)
_MADE = re.compile(
    r"\b(?:dated|made|entered\s+into|effective)(?:\s+and\s+(?:entered\s+into|effective|is\s+effective))?(?:\s+(?:as\s+of|on|this|the|effective|date))*\s+$"
)
_ORGANISED = re.compile(
    r"(?P<name>[A-Z][\w&.’'-]*(?:\s+(?:of\s+|and\s+|&\s+)?[A-Z][\w&.’'-]*){0,6}(?:,\s+(?:Inc|INC|L\.?L\.?C|Ltd|LTD|L\.?P|Corp|Co)\b\.?)?),?\s+(?:is\s+)?an?\s+(?P<where>[A-Z][a-z]+(?:\s[A-Z][a-z]+)?)\s+"
    r"(?P<kind>corporation|limited\s+liability\s+company|limited\s+partnership|company|partnership|non-?profit\s+corporation)\b"
)
_PEOPLE = re.compile(
    r"(?:ish|ese|wiss|ian|can|ench|utch|ean|erman|elsh)$|^(?:Public|Private|Limited|Holding|New Jersey Public)\b"
)
"""Of what country somebody is, not which it is: "a Swiss company"."""
_HEAD = 2500
"""Characters of a contract in which it names its date and its parties."""
_LEADING = re.compile(r"^(?:(?:By|And|Between|Among|With|This|The|Agreement)\s+)+", re.IGNORECASE)


def agreement_facts(text: str) -> Iterator[Fact]:
    """Yield the facts of a contract; nothing of another text."""
    if not _KIND.search(text[:_HEAD]):
        return
    laws = [each for span in sentences(text) for each in _law(text[slice(*span)], span[0])]
    if len({each.asked.answer for each in laws}) == 1:
        yield laws[0]
    head = [(start, text[start:end]) for start, end in sentences(text[:_HEAD])]
    dated = [each for start, sentence in head for each in _made(sentence, start)]
    if len({each.asked.answer for each in dated}) == 1:
        yield dated[0]
    for start, sentence in head:
        yield from _organised(" ".join(sentence.split()), start, len(sentence))


def _law(sentence: str, start: int) -> Iterator[Fact]:
    places = {each["where"]: each for each in _LAW.finditer(sentence)}
    if len(places) != 1:
        return
    ((where, found),) = places.items()
    if where.split()[0] not in _NO_PLACE:
        what = "state" if found["of"] and found["of"].startswith(("State", "Common")) else "state or country"
        asked = Asked(f"The laws of which {what} govern the agreement?", "text", where)
        marks = ("laws of", where.lower())
        yield Fact(
            asked,
            start,
            start + len(sentence),
            "law",
            r"govern(?:ed|ing)|\blaws? of\b|(?-i:\b[A-Z])[a-z]+ laws?\b|legislation",
            marks,
        )


def _made(sentence: str, start: int) -> Iterator[Fact]:
    dates = [each for each in find_dates(sentence) if each.year]
    if len(dates) != 1 or not _KIND.search(sentence):
        return
    (date,) = dates
    before = sentence[: date.start]
    if precision(date) != "day" or date.ambiguous or not _MADE.search(before) or len(before) > _HEAD:
        return
    asked = Asked("What date does the agreement bear?", "date", iso(date), "", "day")
    marks = (sentence[date.start : date.end].lower(),)
    yield Fact(
        asked,
        start,
        start + len(sentence),
        "dated",
        r"\bdated\b|\bas of\b|\bthis\s+\d|\bday of\b|\b(?:19|20)\d\d\b",
        marks,
    )


def _organised(sentence: str, start: int, length: int) -> Iterator[Fact]:
    for found in _ORGANISED.finditer(sentence):
        name, where = _LEADING.sub("", found["name"]), found["where"]
        if (
            len(name.split()) > 1
            and not _PEOPLE.search(where)
            and where.split()[0] not in _NO_PLACE
            and where not in name
        ):
            asked = Asked(f"Under the laws of which state or country is {name} organized?", "text", where)
            yield Fact(asked, start, start + length, "organised", name, (name.lower(), where.lower()))
