"""The facts of a document that are asked for by a name, of every sort; abbreviations among them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragharness.language.sentences import sentences
from ragharness.questions.asking.statement import Asked
from ragharness.questions.folder.agreements import agreement_facts
from ragharness.questions.folder.changes import changes
from ragharness.questions.folder.facts import LETTERS, NOTE, Fact
from ragharness.questions.folder.programs import asked_of, names_left_out, settings
from ragharness.questions.folder.rows import amounts_listed, rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragharness.questions.folder.sentence_index import SentenceIndex


def facts(text: str, every: SentenceIndex, *, technical: bool) -> Iterator[Fact]:
    """Yield the facts of a text; ``turns_on`` of each is a pattern."""
    for each in _facts(text, every, technical=technical):
        escaped = each.form not in _PATTERNS
        yield each._replace(turns_on=re.escape(each.turns_on)) if escaped else each


_PATTERNS = frozenset({"law", "dated"})
"""Forms whose facts tell by a pattern what a text must have, not by a name."""


def _facts(text: str, every: SentenceIndex, *, technical: bool) -> Iterator[Fact]:
    yield from settings(text)
    yield from changes(text)
    yield from rows(text)
    yield from amounts_listed(text)
    yield from agreement_facts(text)
    for (start, end), sentence in zip(every.spans, every.said, strict=True):
        found = list(asked_of(sentence, start)) or (names_left_out(sentence, start) if technical else ())
        yield from (each._replace(end=end) for each in found)
    for short, name, start, end in short_definitions(text):
        asked = Asked(f"What does the abbreviation {short} stand for?", "text", name)
        yield Fact(asked, start, end, LETTERS, short, (short.lower(), name.lower()))


_LETTERS = re.compile(
    r"(?P<name>(?:[A-Z][\w'’&-]*)(?:\s+(?:(?:of|the|for|and|on|in|to)\s+){0,2}[A-Z][\w'’&-]*){1,8})\s+\((?:the\s+)?[\"“]?(?P<short>[A-Z][A-Z&-]{1,8}[A-Z])[\"”]?\)"
)
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
