"""The wordings of a question, and ``Silence``: one without an answer, with the pattern that proves it."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec.structs import replace

from ragharness.records import Distractor, Document, Question
from ragquestions.wording.statement import Asked

if TYPE_CHECKING:
    from ragquestions.folder.statements import Statement


def worded(document: Document, topic: str, asked: Asked, volume: str = "") -> Iterator[Question]:
    """Yield the two wordings of a question: the document named first, and last."""
    name = f'the {volume} "{document.handle}"' if volume else f'"{document.handle}"'
    begin = asked.question[0].lower() + asked.question[1:]
    end = asked.question[0].upper() + asked.question[1:].rstrip("?")
    for number, text in enumerate((f"According to {name}, {begin}", f"{end}, according to {name}?"), start=1):
        yield Question(
            id="",
            text=text,
            stratum="grounded",
            target="",
            kind=asked.kind,
            answerable=False,
            document=document.id,
            topic=topic,
            wording=number,
            unit=asked.unit,
            date_precision=asked.precision,
        )


def draw(text: str) -> str:
    """Return a draw from a text alone."""
    return sha256(text.encode()).hexdigest()[:12]


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
