"""Metrics: one file each, found by its name, with a definition and a function that computes it.

A metric's module is named as its value is in the JSON of the scores, begins with the one sentence that says
what it is, and has ``METRIC``. The JSON, its schema, every report and the tables of the documentation iterate
over what is found here and under the entry points ``ragharness.metrics``.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import inf
from operator import attrgetter
from typing import Any, Literal, TypeAlias, TypeVar

from msgspec import Struct

from ragharness.analysis.intervals import wilson
from ragharness.errors import CodeNotUsable, RunNotUsable
from ragharness.records import Failure, Question, Record, Usage, Vote
from ragharness.runner.run_folder import moment
from ragharness.support import plugins
from ragharness.support.messages import message_kind

FOREIGN_RECORD = "expected records of the run's own questions, found one of {0!r}"


class Outcome(Struct, frozen=True, eq=False, gc=False):
    """What became of a question; without a record it was not asked yet. Those alike are one object."""

    row: str
    wanted: str  # the desired bucket of the question
    withheld: bool
    located: bool  # whether the question has evidence
    status: str = "not_asked"
    called: bool = False  # whether the pipeline was called and returned, or timed out
    judged: bool = False  # whether there is a verdict
    bucket: str | None = None  # None: not graded
    reason: str = ""
    flags: tuple[str, ...] = ()
    citation_exists: str | None = None
    citation_supports: str | None = None
    refusal_quality: int | None = None
    extra_claim_count: int | None = None
    evidence_ranks: tuple[int, ...] = ()
    document_rank: int = 0
    evidence_passages: int = 0
    evidence_cited: bool = False  # whether a passage that holds a gold span is cited
    passages: int = 0  # passages that the pipeline had
    failure: Failure | None = None  # the kind of the failure
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


_AXES = ("citation_exists", "citation_supports", "refusal_quality", "extra_claim_count")
_said = attrgetter("bucket", "reason", "flags", *_AXES)
_UNSAID = (None, "", (), None, None, None, None)


class Tally:
    """What became of every question and epoch, in the order of the questions; texts are let go."""

    def __init__(self, questions: Iterable[Question], epochs: int = 1) -> None:
        self._epochs = epochs
        self._known: dict[tuple[object, ...], Outcome] = {}
        self.questions: list[str] = []  # of each outcome
        self.outcomes: list[Outcome] = []
        for question in questions:
            about = (question.row, question.wanted, bool(question.withheld), bool(question.evidence))
            unasked = self._alike(about)
            self.questions += [question.id] * epochs
            self.outcomes += [unasked] * epochs
        self._first = {question: number for number, question in enumerate(self.questions[::epochs])}
        self.started = array("d", [-inf]) * len(self.outcomes)  # when each call was, in seconds
        self.seconds = array("d", [0.0]) * len(self.outcomes)
        self.usages: dict[int, Usage] = {}
        self.votes: dict[int, tuple[Vote, ...]] = {}  # of judges
        self._kinds: dict[Failure, Failure] = {}
        self._failures: dict[Failure, tuple[int, Failure]] = {}

    def add(self, records: Iterable[Record]) -> Tally:
        """Put every record in its place; raises RunNotUsable for one whose question is not in the set."""
        for record in records:
            number = self._first.get(record.question)
            if number is None:
                raise RunNotUsable(FOREIGN_RECORD.format(record.question))
            if record.epoch < self._epochs:
                self._put(number * self._epochs + record.epoch, record)
        return self

    def named(self, holds: Callable[[Outcome], object]) -> list[tuple[str, Outcome]]:
        """Outcomes of which something holds, each with its question."""
        which = {outcome for outcome in self._known.values() if holds(outcome)}
        named = zip(self.questions, self.outcomes, strict=True) if which else ()
        return [(question, outcome) for question, outcome in named if outcome in which]

    def failure(self, kind: Failure) -> Failure:
        """Failure that stands for all of its kind: that of the first question."""
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
        if verdict and verdict.votes:
            self.votes[place] = verdict.votes

    def _alike(self, fields: tuple[object, ...]) -> Outcome:
        outcome = self._known.get(fields)
        if outcome is None:
            outcome = self._known[fields] = Outcome(*fields)  # type: ignore[arg-type]
        return outcome

    def _kind(self, failure: Failure, place: int) -> Failure:
        # Long runs fail in few ways, with messages of any length.
        kind = Failure(failure.type, message_kind(failure.message), failure.where)
        kind = self._kinds.setdefault(kind, kind)
        first = self._failures.get(kind)
        if first is None or place < first[0]:
            self._failures[kind] = place, failure
        return kind


def seconds_at(written: str) -> float:
    """Time of a run folder in seconds; 0.0 where somebody wrote another thing there."""
    time = moment(written)
    return time.timestamp() if time else 0.0


def _evidence_cited(record: Record) -> bool:
    cited = record.cited
    ranks = {rank for rank, hit in enumerate(record.retrieved, start=1) if hit.id in cited}
    return not ranks.isdisjoint(record.evidence_ranks)


Compute = Callable[[Sequence[Outcome], int | None], Any]
Part: TypeAlias = Literal["axes", "retrieval"]
PARTS: tuple[Part, ...] = ("axes", "retrieval")


class Share(Struct, frozen=True, kw_only=True):
    """A count out of n with Wilson's 95 % interval of its rate; no interval where n is 0."""

    count: int
    n: int
    low: float | None
    high: float | None


