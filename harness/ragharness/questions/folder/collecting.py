"""The facts of a document that are asked for by a name, of every sort."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragharness.questions.asking.statement import Asked
from ragharness.questions.folder.accounts import amounts_listed
from ragharness.questions.folder.agreements import agreement_facts
from ragharness.questions.folder.changes import changes
from ragharness.questions.folder.definitions import LETTERS, short_definitions
from ragharness.questions.folder.facts import Fact
from ragharness.questions.folder.gaps import names_left_out
from ragharness.questions.folder.rows import rows
from ragharness.questions.folder.settings import settings
from ragharness.questions.folder.subjects import asked_of

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
