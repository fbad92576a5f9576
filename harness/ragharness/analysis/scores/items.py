"""``Item``: one answer as metrics that others published see it, from records or from texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ragharness.errors import RunNotUsable
from ragharness.records import Question, Record, Sentence

Answerable = Literal["retrieval", "corpus"]
"""Where the answer has to be for a question to count as answerable: in what was retrieved, in the corpus."""

MOST_CITATIONS = 3
"""Citations of a sentence that count (ALCE)."""


@dataclass(frozen=True, slots=True)
class Cited:
    """A sentence of an answer with what its first three citations support."""

    jointly: bool = False
    """They support it together, and all that it cites was retrieved."""
    alone: tuple[bool, ...] = ()
    """Each supports it alone; empty: it cites nothing, or something that was not retrieved."""
    others: tuple[bool, ...] = ()
    """The others support it without this one; empty: there is one, or none."""
    shared: tuple[bool, ...] = ()
    """It states a gold claim that one of the others states too; empty: not looked at."""

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
    in_corpus: bool
    """The corpus that could be searched states the answer: it is neither absent nor withheld."""
    in_retrieval: bool
    """The evidence was retrieved."""
    bucket: str = ""
    matched: bool = False
    """The answer is right, grounded or not."""
    found: float = 0.0
    """Of the gold claims that can be recovered from the passages, the share in the answer."""
    clarifies: bool = False
    """A refusal that asks what the question means."""
    sentences: tuple[Cited, ...] = ()
    """Those that claim something."""
    confidence: float | None = None
    relevant: tuple[bool, ...] = ()
    """For each retrieved passage, in order, whether it is known to hold gold evidence."""
    gold_passages: int = 0
    """Passages that hold gold evidence; 0: not known."""
    text: str = ""
    asked: str = ""

    def answerable(self, where: Answerable) -> bool:
        """Whether the question is answerable in one of the two readings."""
        return self.in_retrieval if where == "retrieval" else self.in_corpus


class Answers(NamedTuple):
    """The answers of a run, in the order of the questions."""

    graded: list[Item]
    ungraded: list[Item]
    """Those without a bucket, and questions not asked, as if each were a wrong answer."""


def items(questions: Sequence[Question], records: Iterable[Record], epochs: int = 1) -> Answers:
    """Return the answers, the last of each question and epoch.

    Raises RunNotUsable for a record whose question is not in the set.
    """
    order = {question.id: number for number, question in enumerate(questions)}
    found: dict[tuple[int, int], Item | None] = {}
    retrieved: set[tuple[int, int]] = set()
    for record in records:
        if record.question not in order:
            raise RunNotUsable(
                f"expected records of the run's own questions, found one of {record.question!r}"
            )
        if record.epoch < epochs:
            place = order[record.question], record.epoch
            found[place] = _item(questions[place[0]], record)
            if any(record.evidence_ranks):
                retrieved.add(place)
    places = [(number, epoch) for number in range(len(questions)) for epoch in range(epochs)]
    return Answers(
        [item for place in places if (item := found.get(place))],
        [
            wrong(questions[place[0]].id, questions[place[0]].wanted == "correct", place in retrieved)
            for place in places
            if not found.get(place)
        ],
    )


def wrong(question: str, in_corpus: bool, in_retrieval: bool) -> Item:
    """Return what counts as a wrong answer in every metric."""
    return Item(
        question=question,
        refused=False,
        in_corpus=in_corpus,
        in_retrieval=in_retrieval,
        bucket="wrong",
        confidence=1.0,
    )


def _item(question: Question, record: Record) -> Item | None:
    verdict, answer = record.verdict, record.answer
    if verdict is None or verdict.bucket is None or record.status != "ok":
        return None
    ranks = {rank for rank in record.evidence_ranks if rank}
    matched = verdict.match == "match"
    retrieved = frozenset(hit.id for hit in record.retrieved)
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
    """Read what the grader saw: citations support a sentence together where one of them does."""
    if not sentence.citations or not retrieved.issuperset(sentence.citations):
        return Cited()
    alone = sentence.citation_support[:MOST_CITATIONS]
    others = tuple(any(alone[:place] + alone[place + 1 :]) for place in range(len(alone)))
    return Cited(any(alone), alone, others if len(alone) > 1 else ())
