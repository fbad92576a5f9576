"""A report as every layout gives it, and how a person names it: by title and number, else by what it is about."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date
from typing import NamedTuple

from msgspec import Struct


class Report(Struct, frozen=True, kw_only=True):
    """A report; what a layout does not tell is empty."""

    number: str
    """"R45100", "GAO-18-403"; empty: the rows carry none."""
    agency: str = ""
    """"CRS" or "GAO"."""
    title: str = ""
    date: str = ""
    """When it was published, ISO."""
    body: str
    summary: str = ""
    source: str = ""


class Name(NamedTuple):
    """``title`` is unique; the other two are empty where nothing fits."""

    title: str
    handle: str
    paraphrase: str


_TERM = re.compile(
    r"\b(?P<name>[A-Z][\w’'&.-]+(?:\s+(?:(?:of|the|and|for|in|on|to|de)\s+)?[A-Z][\w’'&.-]+){1,7}|[A-Z]\w+ [a-z]+ [a-z]+)\s+\((?P<short>[A-Z][A-Za-z&-]{1,9})\)"
)
_PHRASE = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+(?:\s+(?:(?:of|the|and|for)\s+)?[A-Z][a-z]+){1,5}")
_VAGUE = re.compile(
    r"^(?:United States|Federal Register|Members? of Congress|House of Representatives|Supreme Court|White House|Fiscal Year|Public Law|U\.S\.|Department of|Chief Executive|President\b|Committee on|House Administration|\w+ Administration$|\w+ Congress$)(?:\b|$)|\bGAO\b|\bCRS\b|Government Accountability Office|Congressional Research Service"
)
_WITHOUT_ARTICLE = re.compile(
    r"\b(?:Assistance|Compensation|Development|Education|Enforcement|Funding|Insurance|Management|Planning|Prevention|Protection|Research|Security|Technology|Training)(?: \(\w+\))?$"
)
"""What is no single thing takes no article: "the report on Combat-Related Special Compensation"."""
_OFTEN = 0.002
"""How often, for each word of a report, what it is about is named at least."""
_MOST = 140
"""Characters of a title that a person repeats, if need be."""
_LONG, _WORDS = 60, 2
"""Characters from which a title is called by what stands before its colon, and how many words that has."""


def name_reports(reports: list[Report]) -> list[Name]:
    """Return a name for each report; what only a subject tells is no handle where another has the same."""
    subjects = [each.title or _subject(each) for each in reports]
    often = Counter(subject.casefold() for subject in subjects)
    heads = Counter(subject.partition(":")[0].casefold() for subject in subjects)
    names: list[Name] = []
    for report, subject in zip(reports, subjects, strict=True):
        known = _known_number(report)
        unique = subject and often[subject.casefold()] == 1
        head = report.title.partition(":")[0]
        short = len(report.title) > _LONG and len(head.split()) >= _WORDS and heads[head.casefold()] == 1
        said = head if short else report.title
        names.append(_named(report, subject, known, said) if known or unique else Name(report.number, "", ""))
    return _unique(names)


def _known_number(report: Report) -> str:
    """Return how the number is said ("CRS Report R45100", "GAO-18-403"); empty for a made one."""
    if report.number.startswith("report-"):
        return ""
    if report.agency == "GAO":
        return report.number if report.number.upper().startswith("GAO") else f"GAO-{report.number}"
    return f"CRS Report {report.number}" if report.agency == "CRS" else report.number


def _named(report: Report, subject: str, known: str, said: str) -> Name:
    body = {"CRS": "CRS", "GAO": "GAO"}.get(report.agency, "government")
    if not report.title:
        mass = _WITHOUT_ARTICLE.search(subject) and not re.search(r"\b(?:of|for)\b", subject)
        article = "" if mass else "the "
        about = f"{body} report on {article}{subject}" if subject else ""
        title = f"{about} ({known})" if about and known else about or known
        return Name(
            title[:1].upper() + title[1:],
            known or f"the {about}",
            f"the {about}" if about and known else "",
        )
    quoted = said.replace("“", "‘").replace("”", "’")
    handle = f"the {body} report “{quoted}”" if len(quoted) <= _MOST else known
    when = f" of {_spoken(report.date)}" if report.date else ""
    return Name(
        f"{report.title} ({known})" if known else report.title,
        handle or report.title,
        f"{known}{when}" if known else "",
    )


def _spoken(iso: str) -> str:
    day = date.fromisoformat(iso)
    # A first of the month is how catalogues write a month.
    return f"{day:%B} {day.day}, {day.year}" if day.day > 1 else f"{day:%B} {day.year}"


def _subject(report: Report) -> str:
    """Return the named thing that the summary introduces and the body speaks of most, again and again; or nothing."""
    head = " ".join((report.summary[:2500] or report.body[:2500]).split())
    found = {
        f"{each['name']} ({each['short']})": report.body.count(each["short"]) for each in _TERM.finditer(head)
    }
    phrases = {each[0] for each in _PHRASE.finditer(head)}
    found |= {phrase: report.body.count(phrase) for phrase in phrases}
    wanted = max(2, _OFTEN * len(report.body.split()))
    telling = {name: count for name, count in found.items() if not _VAGUE.search(name) and count >= wanted}
    best = max(telling, key=lambda name: (telling[name], name), default="")
    return re.sub(r"^(?:The|the|Since the|In the)\s+", "", best)


def _unique(names: list[Name]) -> list[Name]:
    taken: Counter[str] = Counter()
    found: list[Name] = []
    for each in names:
        taken[each.title.casefold()] += 1
        again = taken[each.title.casefold()]
        found.append(each if again == 1 else Name(f"{each.title} ({again})", "", ""))
    return found
