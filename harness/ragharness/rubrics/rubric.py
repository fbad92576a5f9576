"""A rubric: dimensions with weights and thresholds, gates, safety checks; and the reader of its file."""

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
_PLACE = re.compile(r" - at `(?:key in )?([^`]*)`$")


class Check(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What is asked of an output by one method; in a safety policy passed or failed, never weighed."""

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
    """Which safety checks are enabled."""

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
    """What every report says of its rubric."""

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
    def asked(self) -> tuple[Check, ...]:
        """The dimensions and the safety checks."""
        return (*self.dimensions, *self.safety_policy.checks)

    @property
    def title(self) -> str:
        """Id and version: how it is named."""
        return f"{self.id}-{self.version}"

    @cached_property
    def hash(self) -> str:
        """A digest of everything but the status, which changes no score."""
        content = msgspec.json.encode(msgspec.to_builtins(replace(self, status="draft")), order="sorted")
        return hashlib.sha256(content).hexdigest()[:16]

    @cached_property
    def normalised(self) -> dict[str, float]:
        """The weight of each weighted dimension as a share of all."""
        return normalise({each.id: each.weight or 0.0 for each in self.dimensions if not each.gate})

    @property
    def header(self) -> Header:
        """What every report says of it."""
        return Header(self.id, self.version, self.owner, self.hash)


def normalise(weights: dict[str, float]) -> dict[str, float]:
    """Return the weights above 0 as shares that sum to 1."""
    # Scaled first: the sum of large weights may not fit a number.
    largest = max(weights.values(), default=0.0)
    scaled = {name: weight / largest for name, weight in weights.items() if weight > 0}
    whole = sum(scaled.values())
    return {name: weight / whole for name, weight in scaled.items()}


def weighed(scores: dict[str, float], weights: dict[str, float]) -> float | None:
    """Return the weighted mean of the dimensions that have a score; None without one."""
    shares = normalise({name: weights[name] for name in scores if name in weights})
    return sum(share * scores[name] for name, share in shares.items()) if shares else None


class Loaded(NamedTuple):
    """A rubric and where each of its values stands."""

    rubric: Rubric
    lines: dict[str, int]
    """The line of each value by its path: ``$.dimensions[0].weight``."""
    text: str
    path: Path

    def line(self, place: str) -> int:
        """Return the line of a value, of what it belongs to where it is missing."""
        while place and place not in self.lines:
            place = place[: max(place.rfind("."), place.rfind("["))]
        return self.lines.get(place, 1)


def read_rubric(path: Path) -> Loaded:
    """Return the rubric of a file; raises RubricNotUsable with line, expected and found."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            text = file.read(_LONGEST + 1)
    except (OSError, UnicodeDecodeError) as error:
        raise RubricNotUsable(f"expected a rubric in UTF-8 at {path}, found: {error}") from error
    if len(text) > _LONGEST:
        raise RubricNotUsable(f"expected a rubric of at most {_LONGEST:,} characters, found more in {path}")
    return parse(text, path)


def parse(text: str, path: Path) -> Loaded:
    """Return the rubric of a text; ``path`` names it in errors. Raises RubricNotUsable."""
    import yaml

    found = Loaded(Rubric(), {}, text, path)
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            # A few lines of values that stand for others unfold to gigabytes.
            if isinstance(event, yaml.AliasEvent):
                at: Any = event.start_mark
                raise _refused(path, at.line, f"expected every value written out, found *{event.anchor}")
        loader = yaml.SafeLoader(text)
        node: Any = loader.get_single_node()
        if node is None:
            raise _refused(path, 0, "expected a rubric, found an empty file")
        for place, each in _places(node, "$", node):
            if place in found.lines:
                raise _refused(path, each.start_mark.line, f"expected {each.value} once, found it twice")
            found.lines[place] = each.start_mark.line + 1
        plain = loader.construct_document(node)
    except yaml.YAMLError as error:
        mark: Any = getattr(error, "problem_mark", None)
        said = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise _refused(path, mark.line if mark else 0, f"expected YAML, found {said}") from error
    except (RecursionError, ValueError, OverflowError, TypeError, AttributeError) as error:
        raise _refused(path, 0, f"expected a rubric, found what YAML cannot build: {error}") from error
    try:
        return found._replace(rubric=msgspec.convert(plain, Rubric))
    except msgspec.ValidationError as error:
        told, named = str(error), _PLACE.search(str(error))
        line = found.line(named[1] if named else "$")
        raise _refused(path, line - 1, told[:1].lower() + told[1:]) from error


def _refused(path: Path, above: int, told: str) -> RubricNotUsable:
    told = f"{path}, line {above + 1}: {told}"
    return RubricNotUsable(told, help="docs/rubrics.md lists the fields of a rubric")


def _places(node: Any, place: str, begins: Any) -> Iterator[tuple[str, Any]]:
    """Yield the path of every value at and below a node, and the node at whose line it begins."""
    yield place, begins
    if node.id == "sequence":
        for number, each in enumerate(node.value):
            yield from _places(each, f"{place}[{number}]", each)
    elif node.id == "mapping":
        for key, value in node.value:
            yield from _places(value, f"{place}.{key.value}", key)
