"""Pairs each record with its question in one pass and keeps what the scores need."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from math import inf
from operator import attrgetter

from msgspec import Struct

from ragharness.errors import RunNotUsable
from ragharness.records import Failure, Question, Record, Usage
from ragharness.runner.run_schema import moment
from ragharness.support.messages import kind_of


class Outcome(Struct, frozen=True, eq=False, gc=False):
    """What became of a question; without a record it was not asked yet. Those alike are one object."""

    row: str
    wanted: str
    """The desired bucket of the question."""
    withheld: bool
    located: bool
    """Whether the question has evidence."""
    status: str = "not_asked"
    called: bool = False
    """Whether the pipeline was called and returned, or timed out."""
    judged: bool = False
    """Whether there is a verdict."""
    bucket: str | None = None
    """None: not graded."""
    reason: str = ""
    flags: tuple[str, ...] = ()
    citation_exists: str | None = None
    citation_supports: str | None = None
    refusal_quality: int | None = None
    extra_claim_count: int | None = None
    evidence_ranks: tuple[int, ...] = ()
    document_rank: int = 0
    evidence_passages: int = 0
    evidence_cited: bool = False
    """Whether a passage that holds a gold span is cited."""
    passages: int = 0
    """Passages that the pipeline had."""
    failure: Failure | None = None
    """The kind of the failure."""
    problems: tuple[str, ...] = ()

    @property
    def as_wanted(self) -> bool:
        """Whether the answer is in the desired bucket."""
        return self.bucket == self.wanted

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


_said = attrgetter(
    "bucket",
    "reason",
    "flags",
    "citation_exists",
    "citation_supports",
    "refusal_quality",
    "extra_claim_count",
)
_UNSAID = (None, "", (), None, None, None, None)


class Tally:
    """What became of every question and epoch, in the order of the questions; texts are let go."""

    def __init__(self, questions: Iterable[Question], epochs: int = 1) -> None:
        self._epochs = epochs
        self._known: dict[tuple[object, ...], Outcome] = {}
        self.questions: list[str] = []
        """The question of each outcome."""
        self.outcomes: list[Outcome] = []
        for each in questions:
            unasked = self._alike((each.row, each.wanted, bool(each.withheld), bool(each.evidence)))
            self.questions += [each.id] * epochs
            self.outcomes += [unasked] * epochs
        self._first = {each: number for number, each in enumerate(self.questions[::epochs])}
        self.started = array("d", [-inf]) * len(self.outcomes)
        """When each call was, in seconds."""
        self.seconds = array("d", [0.0]) * len(self.outcomes)
        self.usages: dict[int, Usage] = {}
        self._kinds: dict[Failure, Failure] = {}
        self._failures: dict[Failure, tuple[int, Failure]] = {}

    def add(self, records: Iterable[Record]) -> Tally:
        """Put every record in its place; raises RunNotUsable for one whose question is not in the set."""
        for record in records:
            number = self._first.get(record.question)
            if number is None:
                raise RunNotUsable(
                    f"expected records of the run's own questions, found one of {record.question!r}"
                )
            if record.epoch < self._epochs:
                self._put(number * self._epochs + record.epoch, record)
        return self

    def named(self, holds: Callable[[Outcome], object]) -> list[tuple[str, Outcome]]:
        """Return the outcomes of which something holds, each with its question."""
        which = {each for each in self._known.values() if holds(each)}
        found = zip(self.questions, self.outcomes, strict=True) if which else ()
        return [(question, each) for question, each in found if each in which]

    def failure(self, kind: Failure) -> Failure:
        """Return the failure that stands for all of its kind: that of the first question."""
        return self._failures[kind][1]

    def _put(self, place: int, record: Record) -> None:
        asked, verdict = self.outcomes[place], record.verdict
        self.outcomes[place] = self._alike(
            (
                asked.row,
                asked.wanted,
                asked.withheld,
                asked.located,
                record.status,
                record.attempts > 0 and record.status != "error",
                verdict is not None,
                *(_said(verdict) if verdict else _UNSAID),
                record.evidence_ranks,
                record.document_rank,
                record.evidence_passages,
                any(record.evidence_ranks) and _evidence_cited(record),
                len(record.retrieved),
                record.failure and self._kind(record.failure, place),
                record.problems,
            )
        )
        if record.started:
            self.started[place] = seconds_at(record.started)
        self.seconds[place] = record.seconds
        if record.answer and record.answer.usage:
            self.usages[place] = record.answer.usage

    def _alike(self, fields: tuple[object, ...]) -> Outcome:
        known = self._known.get(fields)
        if known is None:
            known = self._known[fields] = Outcome(*fields)  # type: ignore[arg-type]
        return known

    def _kind(self, failure: Failure, place: int) -> Failure:
        # Long runs fail in few ways, with messages of any length.
        kind = Failure(failure.type, kind_of(failure.message), failure.where)
        kind = self._kinds.setdefault(kind, kind)
        known = self._failures.get(kind)
        if known is None or place < known[0]:
            self._failures[kind] = place, failure
        return kind


def seconds_at(written: str) -> float:
    """Return a time of a run folder in seconds; 0.0 where somebody wrote another thing there."""
    found = moment(written)
    return found.timestamp() if found else 0.0


def _evidence_cited(record: Record) -> bool:
    cited = record.cited
    ranks = {rank for rank, hit in enumerate(record.retrieved, start=1) if hit.id in cited}
    return not ranks.isdisjoint(record.evidence_ranks)
