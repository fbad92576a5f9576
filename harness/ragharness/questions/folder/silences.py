"""``Silence``: a question without an answer with the pattern that proves it, and the rows that it can stand in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec.structs import replace

from ragharness.questions.folder.wording import worded
from ragharness.records import Distractor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragharness.questions.asking.statement import Asked
    from ragharness.questions.folder.statements import Statement
    from ragharness.records import Document, Question

NEAR = 300
"""Characters around a name or a year in which what is said of it stands."""

Scope = Literal["document", "corpus"]


class Silence(NamedTuple):
    """A question with the pattern that nothing in its scope matches."""

    document: Document
    topic: str
    asked: Asked
    pattern: str
    note: str
    scope: Scope = "document"
    volume: str = ""


def said_of(name: str, stems: str) -> str:
    """Return the pattern of a name with what would say something of it before or behind it."""
    return rf"{name}(?s:.{{0,{NEAR}}})(?:{stems})|(?:{stems})(?s:.{{0,{NEAR}}}){name}"


def _worded(silence: Silence) -> Iterator[Question]:
    for each in worded(silence.document, silence.topic, silence.asked, silence.volume):
        yield replace(
            each, absence_patterns=(silence.pattern,), absence_scope=silence.scope, note=silence.note
        )


def refused(silence: Silence) -> Iterator[Question]:
    """Yield a question that its document does not answer."""
    for each in _worded(silence):
        yield replace(each, target="refused", absence_scope="document")


def unanswerable(silence: Silence) -> Iterator[Question]:
    """Yield a question of which no document says anything."""
    for each in _worded(silence):
        yield replace(each, stratum="unanswerable")


def trap(silence: Silence, statement: Statement) -> Iterator[Question]:
    """Yield a question that the answer of a true statement tempts to."""
    true = Distractor(statement.asked.answer, "what was really asked about", statement.evidence)
    for each in _worded(silence):
        yield replace(each, stratum="adversarial", distractors=(true,))


def either(silence: Silence, statement: Statement) -> Iterator[Question]:
    """Yield a trap, and, where nothing in the folder is about it, an unanswerable question."""
    yield from trap(silence, statement)
    if silence.scope == "corpus":
        yield from unanswerable(silence)
