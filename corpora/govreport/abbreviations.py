"""The abbreviations that a report writes out once, each with its question."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from .lines import MOST_PLACES, Found
from .things import spells

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .lines import Line

_MOST_ABBREVIATIONS = 5
_ABBREVIATION = re.compile(
    r"\b(?P<name>[A-Z][\w’'-]+(?:(?:\s+|-)(?:(?:of|the|and|for|in|on|to|de)\s+)?[A-Z][\w’'-]+){1,6})\s+\((?P<short>[A-Z][A-Z&]{1,7})\)"
)
_KNOWN = frozenset(
    "GAO CRS OMB CBO EPA FBI IRS DHS DOD DOE DOJ DOT HHS HUD USDA US USA UN EU NASA CIA VA GPS GDP UK AI".split()  # noqa: SIM905
)
"""What nobody needs to look up."""
_LEAD = re.compile(r"^(?:(?:The|In|Under|Of|For|And|By|At|On|Since|While|When|Although|After|Both|U\.S)\s+)+")


def abbreviations(own: list[Line], official: list[Line], body: str, title: str) -> Iterator[Found]:
    """Yield abbreviations that are written out once, the most used ones first."""
    places: dict[str, list[tuple[str, Line]]] = defaultdict(list)
    for line in own:
        for found in _ABBREVIATION.finditer(line.text):
            name = re.sub(r"[’']s$", "", _LEAD.sub("", found["name"]))
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
