"""What a rubric scores: outputs with their inputs, and what people say of them."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from ragharness.errors import UsageError
from ragharness.records import Passage, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from ragharness.records import Question, Record

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


class Opinion(Struct, frozen=True, forbid_unknown_fields=True):
    """One person's score of one dimension or safety check: kept beside the method's, never on top."""

    item: _Text
    dimension: _Text
    score: Annotated[float, Meta(ge=0, le=10)]
    """From 0 to 10; of a gate 10 passes."""
    reason: _Text
    who: _Text
    when: _Text


def read_items(path: Path) -> list[Item]:
    """Return the outputs of a JSONL file; raises UsageError with the line that cannot be read."""
    found = _rows(path, Item, "input and output")
    items = [each if each.id else replace(each, id=str(number)) for number, each in found]
    twice = next((name for name, count in Counter(each.id for each in items).items() if count > 1), "")
    if twice or not items:
        told = f"{twice!r} twice" if twice else "none"
        raise UsageError(f"expected outputs with ids of their own in {path}, found {told}")
    return items


def read_opinions(path: Path) -> tuple[Opinion, ...]:
    """Return the opinions of a JSONL file, of several on the same the last; raises UsageError."""
    found = _rows(path, Opinion, "item, dimension, score, reason, who, when")
    return tuple({(each.item, each.dimension): each for _, each in found}.values())


def _rows(path: Path, kind: type[T], wanted: str) -> list[tuple[int, T]]:
    number, found = 0, []
    try:
        for number, line in enumerate(path.read_bytes().splitlines(), 1):
            if line.strip():
                found.append((number, msgspec.json.decode(line, type=kind)))
    except OSError as error:
        raise UsageError(f"expected lines with {wanted} in {path}, found: {error.strerror}") from error
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        told = f"expected an object with {wanted} in line {number} of {path}, found: {error}"
        raise UsageError(told, help="docs/rubrics.md shows the fields of a line") from error
    return found


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


def json_object(text: str) -> dict[str, Any] | None:
    """Return the JSON object that a text is; None for anything else."""
    try:
        held = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return held if isinstance(held, dict) else None
