"""Rubrics: dimensions with weights and thresholds, gates, safety checks; and the parser of their YAML."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ragharness.errors import RubricNotUsable

JUDGED = "llm_judge"
SCALE = 10.0
"""Methods score from 0 to 10; thresholds run from 0 to 100."""

_LONGEST = 1_000_000
"""Characters of a file."""
_ERROR_PATH = re.compile(r" - at `(?:key in )?([^`]*)`$")


class Check(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One question put to an output by one method; in a safety policy passed or failed, never weighed."""

    id: str = ""
    description: str = ""
    method: str = ""
    rule: dict[str, dict[str, Any]] = {}
    """Names of rules, each with its arguments."""
    prompt: str = ""
    votes: int | None = None
    """Calls of the judge for one output."""
    model: str = ""
    """The judge's model; empty: the one given for the run."""
    human: Literal["", "on_flag", "required"] = ""
    """When a person must look: at what a detector flags, or at every output."""


class SafetyPolicy(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The enabled safety checks and the document they come from."""

    reference: str = ""
    checks: tuple[Check, ...] = ()


class Dimension(Check, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One row of a rubric; everything may be missing in a draft."""

    name: str = ""
    method_from: str = ""
    """Where the method comes from if the source of the rubric states none."""
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
    parent: str = ""
    """The version that it was branched from, and its hash: ``rag-answer-1.0@0123456789ab``."""
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
    lines: dict[str, int]
    """By the path of the value: ``$.dimensions[0].weight``."""
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
    return RubricNotUsable(
        f"{path}, line {lines_above + 1}: {message}", help="docs/rubrics.md lists the fields of a rubric"
    )


def _walk(node: Any, path: str, start: Any) -> Iterator[tuple[str, Any]]:
    """Yield the path of every value at and below a node, and the node on whose line it starts."""
    yield path, start
    if node.id == "sequence":
        for number, element in enumerate(node.value):
            yield from _walk(element, f"{path}[{number}]", element)
    elif node.id == "mapping":
        for key, value in node.value:
            yield from _walk(value, f"{path}.{key.value}", key)
