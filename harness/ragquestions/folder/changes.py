"""Changelogs: when a version was released, and which one brought a change."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragharness.language.dates import find_dates
from ragquestions.folder.facts import NAME, VERSION, Fact, Line, content_words, lines_of, stands_alone
from ragquestions.wording.dates import iso, precision
from ragquestions.wording.statement import Asked

_HEADING = re.compile(
    rf"(?:[A-Z][\w-]+ )?(?:Version |v|Release )?\[?(?P<version>{VERSION})\]?(?:\s*[-–—(,:]+\s*|\s+)?(?P<date>[^()]{{6,30}}?)?\)?"
)
_RELEASED = re.compile(r"(?:Released?|Release date|Date)(?: on)?:?\s+(?P<date>[^.]{6,30})\.?")
_PASTS = {
    "add": "added", "allow": "allowed", "fix": "fixed", "remove": "removed", "drop": "dropped", "deprecate": "deprecated",
    "rename": "renamed", "improve": "improved", "introduce": "introduced", "replace": "replaced", "restore": "restored",
    "make": "made", "correct": "corrected", "expose": "exposed", "implement": "implemented", "enable": "enabled",
    "disable": "disabled", "extend": "extended", "document": "documented", "simplify": "simplified",
}  # fmt: skip
_OBJECT = re.compile(
    rf"(?:(?:an?|the|all|some|several|support|two|three|many|most|both)\s|[a-z]+(?<![sui])s\s(?:in|on|for|to|from|with|of|that|and|or|which|when|by|as|where|using)\b|{NAME}(?=$|\s(?:in|on|for|to|from|with|of|and|as|by|when)\b))"
)
"""What a plain object begins with: notes in the style of telegrams leave the article out."""
_GERUNDS = frozenset(_PASTS.values())
_ITEM = re.compile(r"(?P<verb>[A-Z][a-z]+)\s(?P<rest>[^.]*(?:\.\w[^.]*)*?)(?:\.(?:\s.*)?)?")
_REFERENCE = re.compile(
    r"\s*(?:[({\[]\s*)?(?:(?:PR|GH|issue|pull)[ -]?)?#?\d{2,6}(?:,\s*#?\d{2,6})*\s*[)}\]]?(?=\s*\.?$)|\s*\([^()]*#\d+[^()]*\)",
    re.IGNORECASE,
)
_SHORTEST, _LONGEST = 4, 22
_FAR = 1500
"""Characters from the heading of a version to a change: farther off no passage holds both."""

_TELLING = 3
"""Content words that make a change one of its own."""


def changes(text: str) -> Iterator[Fact]:
    """Yield release dates and changes; nothing where a text is no list of versions."""
    every = list(lines_of(text))
    heads = [(place, found) for place, each in enumerate(every) if (found := _heading(each))]
    if len(heads) < _FEWEST:
        return
    counts: dict[str, int] = {}
    for _, (version, _) in heads:
        counts[version] = counts.get(version, 0) + 1
    ends = [*(place for place, _ in heads[1:]), len(every)]
    for (place, (version, date)), end in zip(heads, ends, strict=True):
        if counts[version] == 1:
            yield from _of_version(every[place:end], version, date)


_FEWEST = 3


def _heading(line: Line) -> tuple[str, str] | None:
    found = _HEADING.fullmatch(line.text) if len(line.text) < 60 else None
    if not found or (found["date"] and not _day(found["date"])):
        return None
    return found["version"], _day(found["date"] or "")


def _day(words: str) -> str:
    dates = [each for each in find_dates(words) if each.year]
    return (
        iso(dates[0]) if len(dates) == 1 and precision(dates[0]) == "day" and not dates[0].ambiguous else ""
    )


def _of_version(lines: list[Line], version: str, date: str) -> Iterator[Fact]:
    head, *below = lines
    end = head.end
    for each in below[:2]:
        if not date and (found := _RELEASED.fullmatch(each.text)):
            date, end = _day(found["date"]), each.end
    if date:
        asked = Asked(f"When was version {version} released?", "date", date, "", "day")
        yield Fact(asked, head.start, end, "release", version, (version, "released"))
    for each in below:
        if each.end - head.start > _FAR:
            return
        if said := _change(each.text):
            yield Fact(Asked(f"Which version {said}?", "text", version), head.start, each.end, "change")


def _change(line: str) -> str:
    """Return what a version did, in the past tense; empty for a line that is no plain change."""
    found = _ITEM.fullmatch(_REFERENCE.sub("", line.removeprefix("- ").strip()))
    if not found:
        return ""
    verb = found["verb"].lower()
    past = _PASTS.get(verb) or _PASTS.get(verb.removesuffix("s")) or (verb if verb in _GERUNDS else "")
    rest = _REFERENCE.sub("", found["rest"].strip()).strip(" ,")
    if not past or not _SHORTEST <= len(rest.split()) <= _LONGEST or len(content_words(rest)) < _TELLING:
        return ""
    plain = _OBJECT.match(rest) and stands_alone(rest) and not _ODD.search(rest)
    return f"{past} {rest}" if plain else ""


_ODD = re.compile(r"\b\d+\.\d+|\b(?:is|are|was|were) (?:now )?(?:added|fixed|removed|deprecated)\b")
