"""Pairs each record with its question in one pass and keeps what the scores need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from ragharness.errors import RunNotUsable
from ragharness.records import Failure, Question, Usage, Verdict
from ragharness.support.messages import kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ragharness.records import Record


class Outcome(Struct, frozen=True, gc=False):
    """What became of one question; without a record it was not asked yet."""

    question: Question
    wanted: str
    """The desired bucket of the question."""
    status: str
    verdict: Verdict | None = None
    bucket: str | None = None
    """None: not graded."""
    as_wanted: bool = False
    """Whether the answer is in the desired bucket."""
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
    def evidence_found(self) -> bool:
        """Whether a retrieved passage holds a gold span."""
        return any(self.evidence_ranks)

    @property
    def all_evidence_found(self) -> bool:
        """Whether every gold span is in a retrieved passage."""
        return bool(self.evidence_ranks) and all(self.evidence_ranks)

    @property
    def evidence_is_first(self) -> bool:
        """Whether the first passage holds a gold span."""
        return 1 in self.evidence_ranks

    @property
    def reciprocal_rank(self) -> float:
        """One by the rank of the first passage that holds a gold span; 0: none does."""
        first = min(filter(None, self.evidence_ranks), default=0)
        return 1 / first if first else 0

    @property
    def answer_wanted(self) -> bool:
        """Whether the question should be answered."""
        return self.wanted == "correct"

    @property
    def answer_in_reach(self) -> bool:
        """Whether a graded question should be answered and its evidence was retrieved."""
        return bool(self.bucket) and self.answer_wanted and self.evidence_found

    @property
    def refusal_wanted(self) -> bool:
        """Whether a graded question should be refused."""
        return bool(self.bucket) and not self.answer_wanted

    @property
    def refused(self) -> bool:
        """Whether the answer is a refusal."""
        return self.bucket == "refused"

    @property
    def answered(self) -> bool:
        """Whether the answer was graded and is no refusal."""
        return bool(self.bucket) and not self.refused

    @property
    def document_found(self) -> bool:
        """Whether a passage of the document asked about was retrieved."""
        return self.document_rank > 0


def outcomes(questions: Sequence[Question], records: Iterable[Record], epochs: int = 1) -> list[Outcome]:
    """Return one outcome a question and epoch, in the order of the questions; texts of answers are let go.

    Raises RunNotUsable for a record whose question is not in the set.
    """
    order = {question.id: number for number, question in enumerate(questions)}
    unasked = [Outcome(each, each.wanted, "not_asked") for each in questions]
    found = [each for each in unasked for _ in range(epochs)]
    alike = _Alike()
    for record in records:
        number = order.get(record.question)
        if number is None:
            raise RunNotUsable(
                f"expected records of the run's own questions, found one of {record.question!r}"
            )
        if record.epoch < epochs:
            place = number * epochs + record.epoch
            found[place] = _outcome(found[place], record, alike, place)
    return [alike.told(each) for each in found]


class _Alike:
    """What many records say alike, kept once: long runs fail in few ways, with messages of any length."""

    def __init__(self) -> None:
        self._verdicts: dict[Verdict, Verdict] = {}
        self._kinds: dict[Failure, Failure] = {}
        self._failures: dict[Failure, tuple[int, Failure]] = {}

    def verdict(self, verdict: Verdict) -> Verdict:
        # The sentences of a verdict are the text of the answer once more, and no judge says the same twice.
        verdict = replace(verdict, sentences=(), why="", value="", others=(), judgements=())
        return self._verdicts.setdefault(verdict, verdict)

    def failure(self, failure: Failure, place: int) -> Failure:
        """Return the kind of a failure; the message of the first question stands for all of the kind."""
        kind = Failure(failure.type, kind_of(failure.message), failure.where)
        kind = self._kinds.setdefault(kind, kind)
        known = self._failures.get(kind)
        if known is None or place < known[0]:
            self._failures[kind] = place, failure
        return kind

    def told(self, outcome: Outcome) -> Outcome:
        """Return the outcome with the message in the place of its kind."""
        if outcome.failure is None:
            return outcome
        return replace(outcome, failure=self._failures[outcome.failure][1])


def _outcome(asked: Outcome, record: Record, alike: _Alike, place: int) -> Outcome:
    bucket = record.verdict.bucket if record.verdict else None
    return Outcome(
        asked.question,
        asked.wanted,
        record.status,
        record.verdict and alike.verdict(record.verdict),
        bucket,
        bucket == asked.wanted,
        record.evidence_ranks,
        record.document_rank,
        record.evidence_passages,
        any(record.evidence_ranks) and _evidence_cited(record),
        len(record.retrieved),
        record.failure and alike.failure(record.failure, place),
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
