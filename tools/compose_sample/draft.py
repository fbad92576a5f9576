"""The writer that composes documents: it knows where every fact stands, because it put it there.

A template marks the sentence that states a fact as ``[[name|the sentence]]``; marks may be nested and
repeated. ``Draft.write`` takes the marks out and keeps the character span of each.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ragharness.records import Document, Evidence, Fact

_MARK = re.compile(r"\[\[(?P<open>[a-z0-9_]+)\||(?P<close>\]\])")
_BOUNDARY = re.compile(r"(?<!\bDr)(?<!Ing)[.?!] +(?=[A-Z\"(])|\n+")
"""Where one sentence or line ends and the next begins, in texts as this package composes them."""

_NUMBER = re.compile(r"(?:\d+\.\d+|\(\d+\)|\d+\.) ")
"""The number of a clause, which is no part of its sentence."""


@dataclass
class Draft:
    """One document while it is being written."""

    id: str
    title: str
    handle: str
    paraphrase: str
    genre: str
    _text: str = ""
    _spans: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    _facts: list[Fact] = field(default_factory=list)

    def write(self, template: str) -> None:
        """Append the template's text and remember the spans that it marks."""
        open_marks: list[tuple[str, int]] = []
        position = 0
        for found in _MARK.finditer(template):
            self._text += template[position : found.start()]
            position = found.end()
            if found["open"]:
                open_marks.append((found["open"], len(self._text)))
            else:
                name, start = open_marks.pop()
                self._spans.setdefault(name, []).append((start, len(self._text)))
        if open_marks:
            raise ValueError(f"{self.id}: the mark {open_marks[-1][0]!r} is never closed")
        self._text += template[position:]

    def paragraph(self, template: str) -> None:
        """Append a paragraph, set off by a blank line."""
        self.write(("\n\n" if self._text else "") + template.strip())

    def line(self, template: str) -> None:
        """Append a line directly under the last one."""
        self.write("\n" + template.strip())

    def marks(self, name: str) -> bool:
        """Whether a sentence with this name has been written."""
        return name in self._spans

    def excerpt(self, name: str) -> str:
        """The text of the first sentence that was written under a name."""
        start, end = self._spans[name][0]
        return self._text[start:end]

    def fact(self, fact: Fact, *marks: str) -> None:
        """Add a fact whose evidence is every sentence written under one of the marks (its topic by default)."""
        marked = {span for mark in marks or (fact.topic,) for span in self._spans[mark]}
        spans = sorted({self._widened(*span) for span in marked})
        evidence = tuple(Evidence(self.id, start, end) for start, end in spans)
        self._facts.append(
            Fact(
                document=self.id,
                topic=fact.topic,
                kind=fact.kind,
                answers=fact.answers,
                evidence=evidence,
                unit=fact.unit,
                date_precision=fact.date_precision,
                details=fact.details,
            )
        )

    def _widened(self, start: int, end: int) -> tuple[int, int]:
        """Return the whole sentences or lines that a span belongs to: half a sentence states nothing."""
        boundaries = [found.span() for found in _BOUNDARY.finditer(self._text)]
        first = max((after for _, after in boundaries if after <= start), default=0)
        last = min((before for before, _ in boundaries if before + 1 >= end), default=len(self._text))
        number = _NUMBER.match(self._text, first)
        closed = last + 1 if self._text[last : last + 1] in {".", "?", "!"} else last
        return (number.end() if number and number.end() <= start else first), closed

    def silent(self, topic: str) -> None:
        """Note that the document says nothing about a yes/no topic."""
        self._facts.append(Fact(document=self.id, topic=topic, kind="yesno"))

    def finish(self) -> tuple[Document, list[Fact]]:
        """Return the document and its facts."""
        document = Document(
            id=self.id,
            title=self.title,
            text=self._text + "\n",
            handle=self.handle,
            paraphrase=self.paraphrase,
            genre=self.genre,
        )
        return document, self._facts
