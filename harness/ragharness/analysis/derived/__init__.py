"""Metrics that others published, from the graded answers of a run: one file each, found by its name.

``Item`` is an answer as such metrics see it, from records or from texts. A metric's file begins with the one
sentence that says what the metric is, and has ``METRIC``. Reports and ``docs/metrics.md`` iterate over what
is found here and under the entry points ``ragharness.derived``; the report of a run has none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, NamedTuple, TypeAlias

from msgspec import Struct

from ragharness.analysis.metrics import FOREIGN_RECORD, Declaration, declared, mean
from ragharness.errors import CodeNotUsable, RunNotUsable, UnknownName
from ragharness.records import Question, Record, Sentence

Answerable = Literal["retrieval", "corpus"]  # where a question's answer must be: retrieved, in the corpus
MOST_CITATIONS = 3  # citations of a sentence that count (ALCE)


@dataclass(frozen=True, slots=True)
class Cited:
    """A sentence of an answer with what its first three citations support."""

    jointly: bool = False  # they support it together, and all that it cites was retrieved
    alone: tuple[bool, ...] = ()  # each supports it alone; empty: it cites nothing, or what was not retrieved
    others: tuple[bool, ...] = ()  # the others support it without this one; empty: there is one, or none
    shared: tuple[bool, ...] = ()  # it and one of the others state a gold claim; empty: not looked at

    @property
    def useful(self) -> int:
        """How many of the citations are needed, or support the sentence alone."""
        if not self.jointly:
            return 0
        if len(self.alone) < 2:
            return len(self.alone)
        shared = self.shared or (False,) * len(self.alone)
        places = zip(self.alone, self.others, shared, strict=True)
        return sum(alone or not others or too for alone, others, too in places)


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One graded answer; a share stands for the gold claims of its question."""

    question: str
    refused: bool
    in_corpus: bool  # the corpus that could be searched states the answer: it is neither absent nor withheld
    in_retrieval: bool  # the evidence was retrieved
    bucket: str = ""
    matched: bool = False  # the answer is right, grounded or not
    found: float = 0.0  # of the gold claims that can be recovered from the passages, the share in the answer
    clarifies: bool = False  # a refusal that asks what the question means
    sentences: tuple[Cited, ...] = ()  # those that claim something
    confidence: float | None = None
    relevant: tuple[bool, ...] = ()  # whether each retrieved passage is known to hold gold evidence
    gold_passages: int = 0  # passages that hold gold evidence; 0: not known
    text: str = ""
    asked: str = ""

    def answerable(self, where: Answerable) -> bool:
        """Whether the question is answerable in one of the two readings."""
        return self.in_retrieval if where == "retrieval" else self.in_corpus


class Answers(NamedTuple):
    """The answers of a run, in the order of the questions."""

    graded: list[Item]
    ungraded: list[Item]  # those without a bucket, and questions not asked, as if each were a wrong answer


def items(questions: Sequence[Question], records: Iterable[Record], epochs: int = 1) -> Answers:
    """Answers of a run, the last of each question and epoch; raises RunNotUsable for a foreign record."""
    order = {question.id: number for number, question in enumerate(questions)}
    answers: dict[tuple[int, int], Item | None] = {}
    retrieved: set[tuple[int, int]] = set()
    for record in records:
        if record.question not in order:
            raise RunNotUsable(FOREIGN_RECORD.format(record.question))
        if record.epoch < epochs:
            key = order[record.question], record.epoch
            answers[key] = _item(questions[key[0]], record)
            if any(record.evidence_ranks):
                retrieved.add(key)
    graded, ungraded = [], []
    for key in ((number, epoch) for number in range(len(questions)) for epoch in range(epochs)):
        if item := answers.get(key):
            graded.append(item)
        else:
            question = questions[key[0]]
            ungraded.append(wrong(question.id, question.wanted == "correct", key in retrieved))
    return Answers(graded, ungraded)


def wrong(question: str, in_corpus: bool, in_retrieval: bool) -> Item:
    """What counts as a wrong answer in every metric."""
    reach: dict[str, Any] = {"in_corpus": in_corpus, "in_retrieval": in_retrieval}
    return Item(question=question, refused=False, **reach, bucket="wrong", confidence=1.0)


def _item(question: Question, record: Record) -> Item | None:
    verdict, answer = record.verdict, record.answer
    if verdict is None or verdict.bucket is None or record.status != "ok":
        return None
    ranks = {rank for rank in record.evidence_ranks if rank}
    matched = verdict.match == "match"
    retrieved = frozenset((*(hit.id for hit in record.retrieved), *verdict.members))
    return Item(
        question=question.id,
        refused=verdict.bucket == "refused",
        in_corpus=question.wanted == "correct",
        in_retrieval=bool(ranks),
        bucket=verdict.bucket,
        matched=matched,
        found=float(matched),
        clarifies="clarification" in verdict.flags,
        sentences=tuple(_cited(each, retrieved) for each in verdict.sentences if each.is_claim),
        confidence=answer.confidence if answer else None,
        relevant=tuple(rank in ranks for rank in range(1, len(record.retrieved) + 1)),
        gold_passages=max(record.evidence_passages, len(ranks)) if question.evidence else 0,
        text=answer.text if answer else "",
        asked=question.text,
    )


