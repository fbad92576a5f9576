"""Which passages hold which gold spans: the one definition of "retrieved" and "supports".

A gold span is found when one passage of its document holds at least 80 % of its tokens, so that any
chunking can be compared. Another document's equal wording never counts; a text-identical twin does.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from ragharness.corpus.loading import Corpus
from ragharness.corpus.passages import PassageSet
from ragharness.records import Evidence, Passage, Question

ENOUGH = 0.8
"""The share of a span's tokens that a passage must hold."""

_TOKEN = re.compile(r"\w+")


class EvidenceIndex:
    """Answers for one corpus which passages cover which spans; remembers where a span's tokens are."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._tokens: dict[Evidence, tuple[list[int], list[int]]] = {}

    def coverage(self, passage: Passage, span: Evidence) -> float:
        """Return the share of the span's tokens inside the passage; 0 outside the span's document.

        Of a passage with several places those shares add up, as far as the places are apart.
        """
        if passage.also:
            return self._covered(passage, span)
        return self._share(passage.document, passage.start, passage.end, span)

    def supporting(self, question: Question, passages: Iterable[Passage]) -> frozenset[str]:
        """Return the ids of the passages that hold enough of any gold span of the question."""
        spans = question.evidence
        if not spans:
            return frozenset()
        return frozenset(
            passage.id
            for passage in passages
            if any(self.coverage(passage, span) >= ENOUGH for span in spans)
        )

    def found(self, question: Question, passages: Iterable[Passage]) -> tuple[bool, ...]:
        """Return for each gold span of the question whether one of the passages holds enough of it."""
        pool = tuple(passages)
        return tuple(
            any(self.coverage(passage, span) >= ENOUGH for passage in pool) for span in question.evidence
        )

    def holders(self, question: Question, passages: PassageSet) -> int:
        """Return how many passages hold a gold span, those of twins of its document apart."""
        return len(
            {
                passage.id
                for span in question.evidence
                for passage in passages.of(span.document)
                if passage.start < span.end
                and span.start < passage.end
                and self.coverage(passage, span) >= ENOUGH
            }
        )

    def _covered(self, passage: Passage, span: Evidence) -> float:
        share, position = 0.0, 0
        for place in sorted(passage.places, key=lambda place: (place.start, place.end)):
            if self._same(place.document, span.document):
                share += self._share(place.document, max(place.start, position), place.end, span)
                position = max(position, place.end)
        return min(1.0, share)

    def _share(self, document: str, first: int, last: int, span: Evidence) -> float:
        start, end = max(first, span.start), min(last, span.end)
        if start >= end or not self._same(document, span.document):
            return 0.0
        if start == span.start and end == span.end:
            return 1.0
        starts, ends = self._places(span)
        if not starts:
            return (end - start) / (span.end - span.start)
        return max(0, bisect_right(ends, end) - bisect_left(starts, start)) / len(starts)

    def _same(self, one: str, other: str) -> bool:
        return one == other or self.corpus.canonical(one) == self.corpus.canonical(other)

    def _places(self, span: Evidence) -> tuple[list[int], list[int]]:
        if span not in self._tokens:
            text = self.corpus.document(span.document).text
            found = list(_TOKEN.finditer(text, span.start, span.end))
            self._tokens[span] = [token.start() for token in found], [token.end() for token in found]
        return self._tokens[span]
