"""Short definitions with a fixed wording: abbreviations, and defined terms of contracts.

Longer ones ("“Term” means ...") are not asked about: whether a paraphrase of them is right no rule can say.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragharness.language.sentences import sentences
from ragharness.questions.asking.statement import Asked

if TYPE_CHECKING:
    from collections.abc import Iterator


_LETTERS = re.compile(
    r"(?P<name>(?:[A-Z][\w'’&-]*)(?:\s+(?:(?:of|the|for|and|on|in|to)\s+){0,2}[A-Z][\w'’&-]*){1,8})\s+\((?:the\s+)?[\"“]?(?P<short>[A-Z][A-Z&-]{1,8}[A-Z])[\"”]?\)"
)
_CALLED = re.compile(
    r"(?:^|\b(?:between|among|by|with|and|from|to|of)\s+)(?P<name>(?:[A-Z][\w'’&.-]*)(?:(?:,\s+(?=(?:Inc|LLC|Ltd|L\.?P|LLP|Corp|Co|N\.A|PLC|S\.A|AG)\b)|\s+(?:(?:of|the|for)\s+)?)[A-Z][\w'’&.-]*){1,6})\s+\((?:the\s+|each,?\s+an?\s+)?[\"“](?P<short>[A-Z][a-z]+(?:\s[A-Z][a-z]+)?)[\"”]\)"
)
NOTE = re.compile(r"^[|^\[]|https?:|\bet al\b|\bibid\b", re.IGNORECASE)
"""A footnote or a row of a table: what it names is not what its document is about."""
LETTERS = "letters"
"""The form of abbreviations."""

_SMALL = frozenset({"of", "the", "for", "and", "on", "in", "to"})


def short_definitions(text: str) -> Iterator[tuple[Asked, int, int]]:
    """Yield a question for each name that a text gives once in short, with the sentence that does."""
    seen: dict[str, int] = {}
    found: list[tuple[str, Asked, int, int]] = []
    for start, end in sentences(text):
        sentence = text[start:end]
        if NOTE.search(sentence):
            continue
        for match in _LETTERS.finditer(sentence):
            name, short = _spelled(match["name"], match["short"]), match["short"]
            listed = rf"\b{short}\b\W+{re.escape(name.split(' ')[0])}\b"
            if name and not re.search(listed, text, re.IGNORECASE):
                seen[short] = seen.get(short, 0) + 1
                asked = Asked(f"What does the abbreviation {short} stand for?", "text", name)
                found.append((short, asked, start, end))
        for match in _CALLED.finditer(sentence):
            name, short = " ".join(match["name"].split()), match["short"]
            seen[short] = seen.get(short, 0) + 1
            part = _PART_OF_NAME.search(sentence[: match.start("name")])  # of "Audit and Finance Committee"
            stands = not part and name.split()[0] not in _OPENERS and short.casefold() not in name.casefold()
            if stands and not _THING.search(short):
                asked = Asked(f'Who or what is meant by "{short}"?', "text", name.rstrip(",."))
                found.append((short, asked, start, end))
    yield from ((asked, start, end) for short, asked, start, end in found if seen[short] == 1)


_PART_OF_NAME = re.compile(r"[A-Z][\w'’-]* (?:and|of) $")
_THING = re.compile(
    r"(?:[^s]s|Agreement|Purpose|Information|Date|Period|Term|Plan|Act|Order|Policy|Transaction|Project|Property"
    r"|Material|Business|Program|Technology|Opportunity|Software|System|Data|Letter|Notice|Law|Code|Merger|Offer"
    r"|Acquisition)$"
)
"""What several are called, or a thing: it need not be the name that stands before it."""

_OPENERS = frozenset(
    {"In", "The", "This", "If", "On", "As", "For", "By", "With", "Any", "All", "Each", "Such", "Under", "At"}
)


def _spelled(name: str, short: str) -> str:
    """Return the end of a name whose initials are the letters, in their order; empty where they are not."""
    parts = name.split()
    letters = [letter for letter in short if letter.isalpha()]
    for first in range(len(parts)):
        initials = [
            piece[0] for part in parts[first:] if part not in _SMALL for piece in part.split("-") if piece
        ]
        if [each.upper() for each in initials] == letters and parts[first] not in _SMALL:
            return " ".join(parts[first:])
    return ""
