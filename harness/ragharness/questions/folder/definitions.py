"""Short definitions with a fixed wording: abbreviations.

Longer ones ("“Term” means ...") are not asked about: whether a paraphrase of them is right no rule can say.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragharness.language.sentences import sentences

if TYPE_CHECKING:
    from collections.abc import Iterator


_LETTERS = re.compile(
    r"(?P<name>(?:[A-Z][\w'’&-]*)(?:\s+(?:(?:of|the|for|and|on|in|to)\s+){0,2}[A-Z][\w'’&-]*){1,8})\s+\((?:the\s+)?[\"“]?(?P<short>[A-Z][A-Z&-]{1,8}[A-Z])[\"”]?\)"
)
NOTE = re.compile(r"^[|^\[]|https?:|\bet al\b|\bibid\b", re.IGNORECASE)
"""A footnote or a row of a table: what it names is not what its document is about."""
LETTERS = "letters"
"""The form of abbreviations."""

_SMALL = frozenset({"of", "the", "for", "and", "on", "in", "to"})


def short_definitions(text: str) -> Iterator[tuple[str, str, int, int]]:
    """Yield the letters that a text gives once for a name, the name, and the place of the sentence that does."""
    found: dict[str, list[tuple[str, str, int, int]]] = {}
    for start, end in sentences(text):
        sentence = text[start:end]
        for match in _LETTERS.finditer("" if NOTE.search(sentence) else sentence):
            name, short = _spelled(match["name"], match["short"]), match["short"]
            listed = rf"\b{short}\b\W+{re.escape(name.split(' ')[0])}\b"
            if name and not re.search(listed, text, re.IGNORECASE):
                found.setdefault(short, []).append((short, name, start, end))
    yield from (each[0] for each in found.values() if len(each) == 1)


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
