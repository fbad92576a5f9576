"""Cached look-ups over a corpus: absent topics, evidence in the index, similar documents."""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

from ragharness.errors import QuestionsNotUsable
from ragharness.evidence import EvidenceIndex
from ragharness.passages import build_passages, withhold
from ragharness.questions.searching import Searched
from ragharness.questions.similarity import near_duplicates

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ragharness.corpus import Corpus
    from ragharness.passages import PassageSet
    from ragharness.records import Passage, Question

_RARE = 10
"""A kind of answer that fewer than one in so many facts have is not asked as often as the others."""


class Ground:
    """One corpus with the answers to what the builder and the checks ask of it; remembers them."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.evidence = EvidenceIndex(corpus)
        self._silence: dict[tuple[str, str], bool] = {}
        self._texts: dict[str, Searched] = {}

    @cached_property
    def passages(self) -> PassageSet:
        """The whole index, at its default size."""
        return build_passages(self.corpus.documents)

    @cached_property
    def alike(self) -> frozenset[str]:
        """Documents that have a near-duplicate."""
        return near_duplicates(self.corpus.documents)

    def family(self, question: Question) -> tuple[str, str]:
        """Return the genre of the document and the kind of the answer, over which every row is spread.

        A document that does not exist has the genre of the one it resembles. A corpus of one genre, or with
        facts of one kind, has nothing to spread over there: an empty name.
        """
        resembled = (span.document for each in question.distractors for span in each.evidence)
        about = question.document or next(resembled, "")
        genre = self.corpus.document(about).genre if about and self._many_genres else ""
        return genre, question.kind if self._many_kinds else ""

    @cached_property
    def _many_genres(self) -> bool:
        return len({each.genre for each in self.corpus.documents}) > 1

    @cached_property
    def _many_kinds(self) -> bool:
        kinds = Counter(each.kind for each in self.corpus.facts)
        return sum(count * _RARE >= len(self.corpus.facts) for count in kinds.values()) > 1

    def hits(self, question: Question) -> list[str]:
        """Return the absence patterns that do match in the question's scope; raises QuestionsNotUsable."""
        scope = question.document if question.absence_scope == "document" else ""
        return [each for each in question.absence_patterns if not self._silent(each, scope)]

    def covered(self, question: Question, passages: Iterable[Passage]) -> bool:
        """Whether the question has evidence and the passages hold every span of it."""
        return bool(question.evidence) and all(self.evidence.found(question, passages))

    def copies(self, document: str) -> tuple[str, ...]:
        """Return the ids of all documents with the same text, the document itself among them."""
        first = self.corpus.canonical(document)
        return (first, *(twin for twin, original in self.corpus.twins.items() if original == first))

    def left_by_clause(self, question: Question) -> int:
        """Return how many passages of its document stay when the question's evidence is withheld."""
        own = self.passages.of(question.document)
        return len(withhold(type(self.passages)(own, self.passages.words), (), question.evidence).passages)

    def _silent(self, pattern: str, document: str) -> bool:
        key = (pattern, document)
        if key not in self._silence:
            wanted = [document] if document else [each.id for each in self.corpus.documents]
            try:
                self._silence[key] = not any(self._searched(each).holds(pattern) for each in wanted)
            except re.error as error:
                raise QuestionsNotUsable(
                    f"expected a regular expression among the absence patterns, found {pattern!r}: {error}"
                ) from error
        return self._silence[key]

    def _searched(self, document: str) -> Searched:
        if document not in self._texts:
            self._texts[document] = Searched(self.corpus.document(document).text)
        return self._texts[document]
