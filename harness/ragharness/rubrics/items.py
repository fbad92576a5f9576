"""What a rubric scores: outputs with their inputs, and what people say of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta, Struct

from ragharness.errors import UsageError
from ragharness.records import Passage, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from ragharness.records import Answer, Question, Record


class Marked(NamedTuple):
    """A score from 0 to 10, and why."""

    score: float
    told: str = ""


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
    def passages(self) -> tuple[Passage, ...]:
        """The context, each piece under its id or its number."""
        pieces = (
            Source(str(number), each) if isinstance(each, str) else each
            for number, each in enumerate(self.context, 1)
        )
        return tuple(Passage(each.id, "", each.title, 0, len(each.text), each.text) for each in pieces)

    def sources(self, names: Iterable[str]) -> list[Passage]:
        """Return the texts that claims are checked against: context, input, messages, tool calls."""
        found: list[Passage] = []
        for name in names:
            if name == "context":
                found += self.passages
                continue
            texts = {
                "input": [self.input],
                "messages": [each.content for each in self.messages],
                "tool_calls": [msgspec.json.encode(each).decode() for each in self.tool_calls or ()],
            }.get(name, [])
            found += [Passage(f"{name} {n}", "", "", 0, len(t), t) for n, t in enumerate(texts, 1) if t]
        return found


def item_of(
    question: Question | str, answer: Answer | str, passages: Sequence[Passage | str], golds: Sequence[str]
) -> Item:
    """Return one output that was handed over."""
    return Item(
        id="1",
        input=question if isinstance(question, str) else question.text,
        output=answer if isinstance(answer, str) else answer.text,
        context=tuple(p if isinstance(p, str) else Source(p.id, p.text, p.title) for p in passages),
        expected="; ".join(golds or (() if isinstance(question, str) else question.answers)),
    )


_ITEM = msgspec.json.Decoder(Item)


def read_items(path: Path) -> tuple[Item, ...]:
    """Return the outputs of a JSONL file; raises UsageError with the line that cannot be read."""
    items: list[Item] = []
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    items.append(_item(path, number, line))
    except OSError as error:
        raise UsageError(f"expected outputs in {path}, found: {error.strerror}") from error
    ids = [each.id for each in items]
    twice = next((each for each in ids if ids.count(each) > 1), "") if len(set(ids)) < len(ids) else ""
    if twice or not items:
        found = f"{twice!r} twice" if twice else "none"
        raise UsageError(f"expected outputs with ids of their own in {path}, found {found}")
    return tuple(items)


def _item(path: Path, number: int, line: bytes) -> Item:
    try:
        item = _ITEM.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise UsageError(
            f"expected an object with input and output in line {number} of {path}, found: {error}",
            help='{"id": "1", "input": "...", "output": "...", "context": ["..."]}',
        ) from error
    return item if item.id else msgspec.structs.replace(item, id=str(number))


def items_of_run(
    questions: Sequence[Question], graded: Iterable[tuple[Record, Sequence[Passage]]], ship_gate: str = ""
) -> Iterator[Item]:
    """Yield the outputs of a run; a question without a record is an output that is missing."""
    facts = {"ship_gate": ship_gate} if ship_gate else {}
    asked = {each.id: each for each in questions}
    left = dict.fromkeys(asked)
    for record, passages in graded:
        question = asked[record.question]
        left.pop(record.question, None)
        yield Item(
            id=f"{record.question}/{record.epoch}" if record.epoch else record.question,
            input=question.text,
            output=record.answer.text if record.answer else None,
            context=tuple(Source(each.id, each.text, each.title) for each in passages),
            expected="; ".join(question.answers),
            facts={**facts, "wanted": record.wanted},
            verdict=record.verdict,
        )
    for name in left:
        yield Item(id=name, input=asked[name].text)


_Text = Annotated[str, Meta(min_length=1)]


class Opinion(Struct, frozen=True, forbid_unknown_fields=True):
    """One person's score of one dimension or safety check: kept beside the method's, never on top."""

    item: _Text
    dimension: _Text
    score: Annotated[float, Meta(ge=0, le=10)]
    """From 0 to 10; of a gate 10 passes."""
    reason: _Text
    who: _Text
    when: _Text


def read_opinions(path: Path) -> tuple[Opinion, ...]:
    """Return the opinions of a JSONL file, of several on the same the last; raises UsageError."""
    found: dict[tuple[str, str], Opinion] = {}
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise UsageError(f"expected opinions of people in {path}, found: {error.strerror}") from error
    number = 1
    try:
        for number, line in enumerate(lines, 1):  # noqa: B007 (told below)
            if line.strip():
                opinion = msgspec.json.decode(line, type=Opinion)
                found[opinion.item, opinion.dimension] = opinion
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise UsageError(
            f"expected item, dimension, score, reason, who, when in line {number} of {path}, found: {error}"
        ) from error
    return tuple(found.values())


def json_object(text: str) -> dict[str, Any] | None:
    """Return the JSON object that a text is; None for anything else."""
    try:
        held = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return held if isinstance(held, dict) else None
