"""Rubrics: dimensions with weights and thresholds, gates, safety checks; and the parser of their YAML."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from ragharness.errors import RubricNotUsable, UsageError
from ragharness.records import Passage, Question, Record, Verdict
from ragharness.support.files import json_rows

JUDGED = "llm_judge"
SCALE = 10.0  # methods score from 0 to 10; thresholds run from 0 to 100
_LONGEST = 1_000_000  # characters of a file
_ERROR_PATH = re.compile(r" - at `(?:key in )?([^`]*)`$")


class Check(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One question put to an output by one method; in a safety policy passed or failed, never weighed."""

    id: str = ""
    description: str = ""
    method: str = ""
    rule: dict[str, dict[str, Any]] = {}  # names of rules, each with its arguments
    prompt: str = ""
    votes: int | None = None  # calls of the judge for one output
    model: str = ""  # the judge's model; empty: the one given for the run
    human: Literal["", "on_flag", "required"] = ""  # when a person must look


class SafetyPolicy(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The enabled safety checks and the document they come from."""

    reference: str = ""
    checks: tuple[Check, ...] = ()


class Dimension(Check, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One row of a rubric; everything may be missing in a draft."""

    name: str = ""
    method_from: str = ""  # where the method comes from if the source of the rubric states none
    gate: bool = False
    weight: float | None = None
    threshold: float | None = None


class Header(Struct, frozen=True):
    """Identity of a rubric in every report."""

    id: str
    version: str
    owner: str
    hash: str


class Rubric(Struct, frozen=True, kw_only=True, omit_defaults=True, dict=True, forbid_unknown_fields=True):
    """One version of a rubric."""

    id: str = ""
    name: str = ""
    version: str = ""
    owner: str = ""
    status: Literal["draft", "active"] = "draft"
    parent: str = ""  # the version that it was branched from, and its hash: ``rag-answer-1.0@0123456789ab``
    change_class: Literal["", "patch", "minor", "major"] = ""
    safety_policy: SafetyPolicy = SafetyPolicy()
    dimensions: tuple[Dimension, ...] = ()

    @property
    def all_checks(self) -> tuple[Check, ...]:
        """The dimensions and the safety checks."""
        return (*self.dimensions, *self.safety_policy.checks)

    @property
    def title(self) -> str:
        """Id and version, by which it is named."""
        return f"{self.id}-{self.version}"

    @cached_property
    def hash(self) -> str:
        """A digest of everything but the status, which changes no score."""
        content = msgspec.json.encode(msgspec.to_builtins(replace(self, status="draft")), order="sorted")
        return hashlib.sha256(content).hexdigest()[:16]

    @cached_property
    def normalised(self) -> dict[str, float]:
        """The weight of each weighted dimension as a share of all."""
        return normalise({row.id: row.weight or 0.0 for row in self.dimensions if not row.gate})

    @property
    def header(self) -> Header:
        """Its identity in reports."""
        return Header(self.id, self.version, self.owner, self.hash)


def normalise(weights: dict[str, float]) -> dict[str, float]:
    """Weights above 0 as shares that sum to 1."""
    # Scaled first: the sum of large weights may not fit a number.
    largest = max(weights.values(), default=0.0)
    scaled = {name: weight / largest for name, weight in weights.items() if weight > 0}
    total = sum(scaled.values())
    return {name: weight / total for name, weight in scaled.items()}


def weighed(scores: dict[str, float], weights: dict[str, float]) -> float | None:
    """Weighted mean of the dimensions that have a score; None without one."""
    shares = normalise({name: weights[name] for name in scores if name in weights})
    return sum(share * scores[name] for name, share in shares.items()) if shares else None


class Loaded(NamedTuple):
    """A rubric with its file and the line of each value."""

    rubric: Rubric
    lines: dict[str, int]  # by the path of the value: ``$.dimensions[0].weight``
    text: str
    path: Path

    def line(self, value_path: str) -> int:
        """The line of a value, or of its nearest parent if it is missing."""
        while value_path and value_path not in self.lines:
            value_path = value_path[: max(value_path.rfind("."), value_path.rfind("["))]
        return self.lines.get(value_path, 1)


def read_rubric(path: Path) -> Loaded:
    """The rubric in a file; raises RubricNotUsable with the line."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            text = file.read(_LONGEST + 1)
    except (OSError, UnicodeDecodeError) as error:
        raise RubricNotUsable(f"cannot read {path} as a rubric in UTF-8: {error}") from error
    if len(text) > _LONGEST:
        raise RubricNotUsable(f"{path} is no rubric: it has more than {_LONGEST:,} characters")
    return parse(text, path)


def parse(text: str, path: Path) -> Loaded:
    """The rubric in a text; ``path`` names it in errors. Raises RubricNotUsable."""
    import yaml

    loaded = Loaded(Rubric(), {}, text, path)
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            # A few lines of aliases unfold to gigabytes.
            if isinstance(event, yaml.AliasEvent):
                mark: Any = event.start_mark
                raise _error_at(path, mark.line, f"write the value out instead of the alias *{event.anchor}")
        loader = yaml.SafeLoader(text)
        root: Any = loader.get_single_node()
        if root is None:
            raise _error_at(path, 0, "the file is empty")
        for value_path, node in _walk(root, "$", root):
            if value_path in loaded.lines:
                raise _error_at(path, node.start_mark.line, f"the key {node.value} occurs twice")
            loaded.lines[value_path] = node.start_mark.line + 1
        content = loader.construct_document(root)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise _error_at(path, mark.line if mark else 0, f"not valid YAML: {problem}") from error
    except (RecursionError, ValueError, OverflowError, TypeError, AttributeError) as error:
        raise _error_at(path, 0, f"YAML cannot build this document: {error}") from error
    try:
        return loaded._replace(rubric=msgspec.convert(content, Rubric))
    except msgspec.ValidationError as error:
        message, match = str(error), _ERROR_PATH.search(str(error))
        line = loaded.line(match[1] if match else "$")
        raise _error_at(path, line - 1, message[:1].lower() + message[1:]) from error


def _error_at(path: Path, lines_above: int, message: str) -> RubricNotUsable:
    message = f"{path}, line {lines_above + 1}: {message}"
    return RubricNotUsable(message, help="docs/rubrics.md lists the fields of a rubric")


def _walk(node: Any, path: str, start: Any) -> Iterator[tuple[str, Any]]:
    """Yield the path of every value at and below a node, and the node on whose line it starts."""
    yield path, start
    if node.id == "sequence":
        for number, element in enumerate(node.value):
            yield from _walk(element, f"{path}[{number}]", element)
    elif node.id == "mapping":
        for key, value in node.value:
            yield from _walk(value, f"{path}.{key.value}", key)


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
    ok: bool = True  # whether it succeeded


class Source(Struct, frozen=True, omit_defaults=True):
    """One piece of the context."""

    id: str
    text: str
    title: str = ""


class Item(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One output; empty fields are unknown."""

    id: str = ""
    input: str = ""
    output: str | None = None  # None: there is none, which is counted and never scored
    context: tuple[str | Source, ...] = ()
    messages: tuple[Message, ...] = ()
    tool_calls: tuple[ToolCall, ...] | None = None  # None: whether any was made is unknown
    expected: str = ""
    facts: dict[str, Any] = {}  # what rules compare with: intent, slots, labels, the verdict of the ship gate
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
    score: Annotated[float, Meta(ge=0, le=10)]  # from 0 to 10; for a gate 10 passes
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
        message = f"object {len(rows) + 1} of {path} cannot be read: {error} (its fields are {fields})"
        raise UsageError(message, help="docs/rubrics.md shows the fields of a line") from error
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
