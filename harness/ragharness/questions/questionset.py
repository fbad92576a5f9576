"""``QuestionSet``: the questions of one set in row order, with what they were built from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from ragharness.records import Evidence, Question, Stratum, Target

_ENCODER = msgspec.json.Encoder(order="deterministic")


class RowPart(NamedTuple):
    """A row, or one half of grounded/unsupported (documents, clauses): a set holds a fixed share of it."""

    stratum: Stratum
    target: Target = ""
    withheld: str = ""

    @property
    def name(self) -> str:
        """The part as a reader calls it: grounded/unsupported/clause."""
        return "/".join(filter(None, self))


SHARES: dict[RowPart, int] = {
    RowPart("grounded", "correct"): 40,
    RowPart("grounded", "wrong"): 20,
    RowPart("grounded", "unsupported", "document"): 10,
    RowPart("grounded", "unsupported", "clause"): 10,
    RowPart("grounded", "refused"): 20,
    RowPart("unanswerable"): 10,
    RowPart("adversarial"): 10,
    RowPart("null_retrieval"): 10,
}
"""Questions of each row, or part of one, in a set of 130, in row order."""


def _plain(question: Question) -> Question:
    """Question with ``()`` itself for every empty tuple.

    CPython 3.10 has several empty tuples, and the encoder leaves out a default only if it is the very object.
    """
    fields = ((name, getattr(question, name)) for name in question.__struct_fields__)
    tuples = {name: value or () for name, value in fields if isinstance(value, tuple)}
    distractors = (
        replace(distractor, evidence=distractor.evidence or ()) for distractor in question.distractors
    )
    return replace(question, **{**tuples, "distractors": tuple(distractors) or ()})


GAP = "____"  # what stands for the word or figure that a cloze question leaves out of a statement


def is_cloze(question: Question) -> bool:
    """Whether a question quotes a statement with a gap."""
    return GAP in question.text


FEWEST = 60
"""Questions of a set about a folder of the user's below which its shares are too uncertain to be a result."""


def shortfall(questions: QuestionSet) -> str:
    """Why a set that was built about a folder cannot carry a result, and what to do; empty: it can."""
    lacking = [name for name in questions.left_out if name.partition("/")[2] != "unsupported/document"]
    few = (
        f"{len(questions.questions)} questions instead of {FEWEST}"
        if len(questions.questions) < FEWEST
        else ""
    )
    none = f"none of {', '.join(lacking)}" if lacking else ""
    if not (few or none):
        return ""
    return (
        f"the documents of {questions.corpus} carry {' and '.join(filter(None, (few, none)))}. Let a model write"
        f" them: ragharness questions build --corpus {questions.corpus} --model NAME; or give your own:"
        " --questions FILE"
    )


def part_of(question: Question) -> RowPart:
    """Part that a question belongs to."""
    return RowPart(question.stratum, question.target, question.withheld)


def quotas(size: int, left_out: Iterable[str] = ()) -> dict[RowPart, int]:
    """How many questions of each part a set of ``size`` holds: largest remainders, rows in order.

    A part that is left out, by its name, holds none; the others keep their proportions.
    """
    gone = frozenset(left_out)
    shares = {part: 0 if part.name in gone else share for part, share in SHARES.items()}
    total = sum(shares.values())
    counts = {part: size * share // total for part, share in shares.items()}
    rests = sorted(shares, key=lambda part: -(size * shares[part] % total))
    for part in rests[: size - sum(counts.values())]:
        counts[part] += 1
    return counts


@dataclass(frozen=True)
class QuestionSet:
    """Questions in row order; ``size`` is what was asked for, ``notes`` says where it stopped short."""

    corpus: str
    split: str
    corpus_hash: str
    seed: int
    size: int
    questions: tuple[Question, ...]
    frozen: bool = False
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    """Names of the parts of which the documents carry none; ``notes`` says so."""
    places: tuple[int, ...] = ()
    """For a file of the user's, which need not be built as ours are: the line of each question."""
    priors: Mapping[str, str] = field(default_factory=dict)
    """Answer that the documents give most often on a topic, by the topic; none where no two agree."""

    @cached_property
    def hash(self) -> str:
        """The sha256 of the questions as they are written, one JSON object a line."""
        return sha256(self.lines).hexdigest()

    @cached_property
    def lines(self) -> bytes:
        """The questions as JSON lines: the same bytes on every machine."""
        return b"".join(_ENCODER.encode(_plain(question)) + b"\n" for question in self.questions)

    @cached_property
    def by_id(self) -> dict[str, Question]:
        """The questions by their ids."""
        return {question.id: question for question in self.questions}

    @cached_property
    def withheld_documents(self) -> tuple[str, ...]:
        """Documents that must not be in the index, sorted."""
        return tuple(
            sorted({question.document for question in self.questions if question.withheld == "document"})
        )

    @cached_property
    def withheld_spans(self) -> tuple[Evidence, ...]:
        """Spans that no passage of the index may overlap, sorted."""
        spans = {
            span for question in self.questions if question.withheld == "clause" for span in question.evidence
        }
        return tuple(sorted(spans))