def _cited(sentence: Sentence, retrieved: frozenset[str]) -> Cited:
    """Read what the grader saw of the first citations; what is undetermined supports nothing."""
    if not sentence.citations or not retrieved.issuperset(sentence.citations):
        return Cited()
    alone = tuple(stated is True for stated in sentence.citation_support[:MOST_CITATIONS])
    if len(sentence.citations) <= MOST_CITATIONS and len(sentence.leave_one_out_support) in (0, len(alone)):
        return Cited(sentence.joint_support is True, alone, sentence.leave_one_out_support)
    others = tuple(any(alone[:place] + alone[place + 1 :]) for place in range(len(alone)))
    return Cited(any(alone), alone, others if len(alone) > 1 else ())


Items: TypeAlias = "Sequence[Item]"
Figures: TypeAlias = "dict[str, float | None]"
Granularity = Literal["question", "data set"]

# An answer pays if it is right with a chance above 3/4 (Kalai et al. 2025, t = 0.75).
WEIGHTS = {"correct": 1.0, "wrong": -3.0, "unsupported": -3.0, "refused": 0.0}


@dataclass(frozen=True)
class MetricOptions:
    """Options of a metric."""

    answerable: Answerable = "retrieval"  # the reading that a metric's value takes; its figures have both
    weights: dict[str, float] = field(default_factory=WEIGHTS.copy)  # what an answer in each bucket is worth


@dataclass(frozen=True, kw_only=True)
class Derived(Declaration):
    """Declaration of a metric of others: its names, meaning and range, and how it is computed.

    Either ``of`` gives the value of one answer, which the metric averages, or ``over`` gives figures of all
    answers at once, ``value`` among them.
    """

    formula: str
    range: tuple[float, float | None] = (0, 1)  # of its value; with weights of your own it may be another
    from_texts: bool = False  # whether texts alone give it (``trust_eval``), or it needs buckets
    remark: str = ""  # where it differs from its source, or what it cannot see
    of: Callable[[Item, MetricOptions], float | None] | None = None
    over: Callable[[Items, MetricOptions], Figures] | None = None

    @property
    def granularity(self) -> Granularity:
        """Whether a value belongs to one answer, or only to all of them."""
        return "question" if self.of else "data set"


class Measured(Struct, frozen=True, kw_only=True):
    """A metric over the graded answers of a run."""

    name: str
    label: str
    granularity: Granularity
    value: float | None
    n: int  # graded answers, those to which the metric does not apply included
    undefined: int  # answers to which it does not apply; they are not in the mean
    ungraded: int  # answers without a bucket: counted here, and in no figure but the next
    if_wrong: float | None  # the value if each were a wrong answer: failing must not raise a score unseen
    figures: dict[str, float | None] = {}
    rows: list[float | None] = []  # the value of each graded answer; of a data set's metric always the same


@cache
def _declared() -> tuple[dict[str, Derived], dict[str, CodeNotUsable]]:
    return declared("derived", __name__, Derived)


def derived() -> dict[str, Derived]:
    """Metrics by name, published ones that cannot be used left out."""
    return _declared()[0]


def derived_metric(name: str, advice: str = "docs/metrics.md lists them") -> Derived:
    """Metric of a name; raises UnknownName, CodeNotUsable."""
    known, unusable = _declared()
    if name in unusable:
        raise unusable[name]
    if name not in known:
        raise UnknownName("metric", name, known, help=advice)
    return known[name]


def measure(
    names: Iterable[str], items: Items, options: MetricOptions | None = None, *, ungraded: Items = ()
) -> list[Measured]:
    """Metrics over answers, ``ungraded`` ones as if each were wrong; raises UnknownName, CodeNotUsable."""
    wanted = [derived_metric(name) for name in dict.fromkeys(names)]
    return [_measured(metric, items, options or MetricOptions(), ungraded) for metric in wanted]


def _measured(metric: Derived, items: Items, options: MetricOptions, ungraded: Items) -> Measured:
    value, rows, figures = _computed(metric, items, options)
    return Measured(
        name=metric.name,
        label=metric.label,
        granularity=metric.granularity,
        value=value,
        n=len(items),
        undefined=rows.count(None),
        ungraded=len(ungraded),
        if_wrong=_computed(metric, [*items, *ungraded], options)[0] if ungraded else value,
        figures=figures,
        rows=rows,
    )


def _computed(
    metric: Derived, items: Items, options: MetricOptions
) -> tuple[float | None, list[float | None], Figures]:
    if metric.of is not None:
        rows = [metric.of(item, options) for item in items]
        return mean([row for row in rows if row is not None]), rows, {}
    compute: Any = metric.over
    figures = compute(items, options)
    value = figures.pop("value")
    return value, [value] * len(items), figures


def ratio(count: float, n: float) -> float:
    """Share; 0 of nothing, as the publications have it."""
    return count / n if n else 0.0


def harmonic(one: float, other: float) -> float:
    """Harmonic mean; 0 where both are 0."""
    return 2 * one * other / (one + other) if one + other else 0.0


def both_readings(
    compute: Callable[[Items, Answerable], Figures], value: str
) -> Callable[[Items, MetricOptions], Figures]:
    """Figures of both readings of *answerable*; ``value`` names the one that the metric is."""

    def over(items: Items, options: MetricOptions) -> Figures:
        readings = {"retrieval": compute(items, "retrieval"), "corpus": compute(items, "corpus")}
        return {"value": readings[options.answerable][value], **prefixed(readings)}

    return over


def prefixed(readings: Mapping[str, Figures]) -> Figures:
    """Figures of several readings in one, each under the name of its reading."""
    named = ((where, *figure) for where, figures in readings.items() for figure in figures.items())
    return {f"{where}.{name}": value for where, name, value in named}
