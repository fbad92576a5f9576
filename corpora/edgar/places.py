"""Where filings state a figure besides the tagged row: what is withheld is withheld everywhere."""

from __future__ import annotations

import re
from bisect import bisect_right
from decimal import Decimal
from typing import TYPE_CHECKING

from ragharness.records import Evidence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ragharness.corpus import Corpus
    from ragharness.records import Document, Fact

_POWERS = {"billion": 9, "million": 6, "thousand": 3}
_FIGURE = re.compile(
    r"(?<![\d.,])(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(?![\d,]*\d)(?:\s+(billion|million|trillion))?"
)
_WORD = re.compile(r"[a-z]{4,}")
_EMPTY = frozenset(
    [
        "total",
        "other",
        "from",
        "with",
        "year",
        "years",
        "ended",
        "balance",
        "million",
        "billion",
        "company",
        "were",
        "which",
        "that",
        "this",
        "and",
        "the",
    ]
)
"""Words that rows about different things share."""

_SHORTEST = 4
"""Digits below which a figure stands for too many things to be looked for."""

_DIGITS = 3
"""Significant digits from which a rounded figure gives the exact one away."""


class Places:
    """The figures of all filings by their leading digits."""

    def __init__(self, corpus: Corpus, filers: Mapping[str, tuple[str, str]]) -> None:
        self._documents = {each.id: each for each in corpus.documents}
        self._filers = filers
        self._figures: dict[str, dict[str, list[tuple[int, int]]]] = {}
        self._begins: dict[str, list[int]] = {}

    def own(self, fact: Fact) -> tuple[Evidence, ...] | None:
        """Return all lines of the fact's filing that state its value; None where it is too short to tell."""
        written = _written(fact)
        if written is None:
            return None
        document = self._documents[fact.document]
        spans = [(each.start, each.end) for each in fact.evidence]
        spans += self._stated(document, written)
        begins = self._begins.setdefault(document.id, [first for first, _ in document.segments])
        pieces = dict.fromkeys(_piece(document, begins, start) for start, _ in sorted(spans))
        return tuple(Evidence(document.id, *piece) for piece in pieces)

    def stating(self, fact: Fact) -> tuple[Evidence, ...]:
        """Return the tagged rows, and others with the same figure that speak of the same thing."""
        text = self._documents[fact.document].text
        tagged = [text[each.start : each.end] for each in fact.evidence]
        words = {word for row in tagged for word in _words(row)}
        others = [
            each
            for each in self.own(fact) or ()
            if each not in fact.evidence and words & _words(text[each.start : each.end])
        ]
        return (*fact.evidence, *others)

    def elsewhere(self, fact: Fact) -> bool:
        """Whether another filing of the same company states the value too, or lets it be added up.

        A later filing repeats the figures of the year before, in other lines perhaps.
        """
        written = _written(fact)
        filer, end = self._filers.get(fact.document, ("", ""))
        same = {id_: last for id_, (cik, last) in self._filers.items() if cik == filer}
        others = [id_ for id_ in same if id_ != fact.document]
        if any(last > end for last in same.values()):
            return True
        if written is None:
            return bool(others)
        return any(self._stated(self._documents[id_], written) for id_ in others)

    def _stated(self, document: Document, written: set[str]) -> list[tuple[int, int]]:
        figures = self._of(document)
        return [span for each in sorted(written) for span in figures.get(each, ())]

    def _of(self, document: Document) -> dict[str, list[tuple[int, int]]]:
        if document.id not in self._figures:
            figures: dict[str, list[tuple[int, int]]] = {}
            for key, span in _figures(document.text):
                figures.setdefault(key, []).append(span)
            self._figures[document.id] = figures
        return self._figures[document.id]


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold())) - _EMPTY


def _figures(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield each figure of a text by its digits ("391035"), with a scale word as its value ("391e9")."""
    for found in _FIGURE.finditer(text):
        whole, decimals, scale = found.groups()
        bare = whole.replace(",", "") + (decimals or "")
        yield (f"{bare} {scale}" if scale else bare), found.span()


def _written(fact: Fact) -> set[str] | None:
    """Return the ways in which a filing may write a value: its digits, and rounded with a scale word."""
    if fact.kind != "number":
        return None
    shown = fact.answers[0]
    digits = shown.replace(".", "").strip("0-")
    if len(digits) < _SHORTEST or len(shown.replace(".", "")) < _SHORTEST:
        return None
    value = abs(Decimal(fact.details["value"]))
    written = {shown, f"{value:f}"}
    for power in (3, 6, 9):
        scaled = value.scaleb(-power)
        if scaled == scaled.to_integral_value() or abs(scaled) >= 1:
            written.add(_plain(scaled))
    for word, power in _POWERS.items():
        for places in range(4):
            rounded = value.scaleb(-power).quantize(Decimal(1).scaleb(-places))
            if rounded and len(str(rounded).replace(".", "").strip("0")) >= min(_DIGITS, len(digits)):
                written |= {f"{rounded} {word}", f"{_plain(rounded)} {word}"}
    return written


def _plain(value: Decimal) -> str:
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _piece(document: Document, begins: list[int], start: int) -> tuple[int, int]:
    """Return the line of a document around a place: the row of its table, or its paragraph's sentence."""
    index = max(0, bisect_right(begins, start) - 1)
    first, last = document.segments[index]
    line = document.text.rfind("\n", first, start) + 1
    end = document.text.find("\n", start, last)
    return max(first, line), last if end < 0 else end
