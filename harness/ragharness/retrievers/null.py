"""The retriever that returns nothing: how the pipeline answers closed book."""

from __future__ import annotations

from pathlib import Path

from ragharness.corpus.passages import EvidenceIndex, PassageSet
from ragharness.records import Hit, Question
from ragharness.support.options import Options


class NullRetriever:
    """Returns no passage for any query."""

    name = "null"

    def __init__(self) -> None:
        self.settings: dict[str, str | int | float] = {}

    def retrieve(self, query: str, k: int, question: Question | None = None) -> list[Hit]:  # noqa: ARG002
        """An empty list."""
        return []


def build(
    passages: PassageSet, evidence: EvidenceIndex | None, cache: Path | None, options: Options | None = None
) -> NullRetriever:
    """The retriever that finds nothing."""
    return NullRetriever()
