"""The retriever that returns the gold evidence: separates retriever faults from generator faults.

For each gold span of the question, in document order, it returns the indexed passage that covers the span
best (the first of equals), then the ranking of ``fields`` without repeats until there are ``k``. Nothing is
added for evidence that is withheld from the index. Scores are those of ``fields`` throughout.
"""

from __future__ import annotations

from pathlib import Path

from ragharness.corpus.passages import EvidenceIndex, PassageSet
from ragharness.errors import UsageError
from ragharness.records import Hit, Passage, Question
from ragharness.retrievers import fields
from ragharness.support.options import Options


class OracleRetriever:
    """Gold evidence first, filled up by ``fields``."""

    name = "oracle"

    def __init__(self, filler: fields.FieldsRetriever, passages: PassageSet, evidence: EvidenceIndex) -> None:
        self._filler = filler
        self._passages = passages
        self._evidence = evidence
        self.settings: dict[str, str | int | float] = dict(filler.settings)

    def retrieve(self, query: str, k: int, question: Question | None = None) -> list[Hit]:
        """At most ``k`` hits: the gold passages of ``question``, then the best for ``query``."""
        gold = self._gold(question)[: max(k, 0)] if question is not None else []
        gold_ids = {passage.id for passage in gold}
        scores = self._filler.scores_of(query, gold)
        hits = [Hit(passage, score) for passage, score in zip(gold, scores, strict=True)]
        # Of k + len(gold) ranked passages at most len(gold) repeat a gold one, so k remain.
        ranked = self._filler.retrieve(query, k + len(gold))
        hits += [hit for hit in ranked if hit.passage.id not in gold_ids]
        return hits[: max(k, 0)]

    def _gold(self, question: Question) -> list[Passage]:
        best: dict[str, Passage] = {}
        for span in sorted(question.evidence):
            passages = self._passages.of(span.document)
            shares = [self._evidence.coverage(passage, span) for passage in passages]
            if max(shares, default=0.0) > 0:
                passage = passages[shares.index(max(shares))]
                best.setdefault(passage.id, passage)
        return list(best.values())


def build(
    passages: PassageSet, evidence: EvidenceIndex | None, cache: Path | None, options: Options | None = None
) -> OracleRetriever:
    """The oracle over ``passages``; raises UsageError without ``evidence``."""
    if evidence is None:
        raise UsageError("the oracle retriever needs the corpus's gold evidence; none was given")
    return OracleRetriever(fields.build(passages, evidence, cache, options), passages, evidence)