def share(count: int, n: int) -> Share:
    """Count out of n with its interval."""
    if n == 0:
        return Share(count=count, n=0, low=None, high=None)
    low, high = wilson(count, n)
    return Share(count=count, n=n, low=low, high=high)


class Span(Share, frozen=True, kw_only=True):
    """A count that ungraded answers may add to: ``low`` is that of the count, ``high`` that of ``most``."""

    most: int


def span(count: int, ungraded: int, n: int) -> Span:
    """Count out of n that is ``ungraded`` higher at most, with its interval."""
    low, high = share(count, n).low, share(count + ungraded, n).high
    return Span(count=count, n=n, low=low, high=high, most=count + ungraded)


class YesNoAxis(Struct, frozen=True, kw_only=True):
    """A yes/no axis over the graded answers; what it leaves open, or does not apply to, is counted aloud."""

    yes: int
    no: int
    null: int
    undetermined: int = 0  # of those to which it applies; never a yes
    low: float | None
    high: float | None

    @property
    def n(self) -> int:
        """Answers to which it applies."""
        return self.yes + self.no + self.undetermined


def yes_no(values: Sequence[str | None]) -> YesNoAxis:
    """How often an axis is yes, no, undetermined, or does not apply (None)."""
    yes, no, undetermined = map(values.count, ("yes", "no", "undetermined"))
    n = yes + no + undetermined
    rate = share(yes, n)
    null = len(values) - n
    return YesNoAxis(yes=yes, no=no, null=null, undetermined=undetermined, low=rate.low, high=rate.high)


@dataclass(frozen=True, kw_only=True)
class Declaration:
    """What a file of a metric declares."""

    name: str = ""  # the name of its file, and ``sentence`` the first one there: filled in where it is found
    sentence: str = ""
    label: str
    source: str = "this project"
    higher_is_better: bool = True


Declared = TypeVar("Declared", bound=Declaration)


def declared(
    kind: str, folder: str, of: type[Declared]
) -> tuple[dict[str, Declared], dict[str, CodeNotUsable]]:
    """Declarations of a kind by name, and what is wrong with published ones that cannot be used."""
    found: dict[str, Declared] = {}
    unusable: dict[str, CodeNotUsable] = {}
    for name in plugins.names(kind, folder):
        try:
            module = plugins.load(kind, folder, name, "METRIC")
        except CodeNotUsable as error:
            unusable[name] = error
            continue
        metric = module.METRIC
        if isinstance(metric, of):
            if module.__name__ != f"{folder}.{name}":
                calls = {field: getattr(metric, field, None) for field in ("compute", "of", "over")}
                guarded: dict[str, Any] = {
                    field: plugins.guarded(kind, name, call) for field, call in calls.items() if call
                }
                metric = replace(metric, **guarded)
            sentence = (module.__doc__ or "").split("\n")[0]
            found[name] = replace(metric, name=name, sentence=sentence)
        else:
            wrong = TypeError(f"METRIC of {module.__name__} is no {of.__name__}")
            unusable[name] = plugins.unusable(kind, name, wrong)
    return found, unusable


