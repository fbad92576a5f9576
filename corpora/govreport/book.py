"""The reports with what they state, and how a question about one is worded.

Of a report that people read, what it states and is silent about is theirs, line by line of ``read.jsonl``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from ragharness.corpus.loading import Corpus
from ragharness.records import Document, Fact, Kind, Question
from ragquestions.candidates import Scope, unanswered

from . import silences
from .findings import names as names_in
from .lines import Found, facts_of, lines, stems
from .silences import OWN_WORDS, Silence, in_all, names, worded

if TYPE_CHECKING:
    from .lines import Line

FILE = Path(__file__).with_name("read.jsonl")
_DIGITS = 16
"""Digits of a text's sha256 that tell it from another text of the same report."""


class Read(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question to one report: with ``answer`` what it states, else what it is silent about."""

    report: str
    text: str
    """The first digits of the sha256 of the text that was read."""
    ask: str
    kind: Kind
    answer: str = ""
    also: tuple[str, ...] = ()
    """Other names of a text; a number as a table states it, more exactly."""
    unit: str = ""
    precision: Literal["", "year", "month", "day"] = ""
    evidence: tuple[tuple[int, int], ...] = ()
    """Every place that states it."""
    near: tuple[tuple[str, int, int], ...] = ()
    """Values that tempt, each with its place."""
    stays: bool = False
    """The answer follows from other places: it cannot be withheld alone."""
    absent: tuple[str, ...] = ()
    """Patterns without a hit in the report."""
    nowhere: bool = False
    """No report of the corpus says it."""


@cache
def _rows() -> dict[tuple[str, str], list[Read]]:
    found: dict[tuple[str, str], list[Read]] = defaultdict(list)
    for line in FILE.read_bytes().splitlines():
        row = msgspec.json.decode(line, type=Read)
        found[row.report, row.text].append(row)
    return found


def read_in(document: Document) -> list[Read]:
    """Return the questions of people who read this text; none where it, or its report, was not read."""
    text = sha256(document.text.encode()).hexdigest()
    return _rows().get((document.id, text[:_DIGITS]), [])


def stated(document: Document) -> Iterator[Fact]:
    """Return what people read in a report, each with the question that they asked."""
    read = (each for each in read_in(document) if each.answer)
    told = {"stated": "read"}
    return facts_of(document.id, ((_found(each), told) for each in read))


def _found(row: Read) -> Found:
    return Found(
        row.ask, row.kind, row.answer, row.unit, row.precision, row.evidence, row.near,
        also_summary=False, alone=not row.stays, also=row.also,
    )  # fmt: skip


def silent(document: Document) -> Iterator[Question]:
    """Yield what people looked for in a report and did not find, in all wordings."""
    for place, row in enumerate((each for each in read_in(document) if not each.answer), 1):
        silence = Silence([*row.absent], in_all(row.ask), row.kind, row.unit, precision=row.precision)
        scope: Scope = "corpus" if row.nowhere else "document"
        yield from silences.silent(document, f"unsaid-{row.kind}-{place:02}", silence, scope)


_SAYS_TOO = 0.5
"""Share of a question's words from which another report's sentence with the same value gives it away."""


class Book:
    """The corpus with what the recipe looks up again and again."""

    def __init__(self, corpus: Corpus) -> None:
        self.documents = {each.id: each for each in corpus.documents}
        self.facts: dict[str, list[Fact]] = defaultdict(list)
        for fact in corpus.facts:
            self.facts[fact.document].append(fact)
        self.facts |= {name: read for name, each in self.documents.items() if (read := list(stated(each)))}
        self.stems = {each.id: stems(each.text) for each in corpus.documents}
        self._lines: dict[str, list[Line]] = {}

    def lines(self, document: str) -> list[Line]:
        """Return the sentences of a report."""
        if document not in self._lines:
            self._lines[document] = lines(self.documents[document].text)
        return self._lines[document]

    def elsewhere(self, fact: Fact) -> bool:
        """Whether another report states the fact's value in a sentence of much the same words."""
        if fact.kind == "text":
            names = [each.casefold() for each in (*fact.answers, *aliases_of(fact).get(fact.answers[0], ()))]
            others = (each for each in self.documents.values() if each.id != fact.document)
            telling = (each.text.casefold() for each in others if self._tells(each.id, fact))
            return any(name in text for text in telling for name in names)
        wanted = stems(fact.details["ask"])
        named = names_in(fact.details["ask"], "GAO")
        value = ("date" if fact.kind == "date" else fact.unit), fact.answers[0]
        return any(
            value in line.values
            and (len(wanted & line.stems) >= _SAYS_TOO * len(wanted) or (named and named <= line.stems))
            for name in self.documents
            if name != fact.document
            for line in self.lines(name)
        )

    def _tells(self, document: str, fact: Fact) -> bool:
        """Whether a report may tell who did something; what letters stand for, it tells anywhere."""
        if "also" not in fact.details:
            return True
        wanted = stems(fact.details["ask"])
        return any(len(wanted & each.stems) >= _SAYS_TOO * len(wanted) for each in self.lines(document))


def asked(fact: Fact, document: Document, topic: str, ask: str = "", name: str = "") -> Iterator[Question]:
    """Yield a fact's question in all wordings, asked of a report, without an answer.

    ``ask`` and ``name`` replace the question's own words and what the report is called.
    """
    ask = ask or fact.details["ask"]
    called = [(1, name), (2, name)] if name else names(document)
    by_year = re.sub(r"^When\b", "In what year", ask) if fact.date_precision == "year" else ask
    for wording, report in called:
        text = worded(ask if wording == OWN_WORDS else by_year, wording, report)
        precision = fact.date_precision
        yield unanswered(text, fact.kind, document.id, topic, wording, unit=fact.unit, precision=precision)


def aliases_of(fact: Fact) -> dict[str, tuple[str, ...]]:
    """Return a written-out name with one of its plurals as a singular: "Inspector General"."""
    if fact.kind != "text":
        return {}
    name = fact.answers[0]
    if "also" in fact.details:
        return {name: tuple(fact.details["also"].split("|"))}
    singular = tuple(
        f"{name[: found.start()]}{name[found.end() :]}"
        for found in re.finditer(r"(?<=[a-rt-z])s\b(?![’'])", name)
    )
    return {name: singular} if singular else {}
