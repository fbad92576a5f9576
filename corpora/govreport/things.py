"""The agencies, laws and programs that a report names in full, and its abbreviations, each with its question."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

from .lines import MOST_PLACES, Found

if TYPE_CHECKING:
    from .lines import Line

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
)
"""Three words at least: shorter names are of anything."""
_YEARLY = re.compile(r"\b(?:Appropriations?|Authorization) Act$")
"""There is one each year."""
_ELSEWHERE = frozenset(["CRS", "GAO", "OIG"])
"""Who wrote the reports is not what they are about, and there is an inspector general of each department."""
_OTHER_NAME = re.compile(r"\b(?:called|named|renamed|known as|formerly|previously|now)\b[^.]{0,60}$")
"""A thing with two names: what the report says of it may stand beside the other one."""
_SHORTEST = 2
"""Words up to which a name without an abbreviation is none of its own."""
_BEFORE = 100
"""Characters before a name among which it would be called another thing's."""
AFTER_NAME = r"(?:,? (?:of )?(?:19|20)\d\d|[’']s [A-Z]| [A-Z])"
"""What makes a longer name of a name."""
BEFORE_NAME, NO_NOUN = (
    r"\b(?:[Tt]he|did|does|under|of|by|for) ",
    r"(?! (?!to\b|in\b|for\b|of\b|provide|give|pay)[a-z])",
)
"""What stands around a name that is no part of another one: not "higher FUTA rates"."""
_OFTEN = 3
"""How often a report speaks of a thing before anything is asked about it."""


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
    """Return what a report names and then speaks of again, in the order of the text; abbreviated things first."""
    found: dict[str, Thing | None] = {}
    for each in _WRITTEN_OUT.finditer(text):
        name, short = _LEAD.sub("", each["name"]), each["short"]
        sort = _sort(name)
        if sort is None or short in _ELSEWHERE or not spells(name, short):
            continue
        if _OTHER_NAME.search(text, max(0, each.start() - _BEFORE), each.start()):
            continue
        known = found.setdefault(short, Thing(name, short, sort))
        if known and known.name.casefold() != name.casefold():
            found[short] = None  # two names: which one is meant, a question could not say
    abbreviated = {each.name for each in found.values() if each}
    for name in dict.fromkeys(_LEAD.sub("", each[0]) for each in _UNABBREVIATED.finditer(text)):
        sort = _sort(name)
        if (
            sort
            and len(name.split()) > _SHORTEST
            and not any(name in each or each in name for each in abbreviated)
        ):
            found[name] = Thing(name, "", sort)
    return [each for each in found.values() if each and _spoken_of(each, text) >= _OFTEN]


def _spoken_of(thing: Thing, text: str) -> int:
    """Count what a report says of a thing; of one without an abbreviation only where it has an article."""
    pattern = thing.pattern if thing.short else rf"\b[Tt]he {thing.pattern}"
    return sum(1 for _ in re.finditer(pattern, text))


def _sort(name: str) -> Sort | None:
    if _OWNED.search(name) or _YEARLY.search(name):
        return None
    return next((sort for sort, ending in _SORTS.items() if ending.search(name)), None)


def spells(name: str, short: str) -> bool:
    """Whether an abbreviation is made of the first letters of a name's words."""
    letters = [word[0] for word in re.split(r"[\s-]+", name) if word[0].isupper()]
    return "".join(letters) == short.replace("&", "") and short.isupper() and len(short) > 1


def near(thing: Thing, text: str) -> str:
    """Return the paragraphs that speak of a thing, each with the next one, which may go on about it."""
    paragraphs = [each for each in text.split("\n") if each.strip()]
    telling = {place for place, each in enumerate(paragraphs) if re.search(thing.pattern, each)}
    chosen = sorted(telling | {place + 1 for place in telling if place + 1 < len(paragraphs)})
    return "\n".join(paragraphs[place] for place in chosen)


def apart(thing: Thing, words: str) -> list[str]:
    """Return the patterns that match where a text has words near a thing, and nowhere else."""
    return [
        rf"{thing.pattern}[^\n]*(?:\n+[^\n]*)?(?:{words})",
        rf"(?:{words})[^\n]*{thing.pattern}",
    ]


_MOST_ABBREVIATIONS = 5
_ABBREVIATION = re.compile(
    r"\b(?P<name>[A-Z][\w’'-]+(?:(?:\s+|-)(?:(?:of|the|and|for|in|on|to|de)\s+)?[A-Z][\w’'-]+){1,6})\s+\((?P<short>[A-Z][A-Z&]{1,7})\)"
)
_KNOWN = frozenset(
    "GAO CRS OMB CBO EPA FBI IRS DHS DOD DOE DOJ DOT HHS HUD USDA US USA UN EU NASA CIA VA GPS GDP UK AI".split()  # noqa: SIM905
)
"""What nobody needs to look up."""
_BEFORE_ABBREVIATED = re.compile(
    r"^(?:(?:The|In|Under|Of|For|And|By|At|On|Since|While|When|Although|After|Both|U\.S)\s+)+"
)


def abbreviations(own: list[Line], official: list[Line], body: str, title: str) -> Iterator[Found]:
    """Yield abbreviations that are written out once, the most used ones first."""
    places: dict[str, list[tuple[str, Line]]] = defaultdict(list)
    for line in own:
        for found in _ABBREVIATION.finditer(line.text):
            name = re.sub(r"[’']s$", "", _BEFORE_ABBREVIATED.sub("", found["name"]))
            if spells(name, found["short"]):
                places[found["short"]].append((name, line))
    used = {short: len(re.findall(rf"\b{re.escape(short)}\b", body)) for short in places}
    chosen = sorted((short for short in places if used[short] > 1), key=lambda short: (-used[short], short))
    given = 0
    for short in chosen:
        if given == _MOST_ABBREVIATIONS:
            return
        name = places[short][0][0]
        naming = [line for line in own if name.casefold() in line.text.casefold()]
        stating = [line for line in naming if short in line.text and "|" not in line.text]
        odd = short in _KNOWN or name.casefold() in title.casefold()
        if odd or len({each for each, _ in places[short]}) > 1 or not 0 < len(stating) <= MOST_PLACES:
            continue
        given += 1
        yield Found(
            f"What does the abbreviation “{short}” stand for?",
            "text",
            name,
            "",
            "",
            tuple((line.start, line.end) for line in stating),
            (),
            any(name in each.text for each in official),
            len(naming) == len(stating),
            "abbreviation",
        )
