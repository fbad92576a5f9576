"""What a rubric must have before it is activated (a draft may lack it), and how large a change of one is."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, get_args

from msgspec.structs import asdict, replace

from ragharness.rubrics.methods import RULES, fault
from ragharness.rubrics.rubric import JUDGED, Check, Dimension, Loaded, Rubric

ChangeClass = Literal["patch", "minor", "major"]
CLASSES: tuple[ChangeClass, ...] = get_args(ChangeClass)

METHODS = ("deterministic", "semantic_similarity", JUDGED, "human", "claim_pipeline", "groundedness")
LAYER = "safety_layer"
"""The method of a gate that stands for the checks of the safety policy."""

TWEAK = 5.0
"""Points that a threshold may move in a patch."""

MATERIAL = 0.05
"""A normalised weight that moves by more is re-weighted materially."""

MOST_DIMENSIONS = 10
ADVISED = range(4, 9)
"""Dimensions: fewer hide failures, more are not read."""

MOST_VOTES = 25
VERSION = re.compile(r"\d{1,6}\.\d{1,6}")
_ROUNDING = 1e-9
_AN_ID = "an id of small letters, digits and hyphens"
_ID = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
_UNTIED = frozenset({"final", "current", "latest", "new"})
_WORD = re.compile(r"[^\W_]+")
_EMPTY = frozenset(
    {"a", "an", "and", "be", "how", "is", "it", "must", "of", "output", "s", "should", "the", "this"}
)
_PERSONAL = re.compile(r"(?i)\bpii\b|\bpersonal(?:ly)? (?:data|identif\w+|information)")
_SIZES: dict[str, ChangeClass] = {
    "gate": "major", "human": "major", "method": "minor", "threshold": "minor", "rule": "minor",
    "votes": "minor", "model": "minor", "weight": "minor",
}  # fmt: skip
"""Fields of a dimension whose change is more than wording."""


class Problem(NamedTuple):
    """Why a rubric cannot be activated, or what is advised against."""

    rule: int
    """The line of the checklist: 1 fields, 2 weights, 3 dimensions, 4 descriptions, 5 methods, 6 thresholds,
    7 prompts and rules, 8 versions, 18 safety checks."""
    place: str
    expected: str
    found: object = None
    advice: bool = False
    line: int = 0

    def __str__(self) -> str:
        found = "none" if self.found in (None, "") else self.found
        return f"line {self.line}: expected {self.expected}, found {found}"


class Change(NamedTuple):
    """One difference between two versions."""

    weight: ChangeClass
    told: str


def check(loaded: Loaded, parent: Rubric | None = None) -> list[Problem]:
    """Return every problem of a rubric in the order of its lines; ``parent``: what it was branched from."""
    rubric = loaded.rubric
    found = [*_fields(rubric), *_rows(rubric), *_version(rubric, parent)]
    problems = [each._replace(line=loaded.line(each.place)) for each in found]
    return sorted(problems, key=lambda each: (each.line, each.rule))


def _fields(rubric: Rubric) -> Iterator[Problem]:
    policy, count = rubric.safety_policy, len(rubric.dimensions)
    for name in ("id", "version", "owner", "dimensions"):
        if not str(getattr(rubric, name) or "").strip():
            yield Problem(1, f"$.{name}", f"a field {name}")
    if not policy.reference.strip():
        yield Problem(1, "$.safety_policy", "safety_policy with a reference")
    if rubric.id and not _ID.fullmatch(rubric.id):
        yield Problem(1, "$.id", _AN_ID, repr(rubric.id))
    if rubric.version and not VERSION.fullmatch(rubric.version):
        yield Problem(1, "$.version", "a version such as 1.0", repr(rubric.version))
    for word in sorted(_UNTIED & _words(f"{rubric.id} {rubric.name}")):
        yield Problem(1, "$.id", "a name tied to the product's version", repr(word), advice=True)
    if count and not rubric.normalised:
        yield Problem(2, "$.dimensions", "a dimension with a weight above 0")
    if count > MOST_DIMENSIONS:
        extra = f"$.dimensions[{MOST_DIMENSIONS}]"
        yield Problem(3, extra, f"at most {MOST_DIMENSIONS} dimensions, gates included", count)
    elif count and count not in ADVISED:
        yield Problem(3, "$.dimensions", "4 to 8 dimensions, as is advised", count, advice=True)
    layers = [each for each in rubric.dimensions if each.method == LAYER]
    if policy.checks and not layers:
        yield Problem(18, "$.safety_policy", "a gate of the method safety_layer for its checks")
    if layers and not policy.checks:
        yield Problem(18, "$.safety_policy", f"checks of the safety policy for {layers[0].id}")


def _rows(rubric: Rubric) -> Iterator[Problem]:
    rows: list[tuple[str, Check]]
    rows = [(f"$.dimensions[{n}]", each) for n, each in enumerate(rubric.dimensions)]
    rows += [(f"$.safety_policy.checks[{n}]", each) for n, each in enumerate(rubric.safety_policy.checks)]
    seen: set[str] = set()
    for place, each in rows:
        if not _ID.fullmatch(each.id):
            yield Problem(1, f"{place}.id", _AN_ID, repr(each.id) if each.id else None)
        if each.id in seen:
            yield Problem(1, f"{place}.id", "an id of its own", f"{each.id} twice")
        seen.add(each.id)
        if isinstance(each, Dimension):
            yield from _dimension(each, place)
        yield from _method(each, place)


def _dimension(each: Dimension, place: str) -> Iterator[Problem]:
    if _words(each.description) - _EMPTY <= _words(f"{each.name} {each.id}"):
        yield Problem(4, f"{place}.description", f"{each.id} to say more than its name", each.description)
    if each.method == LAYER and not each.gate:
        yield Problem(5, f"{place}.method", "safety_layer on a gate only", "it on a weighted dimension")
    for rule, field, most in ((2, "weight", math.inf), (6, "threshold", 100)):
        value = getattr(each, field)
        if each.gate and value is not None:
            wanted = f"no {field} on the gate {each.id}: it passes or fails"
            yield Problem(rule, f"{place}.{field}", wanted, value)
        elif not each.gate and (value is None or not 0 <= value <= most or value == math.inf):
            limit = "from 0 to 100" if rule == 6 else "from 0"
            yield Problem(rule, f"{place}.{field}", f"a {field} of {each.id} {limit}", value)


def _method(each: Check, place: str) -> Iterator[Problem]:
    gate = each.gate if isinstance(each, Dimension) else True
    allowed = (*METHODS, LAYER) if isinstance(each, Dimension) else METHODS
    if each.method not in allowed:
        yield Problem(5, f"{place}.method", f"a method of {each.id}: {', '.join(allowed)}", each.method)
    if each.method in (JUDGED, "human") and not each.prompt.strip():
        yield Problem(7, f"{place}.prompt", f"a prompt of {each.id}")
    if each.method in RULES and not each.rule:
        yield Problem(7, f"{place}.rule", f"a rule of {each.id}")
    for name, arguments in each.rule.items() if each.method in RULES else ():
        expected, _, found = fault(each.method, name, arguments).partition(", found")
        if expected:
            yield Problem(7, f"{place}.rule.{name}", expected, found.lstrip(": "))
    if "no_pii" in each.rule and each.human != "on_flag":
        yield Problem(18, f"{place}.human", f"human: on_flag beside the detector of {each.id}", each.human)
    if each.method != JUDGED:
        return
    if each.votes is None or not 1 <= each.votes <= MOST_VOTES:
        yield Problem(7, f"{place}.votes", f"votes of the judge from 1 to {MOST_VOTES}", each.votes)
    if gate and each.human != "required":
        wanted = "human: required, as no gate is decided by a judge alone"
        yield Problem(18, f"{place}.method", wanted, repr(each.human))
    if _PERSONAL.search(f"{each.id.replace('_', ' ')} {each.description} {each.prompt}"):
        yield Problem(18, f"{place}.method", "a detector of personal data (rule: no_pii)", "a judge alone")


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold().replace("_", " ")))


def _version(rubric: Rubric, parent: Rubric | None) -> Iterator[Problem]:
    if not rubric.parent:
        if rubric.change_class:
            yield Problem(8, "$.change_class", "a parent", "a change_class alone")
    elif parent is None:
        yield Problem(8, "$.parent", "a parent whose version can be found", rubric.parent)
    else:
        if rubric.parent != (written := f"{parent.title}@{parent.hash}"):
            yield Problem(8, "$.parent", written, rubric.parent)
        if rubric.title == parent.title:
            yield Problem(8, "$.version", "another version than its parent's", rubric.version)
        size = next((each.weight for each in changes(parent, rubric)), None)
        if size and rubric.change_class != size:
            wanted = f"{size}, by what differs from {parent.title}"
            yield Problem(8, "$.change_class", wanted, rubric.change_class)


def changes(old: Rubric, new: Rubric) -> list[Change]:
    """Return every difference, the largest first; a version is no difference from another."""
    found = sorted(_changes(old, new), key=lambda each: -CLASSES.index(each.weight))
    versioned = replace(old, version=new.version, parent=new.parent, change_class=new.change_class)
    if not found and versioned.hash != new.hash:
        found.append(Change("patch", "the order, or all weights in the same proportion"))
    return found


def _changes(old: Rubric, new: Rubric) -> Iterator[Change]:
    for name in ("id", "name", "owner"):
        before, after = getattr(old, name), getattr(new, name)
        if before != after:
            yield Change("patch", f"{name}: {before!r} -> {after!r}")
    if old.safety_policy != new.safety_policy:
        yield Change("major", "the safety policy")
    were, are = ({each.id: each for each in rubric.dimensions} for rubric in (old, new))
    for name in {**were, **are}:
        if name in were and name in are:
            yield from _changed(name, asdict(were[name]), asdict(are[name]))
        else:
            yield Change("minor", f"{name}: {'added' if name in are else 'removed'}")
    for name, share in old.normalised.items():
        moved = new.normalised.get(name, share) - share
        if abs(moved) > _ROUNDING:
            size: ChangeClass = "minor" if abs(moved) > MATERIAL + _ROUNDING else "patch"
            yield Change(size, f"{name}: normalised weight {share:.3f} {moved:+.3f}")


def _changed(name: str, before: dict[str, Any], after: dict[str, Any]) -> Iterator[Change]:
    for field, was in before.items():
        now, size = after[field], _SIZES.get(field)
        # Two weights are compared as shares.
        if was == now or (field == "weight" and None not in (was, now)):
            continue
        if field == "method" and "human" in (was, now):
            size = "major"
        if field == "threshold" and None not in (was, now) and abs(was - now) <= TWEAK:
            size = "patch"
        told = f"{field} {was} -> {now}" if size else f"wording of the {field}"
        yield Change(size or "patch", f"{name}: {told}")
