"""What a rubric must have before it can be activated; a draft may lack any of it."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import msgspec
from msgspec import Meta, Struct

from ragharness.rubrics.changes import change_class
from ragharness.rubrics.rubric import JUDGED, METHODS, MOST_DIMENSIONS, Check, Dimension
from ragharness.rubrics.rules import fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragharness.rubrics.reading import Loaded
    from ragharness.rubrics.rubric import Rubric

ADVISED = range(4, 9)
"""Dimensions: fewer hide failures, more are not read."""

MOST_VOTES = 25
_ID = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
VERSION = re.compile(r"\d{1,6}\.\d{1,6}")
_UNTIED = frozenset({"final", "current", "latest", "new"})
_WORD = re.compile(r"[^\W_]+")
_EMPTY = frozenset(
    {"a", "an", "and", "be", "how", "is", "it", "must", "of", "output", "s", "should", "the", "this"}
)
_PERSONAL = re.compile(r"(?i)\bpii\b|\bpersonal(?:ly)? (?:data|identif\w+|information)")


class Claims(Struct, forbid_unknown_fields=True):
    """Arguments of the rule ``claims``: what claims are checked against, the field of a JSON output."""

    against: Annotated[list[Literal["context", "input", "messages", "tool_calls"]], Meta(min_length=1)]
    field: str = ""


class Cosine(Struct, forbid_unknown_fields=True):
    """Arguments of the rule ``cosine``: the cosines that score 0 and 10."""

    to: Literal["expected", "input"]
    zero_at: float
    ten_at: float


_ONLY_RULE: dict[str, tuple[str, type[Claims | Cosine]]] = {
    "semantic_similarity": ("cosine", Cosine),
    "claim_pipeline": ("claims", Claims),
    "groundedness": ("claims", Claims),
}


class Problem(NamedTuple):
    """Why a rubric cannot be activated, or what is advised against."""

    rule: int
    """The line of the checklist: 1 fields, 2 weights, 3 dimensions, 4 descriptions, 5 methods, 6 thresholds,
    7 prompts and rules, 8 versions, 18 safety checks."""
    place: str
    """The path of the value."""
    expected: str
    found: object
    advice: bool = False
    line: int = 0

    def __str__(self) -> str:
        return f"line {self.line}: expected {self.expected}, found {_shown(self.found)}"


def check(loaded: Loaded, parent: Rubric | None = None) -> list[Problem]:
    """Return every problem of a rubric in the order of its lines; ``parent``: what it was branched from."""
    found = [*_fields(loaded.rubric), *_weights(loaded.rubric), *_dimensions(loaded.rubric)]
    found += [*_policy(loaded.rubric), *_version(loaded.rubric, parent)]
    problems = [each._replace(line=loaded.line(each.place)) for each in found]
    return sorted(problems, key=lambda each: (each.line, each.rule))


def _shown(value: object) -> str:
    return value if isinstance(value, str) and value else "none" if value in ("", None) else f"{value}"


def _fields(rubric: Rubric) -> Iterator[Problem]:
    for name in ("id", "version", "owner"):
        if not getattr(rubric, name).strip():
            yield Problem(1, f"$.{name}", f"a field {name}", "none")
    if rubric.id and not _ID.fullmatch(rubric.id):
        yield Problem(1, "$.id", "an id of small letters, digits and hyphens", repr(rubric.id))
    if rubric.version and not VERSION.fullmatch(rubric.version):
        yield Problem(1, "$.version", "a version such as 1.0", repr(rubric.version))
    if not rubric.dimensions:
        yield Problem(1, "$.dimensions", "dimensions", "none")
    if not rubric.safety_policy.reference.strip():
        yield Problem(1, "$.safety_policy", "safety_policy with a reference", "none")
    untied = _UNTIED & set(_words(f"{rubric.id} {rubric.name}"))
    for word in sorted(untied):
        yield Problem(1, "$.id", "a name tied to the product's version", repr(word), advice=True)


def _weights(rubric: Rubric) -> Iterator[Problem]:
    for number, each in enumerate(rubric.dimensions):
        place = f"$.dimensions[{number}].weight"
        if each.gate:
            if each.weight is not None:
                yield Problem(2, place, f"no weight on the gate {each.id}", f"{each.weight:g}")
        elif each.weight is None or not 0 <= each.weight < math.inf:
            yield Problem(2, place, f"a weight of {each.id} from 0", each.weight)
    if rubric.dimensions and not rubric.normalised:
        yield Problem(2, "$.dimensions", "a dimension with a weight above 0", "none")


def _dimensions(rubric: Rubric) -> Iterator[Problem]:
    count = len(rubric.dimensions)
    if count > MOST_DIMENSIONS:
        extra = f"$.dimensions[{MOST_DIMENSIONS}]"
        yield Problem(3, extra, f"at most {MOST_DIMENSIONS} dimensions, gates included", count)
    elif count and count not in ADVISED:
        yield Problem(3, "$.dimensions", "4 to 8 dimensions, as is advised", count, advice=True)
    seen: set[str] = set()
    for number, each in enumerate(rubric.dimensions):
        place = f"$.dimensions[{number}]"
        if not _ID.fullmatch(each.id):
            yield Problem(1, f"{place}.id", "an id of small letters, digits and hyphens", each.id)
        elif each.id in seen:
            yield Problem(1, f"{place}.id", "an id of its own", f"{each.id} twice")
        seen.add(each.id)
        if _restates(each):
            yield Problem(4, f"{place}.description", f"{each.id} to say more than its name", each.description)
        yield from _method(each, place, rubric)
        yield from _threshold(each, f"{place}.threshold")


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold().replace("_", " "))


def _restates(each: Dimension) -> bool:
    """Say whether a description holds no word that the name and id do not hold."""
    return set(_words(each.description)) - _EMPTY <= set(_words(f"{each.name} {each.id}"))


def _threshold(each: Dimension, place: str) -> Iterator[Problem]:
    if each.gate:
        if each.threshold is not None:
            yield Problem(6, place, f"no threshold on the gate {each.id}: it passes or fails", each.threshold)
    elif each.threshold is None or not 0 <= each.threshold <= 100:
        yield Problem(6, place, f"a threshold of {each.id} from 0 to 100", each.threshold)


def _method(each: Check, place: str, rubric: Rubric) -> Iterator[Problem]:
    gate = not isinstance(each, Dimension) or each.gate
    allowed = [name for name in METHODS if name != "safety_layer" or isinstance(each, Dimension)]
    if each.method not in allowed:
        yield Problem(5, f"{place}.method", f"a method of {each.id}: {', '.join(allowed)}", each.method)
        return
    if each.method == "safety_layer":
        if not gate:
            yield Problem(5, f"{place}.method", "safety_layer on a gate only", "it on a weighted dimension")
        if not rubric.safety_policy.checks:
            yield Problem(18, "$.safety_policy", f"checks of the safety policy for {each.id}", "none")
    elif each.method in (JUDGED, "human"):
        if not each.prompt.strip():
            yield Problem(7, f"{place}.prompt", f"a prompt of {each.id}", "none")
    else:
        yield from _rules(each, f"{place}.rule")
    if each.method == JUDGED and (each.votes is None or not 1 <= each.votes <= MOST_VOTES):
        yield Problem(7, f"{place}.votes", f"votes of the judge from 1 to {MOST_VOTES}", each.votes)
    if gate and each.method == JUDGED and each.human != "required":
        wanted = "human: required, as no gate is decided by a judge alone"
        yield Problem(18, f"{place}.method", wanted, repr(each.human))
    about = f"{each.id.replace('_', ' ')} {each.description} {each.prompt}"
    if each.method == JUDGED and _PERSONAL.search(about):
        yield Problem(18, f"{place}.method", "a detector of personal data (rule: no_pii)", "a judge alone")
    if "no_pii" in each.rule and each.human != "on_flag":
        yield Problem(18, f"{place}.human", f"human: on_flag beside the detector of {each.id}", each.human)


def _rules(each: Check, place: str) -> Iterator[Problem]:
    if not each.rule:
        yield Problem(7, place, f"a rule of {each.id}", "none")
    only, shape = _ONLY_RULE.get(each.method, ("", Claims))
    for name, arguments in each.rule.items():
        if only and name != only:
            told = f"the rule {only} for {each.method}, found {name}"
        else:
            told = _misshapen(name, arguments, shape) if only else fault(name, arguments)
        if told:
            expected, _, found = told.partition(", found")
            yield Problem(7, f"{place}.{name}", expected, found.lstrip(": "))


def _misshapen(name: str, arguments: dict[str, object], shape: type[Claims | Cosine]) -> str:
    try:
        found = msgspec.convert(arguments, shape)
    except msgspec.ValidationError as error:
        return f"arguments that the rule {name} takes, found: {error}"
    if isinstance(found, Cosine) and not -1 <= found.zero_at < found.ten_at <= 1:
        return f"zero_at below ten_at, both from -1 to 1, found {found.zero_at:g} and {found.ten_at:g}"
    return ""


def _policy(rubric: Rubric) -> Iterator[Problem]:
    for number, each in enumerate(rubric.safety_policy.checks):
        place = f"$.safety_policy.checks[{number}]"
        if not _ID.fullmatch(each.id):
            yield Problem(1, f"{place}.id", "an id of small letters, digits and hyphens", each.id)
        yield from _method(each, place, rubric)
    layered = any(each.method == "safety_layer" for each in rubric.dimensions)
    if rubric.safety_policy.checks and not layered:
        yield Problem(18, "$.safety_policy", "a gate of the method safety_layer for its checks", "none")


def _version(rubric: Rubric, parent: Rubric | None) -> Iterator[Problem]:
    if not rubric.parent:
        if rubric.change_class:
            yield Problem(8, "$.change_class", "a parent", "a change_class alone")
        return
    if parent is None:
        yield Problem(8, "$.parent", "a parent whose version can be found", rubric.parent)
        return
    written = f"{parent.title}@{parent.hash}"
    if rubric.parent != written:
        yield Problem(8, "$.parent", written, rubric.parent)
    if (rubric.id, rubric.version) == (parent.id, parent.version):
        yield Problem(8, "$.version", "another version than its parent's", rubric.version)
    is_class = change_class(parent, rubric)
    if is_class and rubric.change_class != is_class:
        yield Problem(
            8, "$.change_class", f"{is_class}, by what differs from {parent.title}", rubric.change_class
        )
