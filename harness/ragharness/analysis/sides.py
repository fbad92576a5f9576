"""Reads a run in one pass and keeps what comparing needs of each answer: a few words, no text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import combinations_with_replacement
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from ragharness.errors import RunNotUsable
from ragharness.records import BUCKETS, Record
from ragharness.runner.run_folder import Run, RunFolder

Rule: TypeAlias = Literal["rates", "majority", "any"]
"""What epochs come to: the share of each bucket, the bucket of more than half of them, or the worst."""
Ends: TypeAlias = tuple[float, float]  # the least and the most that a figure can be
DIFFERENCES = ("corpus", "question_set", "grader", "epochs", "citations")  # the same, or allowed by name
WORST_FIRST = ("wrong", "unsupported", "refused", "correct")
BEST_QUALITY = 3
UNLIMITED = float("inf")


class Mark(NamedTuple):
    """What is kept of one answer; None is unknown, or does not apply."""

    bucket: str | None
    status: str
    quality: int | None = None  # refusal quality, 0 to 3
    claims: int | None = None  # claims without a citation
    supports: bool | None = None
    content: str = ""
    """Of an ungraded answer: a digest of what its grader was given; empty: there is no answer."""


class Asked(NamedTuple):
    """What is kept of one question."""

    row: str
    wanted: str
    document: str
    content: int  # the hash of its text, by which questions of two sets are told apart


class Side(NamedTuple):
    """One of the runs that are compared."""

    run: Run
    name: str
    asked: dict[str, Asked]  # in the order of the question set
    marks: dict[str, tuple[Mark, ...]]  # one for each epoch, in their order

    @property
    def epochs(self) -> int:
        """How often each question was asked."""
        return self.run.settings.epochs

    @property
    def wavering(self) -> list[str]:
        """Questions whose graded epochs differ in anything that is compared."""
        graded = {name: {mark for mark in marks if mark.bucket} for name, marks in self.marks.items()}
        return [name for name, marks in graded.items() if len(marks) > 1]

    def ungraded(self) -> dict[str, str]:
        """Questions that have no bucket in some epoch, with the first status that says why."""
        return {
            name: statuses[0]
            for name, marks in self.marks.items()
            if (statuses := [mark.status for mark in marks if mark.bucket is None])
        }


class Settled(NamedTuple):
    """What the epochs of one question come to, as limits where some of them are ungraded."""

    buckets: frozenset[str]  # one bucket, or those that it may still become; of rates all that occur or may
    quality: Ends | None  # the mean quality of its refusals; None: it is no refusal, or none has a quality
    claims: Ends | None  # the mean count of uncited claims of its epochs that answer; None: it is a refusal
    supports: Ends | None = None  # share of its epochs whose citations all support; None: it cites nothing
    shares: tuple[float, ...] = ()  # of its epochs, by bucket; empty: it comes to one bucket
    unknown: float = 0.0  # the share of its epochs that are ungraded

    def share(self, *buckets: str) -> Ends:
        """Share of its epochs that are in one of the buckets, or whether it comes to one of them."""
        if not self.shares:
            return float(self.buckets <= {*buckets}), float(not self.buckets.isdisjoint(buckets))
        low = sum(share for bucket, share in zip(BUCKETS, self.shares, strict=True) if bucket in buckets)
        return low, low + self.unknown


def read_side(folder: RunFolder, like: Side | None = None) -> Side:
    """Run read record by record, sharing the questions of ``like``; raises RunNotUsable if damaged."""
    settings = folder.run.settings
    if like is not None and like.run.settings.question_set == settings.question_set:
        asked = like.asked
    else:
        questions = folder.each_question()
        asked = {q.id: Asked(q.row, q.wanted, q.document, hash((q.text, q.answers))) for q in questions}
    if len(asked) != settings.questions:
        message = f"expected {settings.questions} questions in {folder.path}, found {len(asked)}"
        raise RunNotUsable(message, help="run again into another folder")
    blank = (Mark(None, "not_asked"),) * settings.epochs
    marks = dict.fromkeys(asked, blank)
    known: dict[Mark, Mark] = {}
    for record in folder.records():
        if record.question not in marks:
            raise RunNotUsable(f"expected records of the run's own questions, found {record.question!r}")
        if record.epoch < settings.epochs:
            mark = mark_of(record)
            mark = known.setdefault(mark, mark)
            held = marks[record.question]
            marks[record.question] = (*held[: record.epoch], mark, *held[record.epoch + 1 :])
    return Side(folder.run, folder.name, asked, marks)


def mark_of(record: Record) -> Mark:
    """What is kept of a record."""
    verdict = record.verdict
    if verdict is None:
        return Mark(None, record.status)
    claims = verdict.extra_claim_count
    if claims is None and verdict.sentences:
        # An answer that waits for a person was read all the same.
        claims = sum(each.is_claim and not each.citations for each in verdict.sentences)
    supports = None if verdict.citation_supports is None else verdict.citation_supports == "yes"
    content = ""
    if verdict.bucket is None and (answer := record.answer):
        given = (answer.text, answer.citations, answer.passages), [hit.id for hit in record.retrieved]
        content = blake2b(msgspec.json.encode(given), digest_size=8).hexdigest()
    return Mark(verdict.bucket, record.status, verdict.refusal_quality, claims, supports, content)


def tied(base: tuple[Mark, ...], candidate: tuple[Mark, ...]) -> bool:
    """Whether both runs gave the same answers from the same passages: however they turn out, it is alike."""
    return base == candidate and all(mark.bucket or mark.content for mark in base)


def bucket_of(buckets: tuple[str, ...], rule: Rule) -> str:
    """That of more than half of the epochs; without a majority, and with ``any`` always, the worst."""
    if rule == "majority":
        for bucket in BUCKETS:
            if 2 * buckets.count(bucket) > len(buckets):
                return bucket
    return min(buckets, key=WORST_FIRST.index)


@lru_cache(maxsize=65_536)
def settle(marks: tuple[Mark, ...], rule: Rule) -> Settled:
    """What the epochs of a question come to, however the ungraded ones turn out."""
    graded = tuple(mark.bucket for mark in marks if mark.bucket is not None)
    ungraded = [mark for mark in marks if mark.bucket is None]
    if rule == "rates":
        buckets = frozenset(BUCKETS if ungraded else graded)
    else:
        turns = combinations_with_replacement(BUCKETS, len(ungraded))
        buckets = frozenset(bucket_of((*graded, *turned), rule) for turned in turns)
    qualities = [mark.quality for mark in marks if mark.bucket == "refused" and mark.quality is not None]
    claims = [mark.claims or 0 for mark in marks if mark.bucket not in (None, "refused")]
    open_claims = [(m.claims or 0, UNLIMITED if m.claims is None else m.claims) for m in ungraded]
    cited = [int(mark.supports) for mark in marks if mark.bucket and mark.supports is not None]
    return Settled(
        buckets,
        _ends(qualities, [(0, BEST_QUALITY)] * len(ungraded)) if "refused" in buckets else None,
        _ends(claims, open_claims) if buckets - {"refused"} else None,
        _ends(cited, [(0, 1)] * len(ungraded)),
        tuple(graded.count(bucket) / len(marks) for bucket in BUCKETS) if rule == "rates" else (),
        len(ungraded) / len(marks),
    )


def _ends(values: Sequence[float], ungraded: Sequence[Ends]) -> Ends | None:
    """Limits of the mean of values to which each of the ungraded may add one, or none; None without any."""
    if not values and not ungraded:
        return None
    n = len(values) + len(ungraded)
    means = [(sum(values) + sum(ends)) / n for ends in zip(*ungraded, strict=True)]
    means += [sum(values) / len(values)] if values else []
    return min(means), max(means)


class Pair(NamedTuple):
    """What one question came to in both runs."""

    base: Settled
    candidate: Settled
    tied: bool  # both runs gave the same answer


class Pairs:
    """The questions of both runs, and how often each pair of results occurs."""

    def __init__(self, base: Side, candidate: Side, rule: Rule) -> None:
        self.base = base
        self.candidate = candidate
        marks = {name: (base.marks[name], candidate.marks[name]) for name in common(base, candidate)}
        self.by_question = {
            name: Pair(settle(was, rule), settle(now, rule), tied(was, now))
            for name, (was, now) in marks.items()
        }
        self.counts = Counter(self.by_question.values())

    def tally(self) -> dict[str, dict[str, int]]:
        """How many questions each run has in each bucket, those without one included."""
        tallies = {}
        for side in ("base", "candidate"):
            tallies[side] = counts = dict.fromkeys((*BUCKETS, "ungraded"), 0)
            for pair, times in self.counts.items():
                buckets = getattr(pair, side).buckets
                counts[next(iter(buckets)) if len(buckets) == 1 else "ungraded"] += times
        return tallies

    def where(self, holds: Callable[[Pair], bool]) -> list[str]:
        """Questions for which something holds, in their order."""
        chosen = {pair for pair in self.counts if holds(pair)}
        return [name for name, pair in self.by_question.items() if pair in chosen] if chosen else []


def common(base: Side, candidate: Side) -> Iterator[str]:
    """Yield the questions that both runs were asked, by id and text."""
    for name, asked in base.asked.items():
        other = candidate.asked.get(name)
        if other is asked or (other is not None and other.content == asked.content):
            yield name


def differences(base: Run, candidate: Run) -> dict[str, str]:
    """A phrase for each difference that makes two runs not comparable, by its name in ``allow``."""
    phrases = {}
    for name in DIFFERENCES:
        fields = ("corpus", "split", "corpus_hash") if name == "corpus" else (name,)
        holders = (base, candidate) if name == "citations" else (base.settings, candidate.settings)
        ours, theirs = ([getattr(holder, field) for field in fields] for holder in holders)
        if ours != theirs:
            moved = f"{_words(ours)} in the base, {_words(theirs)} in the candidate"
            phrases[name] = f"{name.replace('_', ' ')}: {moved}"
    return phrases


def _words(values: Sequence[object]) -> str:
    return " ".join(str(value)[:12] for value in values if value != "")
