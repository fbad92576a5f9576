"""The one pass over the records: pairs each with its question and keeps only what the scores need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ragharness.errors import RunNotUsable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ragharness.records import Failure, Question, Record, Usage, Verdict


@dataclass(frozen=True)
class Outcome:
    """What became of one question; without a record it was not asked yet."""

    question: Question
    status: str
    verdict: Verdict | None = None
    evidence_ranks: tuple[int, ...] = ()
    document_rank: int = 0
    evidence_passages: int = 0
    evidence_cited: bool = False
    """Whether a passage that holds a gold span is cited."""
    passages: int = 0
    """Passages that the pipeline had."""
    failure: Failure | None = None
    problems: tuple[str, ...] = ()
    usage: Usage | None = None
    seconds: float = 0.0
    attempts: int = 1
    started: str = ""

    @property
    def bucket(self) -> str | None:
        """The bucket; None: not graded."""
        return self.verdict.bucket if self.verdict else None

    @property
    def as_wanted(self) -> bool:
        """Whether the answer fell into the bucket that the question is built for."""
        return self.bucket == self.question.wanted

    @property
    def evidence_found(self) -> bool:
        """Whether a retrieved passage holds a gold span."""
        return any(self.evidence_ranks)


def outcomes(questions: Sequence[Question], records: Iterable[Record], epochs: int = 1) -> list[Outcome]:
    """Return one outcome a question and epoch, in the order of the questions; texts of answers are let go.

    Raises RunNotUsable for a record whose question is not in the set.
    """
    by_id = {question.id: question for question in questions}
    found: dict[tuple[str, int], Outcome] = {}
    for record in records:
        if record.question not in by_id:
            raise RunNotUsable(
                f"expected records of the run's own questions, found one of {record.question!r}"
            )
        if record.epoch < epochs:
            found[record.question, record.epoch] = _outcome(by_id[record.question], record)
    return [
        found.get((question.id, epoch)) or Outcome(question, "not_asked")
        for question in questions
        for epoch in range(epochs)
    ]


def _outcome(question: Question, record: Record) -> Outcome:
    return Outcome(
        question,
        record.status,
        # The sentences of a verdict are the text of the answer once more.
        record.verdict and replace(record.verdict, sentences=(), why="", value=""),
        record.evidence_ranks,
        record.document_rank,
        record.evidence_passages,
        _evidence_cited(record),
        len(record.retrieved),
        record.failure,
        record.problems,
        record.answer.usage if record.answer else None,
        record.seconds,
        record.attempts,
        record.started,
    )


def _evidence_cited(record: Record) -> bool:
    cited = record.cited
    ranks = {rank for rank, hit in enumerate(record.retrieved, start=1) if hit.id in cited}
    return not ranks.isdisjoint(record.evidence_ranks)
