"""The retriever that returns the longest passages."""

from __future__ import annotations

from typing import Any

from ragharness.corpus.passages import PassageSet
from ragharness.records import Hit, Question


class Longest:
    """Returns the longest passages, whatever is asked."""

    name = "longest"

    def __init__(self, passages: PassageSet) -> None:
        self.settings: dict[str, str | int | float] = {}
        self._ordered = sorted(passages.passages, key=lambda passage: (-len(passage.text), passage.id))

    def retrieve(self, query: str, k: int, question: Question | None = None) -> list[Hit]:
        return [Hit(passage, float(len(passage.text))) for passage in self._ordered[:k]]


def build(passages: PassageSet, evidence: Any, cache: Any, options: Any) -> Longest:
    return Longest(passages)
