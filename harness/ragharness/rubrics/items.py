"""What a rubric scores: outputs, what people say of them; and the scores that come of it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from ragharness.errors import UsageError
from ragharness.graders.judging.votes import Taken
from ragharness.records import Passage, Question, Record, Verdict
from ragharness.rubrics.rubric import Header
from ragharness.support.rows import json_rows

T = TypeVar("T")
_Text = Annotated[str, Meta(min_length=1)]


class Message(Struct, frozen=True):
    """One earlier turn of the conversation, or an earlier output."""

    role: str
    content: str


class ToolCall(Struct, frozen=True, omit_defaults=True):
    """A call that the system made."""

    name: str
    arguments: dict[str, Any] = {}
    ok: bool = True
    """Whether it did what it should."""


class Source(Struct, frozen=True, omit_defaults=True):
    """One piece of the context."""

    id: str
    text: str
    title: str = ""


class Item(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One output; what is empty is not known."""

    id: str = ""
    input: str = ""
    output: str | None = None
    """None: there is none, which is counted and never scored."""
    context: tuple[str | Source, ...] = ()
    messages: tuple[Message, ...] = ()
    tool_calls: tuple[ToolCall, ...] | None = None
    """None: it is not known whether any was made."""
    expected: str = ""
    facts: dict[str, Any] = {}
    """What rules compare with: intent, slots, labels, the verdict of the ship gate."""
    verdict: Verdict | None = None

    @property
    def text(self) -> str:
        """The output."""
        return self.output or ""

    @property
    def json(self) -> dict[str, Any] | None:
        """The JSON object that the output is; None for anything else."""
        try:
            held = json.loads(self.text)
        except (ValueError, RecursionError):
            return None
        return held if isinstance(held, dict) else None

    @property
    def calls(self) -> list[str]:
        """The calls of tools as JSON."""
        return [msgspec.json.encode(each).decode() for each in self.tool_calls or ()]

    @property
    def passages(self) -> list[Passage]:
        """The context, each piece under its id or its number."""
        return [
            _passage(str(n), each) if isinstance(each, str) else _passage(each.id, each.text, each.title)
            for n, each in enumerate(self.context, 1)
        ]

    def sources(self, names: Iterable[str]) -> list[Passage]:
        """Return the texts that claims are checked against: context, input, messages, tool_calls."""
        said = [each.content for each in self.messages]
        texts = {"input": [self.input], "messages": said, "tool_calls": self.calls}
        found = {name: [_passage(name, each) for each in held if each] for name, held in texts.items()}
        found["context"] = self.passages
        return [each for name in names for each in found[name]]


class Opinion(Struct, frozen=True, forbid_unknown_fields=True):
    """One person's score of one dimension or safety check: kept beside the method's, never on top."""

    item: _Text
    dimension: _Text
    score: Annotated[float, Meta(ge=0, le=10)]
    """From 0 to 10; of a gate 10 passes."""
    reason: _Text
    who: _Text
    when: _Text


Opinions = dict[tuple[str, str], Opinion]


def read_items(path: Path) -> list[Item]:
    """Return the outputs of a JSONL file; raises UsageError with the object that cannot be read."""
    found = enumerate(_rows(path, Item, "input and output"), 1)
    items = [each if each.id else replace(each, id=str(number)) for number, each in found]
    twice = [name for name, count in Counter(each.id for each in items).items() if count > 1]
    if twice:
        raise UsageError(f"expected outputs with ids of their own in {path}, found {twice[0]!r} twice")
    return items


def read_opinions(path: Path) -> Opinions:
    """Return the opinions of a JSONL file by item and dimension, the last of each; raises UsageError."""
    found = _rows(path, Opinion, "item, dimension, score, reason, who and when")
    return {(each.item, each.dimension): each for each in found}


def _rows(path: Path, kind: type[T], wanted: str) -> list[T]:
    found: list[T] = []
    try:
        found.extend(msgspec.convert(row, kind) for row in json_rows(path, f"objects with {wanted}"))
    except msgspec.ValidationError as error:
        told = f"expected {wanted} in object {len(found) + 1} of {path}, found: {error}"
        raise UsageError(told, help="docs/rubrics.md shows the fields of a line") from error
    return found