@dataclass(frozen=True, kw_only=True)
class Metric(Declaration):
    """Declaration of a metric of the scores: its names, meaning and range, and how it is computed.

    ``{top}`` and ``{at_k}`` in its names become "in top 5" and "@5", where the harness retrieved 5 passages.
    """

    part: Part  # of the scores: ``axes`` are handed all outcomes, ``retrieval`` those with evidence
    short: str = ""  # its name in the terminal, ``label`` the one in Markdown; empty: only Markdown has it
    remark: str = ""  # what the terminal says behind the value, on a line of its own
    absent: str = ""  # how Markdown names the answers to which a yes/no metric does not apply
    words: Callable[[Any], str] | None = None  # the value in words; None: as its type is always written
    range: tuple[int, int | None] = (0, 1)  # of its value, or of the rate of a count out of n; None: no limit
    type: Any = Share
    compute: Compute  # from the outcomes and the k of the harness (None: the pipeline decides it)


_FIRST = (  # in the JSON; any other follows in alphabetical order
    *("citation_exists", "citation_supports", "extra_claim_count", "refusal_quality"),
    *("over_refusal", "over_refusal_all", "under_refusal", "hedged", "mixed"),
    *("any_evidence", "all_evidence", "evidence_first", "document", "evidence_in_document", "mrr", "ndcg"),
)


@cache
def _declared() -> tuple[dict[str, Metric], dict[str, CodeNotUsable]]:
    return declared("metrics", __name__, Metric)


@cache
def metrics(part: Part) -> tuple[Metric, ...]:
    """Metrics of a part of the scores, in the order of the JSON."""
    known = _declared()[0]
    ordered = [known[name] for name in dict.fromkeys((*_FIRST, *known)) if name in known]
    return tuple(metric for metric in ordered if metric.part == part)


def unusable_metrics() -> list[str]:
    """A sentence about each published metric that cannot be used."""
    return [str(error) for error in _declared()[1].values()]


def graded(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Graded answers, those alike side by side."""
    return [*Counter(outcome for outcome in outcomes if outcome.judged and outcome.status == "ok").elements()]


def how_many(outcomes: Counter[Outcome], holds: Callable[[Outcome], object]) -> int:
    """Of how many outcomes something holds."""
    return sum(times for outcome, times in outcomes.items() if holds(outcome))


def rate(
    outcomes: Sequence[Outcome],
    hit: Callable[[Outcome], bool],
    among: Callable[[Outcome], object] = lambda _: True,
) -> Share:
    """Of how many outcomes something holds, of those among which it is looked for."""
    counts = Counter(outcomes)
    return share(how_many(counts, lambda outcome: among(outcome) and hit(outcome)), how_many(counts, among))


def mean_of(outcomes: Sequence[Outcome], value: Callable[[Outcome], float]) -> float | None:
    """Mean of what each outcome is worth, added in their order; None where there is none."""
    values = {outcome: value(outcome) for outcome in set(outcomes)}
    return mean([values[outcome] for outcome in outcomes])


def mean(values: Sequence[float]) -> float | None:
    """Mean of some values; None where there is none."""
    return sum(values) / len(values) if values else None


def rate_of(name: str, among: str = "") -> Compute:
    """What computes of how many outcomes a property holds, or of those with another property."""
    holds = attrgetter(name)
    within = attrgetter(among) if among else lambda _: True
    return lambda outcomes, _: rate(outcomes, holds, within)


def axis_of(name: str) -> Compute:
    """What computes how often an axis of the verdicts is yes, no, or does not apply."""
    return lambda outcomes, _: yes_no([getattr(outcome, name) for outcome in graded(outcomes)])


def flagged(flag: str) -> Compute:
    """What computes how many graded answers have a flag."""
    return lambda outcomes, _: sum(flag in outcome.flags for outcome in graded(outcomes))
