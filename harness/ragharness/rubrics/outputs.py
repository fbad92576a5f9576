"""Outputs that a rubric scores, and people's opinions of them: both read from JSON Lines."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from ragharness.errors import UsageError
from ragharness.records import Passage, Question, Record, Verdict
from ragharness.support.files import json_rows

T = TypeVar("T")
_Text = Annotated[str, Meta(min_length=1)]


class Message(Struct, frozen=True):
    """An earlier turn of the conversation, or an earlier output."""

    role: str
    content: str


class ToolCall(Struct, frozen=True, omit_defaults=True):
    """A call that the system made."""

    name: str
    arguments: dict[str, Any] = {}
    ok: bool = True
    """Whether it succeeded."""


class Source(Struct, frozen=True, omit_defaults=True):
    """One piece of the context."""

    id: str
    text: str
    title: str = ""


class Item(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One output; empty fields are unknown."""

    id: str = ""
    input: str = ""
    output: str | None = None
    """None: there is none, which is counted and never scored."""
    context: tuple[str | Source, ...] = ()
    messages: tuple[Message, ...] = ()
    tool_calls: tuple[ToolCall, ...] | None = None
    """None: whether any was made is unknown."""
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
        """The output as a JSON object; None if it is none."""
        try:
            content = json.loads(self.text)
        except (ValueError, RecursionError):
            return None
        return content if isinstance(content, dict) else None

    @property
    def calls(self) -> list[str]:
        """The tool calls as JSON."""
        return [msgspec.json.encode(call).decode() for call in self.tool_calls or ()]

    @property
    def passages(self) -> list[Passage]:
        """The context, each piece under its id or its number."""
        return [
            _passage(str(number), piece)
            if isinstance(piece, str)
            else _passage(piece.id, piece.text, piece.title)
            for number, piece in enumerate(self.context, 1)
        ]

    def sources(self, names: Iterable[str]) -> list[Passage]:
        """The texts that claims are checked against: context, input, messages, tool_calls."""
        messages = [message.content for message in self.messages]
        texts = {"input": [self.input], "messages": messages, "tool_calls": self.calls}
        passages = {name: [_passage(name, text) for text in group if text] for name, group in texts.items()}
        passages["context"] = self.passages
        return [passage for name in names for passage in passages[name]]


def _passage(name: str, text: str, title: str = "") -> Passage:
    return Passage(name, "", title, 0, len(text), text)


class Opinion(Struct, frozen=True, forbid_unknown_fields=True):
    """One person's score of a dimension or safety check: kept beside the method's, never mixed in."""

    item: _Text
    dimension: _Text
    score: Annotated[float, Meta(ge=0, le=10)]
    """From 0 to 10; for a gate 10 passes."""
    reason: _Text
    who: _Text
    when: _Text


Opinions = dict[tuple[str, str], Opinion]


def read_items(path: Path) -> list[Item]:
    """The outputs in a JSONL file; raises UsageError with the object that cannot be read."""
    rows = enumerate(_rows(path, Item, "input and output"), 1)
    items = [item if item.id else replace(item, id=str(number)) for number, item in rows]
    repeated = [name for name, count in Counter(item.id for item in items).items() if count > 1]
    if repeated:
        raise UsageError(f"two outputs in {path} have the id {repeated[0]!r}")
    return items


def read_opinions(path: Path) -> Opinions:
    """The opinions in a JSONL file by item and dimension, the last of each; raises UsageError."""
    rows = _rows(path, Opinion, "item, dimension, score, reason, who and when")
    return {(opinion.item, opinion.dimension): opinion for opinion in rows}


def _rows(path: Path, kind: type[T], fields: str) -> list[T]:
    rows: list[T] = []
    try:
        rows.extend(msgspec.convert(row, kind) for row in json_rows(path, f"objects with {fields}"))
    except msgspec.ValidationError as error:
        raise UsageError(
            f"object {len(rows) + 1} of {path} cannot be read: {error} (its fields are {fields})",
            help="docs/rubrics.md shows the fields of a line",
        ) from error
    return rows


def items_of_run(
    questions: Sequence[Question], graded: Iterable[tuple[Record, Sequence[Passage]]], ship_gate: str = ""
) -> Iterator[Item]:
    """Yield the outputs of a run in the order of its questions, then those that are missing."""
    by_id = {question.id: question for question in questions}
    order = {name: number for number, name in enumerate(by_id)}
    missing = dict.fromkeys(by_id)
    for record, passages in sorted(graded, key=lambda pair: (order[pair[0].question], pair[0].epoch)):
        question = by_id[record.question]
        missing.pop(record.question, None)
        yield Item(
            id=f"{record.question}/{record.epoch}" if record.epoch else record.question,
            input=question.text,
            output=record.answer.text if record.answer else None,
            context=tuple(Source(passage.id, passage.text, passage.title) for passage in passages),
            expected="; ".join(question.answers),
            facts={"wanted": record.wanted, **({"ship_gate": ship_gate} if ship_gate else {})},
            verdict=record.verdict,
        )
    for name in missing:
        yield Item(id=name, input=by_id[name].text)
