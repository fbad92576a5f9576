"""The wordings of a question about a document."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from ragharness.records import Question

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragharness.questions.asking.statement import Asked
    from ragharness.records import Document


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