def items_of_run(
    questions: Sequence[Question], graded: Iterable[tuple[Record, Sequence[Passage]]], ship_gate: str = ""
) -> Iterator[Item]:
    """Yield the outputs of a run in the order of its questions, then those that are missing."""
    asked = {each.id: each for each in questions}
    place = {name: number for number, name in enumerate(asked)}
    for record, passages in sorted(graded, key=lambda each: (place[each[0].question], each[0].epoch)):
        question = asked[record.question]
        place.pop(record.question, None)
        yield Item(
            id=f"{record.question}/{record.epoch}" if record.epoch else record.question,
            input=question.text,
            output=record.answer.text if record.answer else None,
            context=tuple(Source(each.id, each.text, each.title) for each in passages),
            expected="; ".join(question.answers),
            facts={"wanted": record.wanted, **({"ship_gate": ship_gate} if ship_gate else {})},
            verdict=record.verdict,
        )
    for name in place:
        yield Item(id=name, input=asked[name].text)


def _passage(name: str, text: str, title: str = "") -> Passage:
    return Passage(name, "", title, 0, len(text), text)


NOT_ALIKE = "not apples-to-apples: the scores are by different rubrics or versions; shared dimensions only"

Status = Literal["scored", "not_applicable", "invalid", "open", "no_output"]
RubricVerdict = Literal["pass", "fail", "incomplete"]


class Votes(Struct, frozen=True):
    """The votes on one output: a vote that cannot be read makes them invalid, never 0."""

    scores: tuple[float, ...]
    mean: float | None
    variance: float | None
    """Of the sample; None for one vote."""
    raw: tuple[str, ...]
    """Every reply, those too that cannot be read."""
    rationale: str = ""
    taken: Taken = Taken()


class Mark(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One dimension of one output."""

    dimension: str
    status: Status
    score100: float | None = None
    passes: bool | None = None
    told: str = ""
    votes: tuple[Votes, ...] = ()
    people: tuple[Opinion, ...] = ()
    human100: float | None = None
    """What people say, beside the score."""


class ItemScore(Struct, frozen=True):
    """One output."""

    id: str
    verdict: RubricVerdict
    total: float | None
    marks: tuple[Mark, ...]


class DimensionScore(Struct, frozen=True, kw_only=True):
    """One dimension over all outputs."""

    id: str
    name: str
    method: str
    gate: bool
    weight: float | None
    """As the rubric has it; ``share`` is that of the sum of those that have a score."""
    share: float | None
    threshold: float | None
    outputs: dict[str, int]
    """How many outputs are of each status."""
    mean: float | None
    """From 0 to 100, over the scored outputs; of a gate the share that passes."""
    passed: int
    passes: bool | None
    effective: float | None
    """The mean with the score of a person in the place of the method's where there is one."""
    variance: float | None
    """Mean sample variance of the judge's votes, from 0 to 10."""
    taken: Taken


class RubricScores(Struct, frozen=True, kw_only=True):
    """Everything that a report says."""

    rubric: Header
    verdict: RubricVerdict
    total: float | None
    outputs: int
    dimensions: tuple[DimensionScore, ...]
    items: tuple[ItemScore, ...]
    judge: str = ""
    embedding: str = ""
    notes: tuple[str, ...] = ()


def read_scores(path: Path) -> RubricScores:
    """Return scores that were kept as JSON; raises UsageError."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=RubricScores)
    except (OSError, msgspec.MsgspecError) as error:
        raise UsageError(f"expected scores by a rubric in {path}, found: {error}") from error


class ScoresBeside(Struct, frozen=True):
    """Two scores; totals only where the rubric is the same."""

    rubrics: tuple[Header, Header]
    banner: str
    dimensions: dict[str, tuple[float | None, float | None]]
    totals: tuple[float | None, float | None] | None


def compare_scores(first: RubricScores, second: RubricScores) -> ScoresBeside:
    """Return two scores side by side: across versions under a banner, and only what they share."""
    same = first.rubric == second.rubric
    theirs = {each.id: each.mean for each in second.dimensions}
    shared = {each.id: (each.mean, theirs[each.id]) for each in first.dimensions if each.id in theirs}
    totals = (first.total, second.total) if same else None
    return ScoresBeside((first.rubric, second.rubric), "" if same else NOT_ALIKE, shared, totals)
