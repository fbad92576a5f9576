"""Rubrics by name, the checks before one is activated, and the versions that are kept apart."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from msgspec.structs import asdict, replace

from ragharness.errors import RubricNotUsable, UnknownName, UsageError
from ragharness.rubrics.rubric import JUDGED, Check, Dimension, Loaded, Rubric, parse, read_rubric
from ragharness.rubrics.rules import RULES, fault
from ragharness.support import resources
from ragharness.support.files import expand_home, write_atomic

ChangeClass = Literal["patch", "minor", "major"]
CLASSES: tuple[ChangeClass, ...] = get_args(ChangeClass)

METHODS = ("deterministic", "semantic_similarity", JUDGED, "human", "claim_pipeline", "groundedness")
LAYER = "safety_layer"  # the method of a gate that stands for the checks of the safety policy
TWEAK = 5.0  # points that a threshold may move in a patch
MATERIAL = 0.05  # largest move of a normalised weight in a patch
MOST_DIMENSIONS = 10
ADVISED = range(4, 9)  # dimensions: fewer hide failures, more are not read
MOST_VOTES = 25
LOCAL = Path("rubrics")
USED = "used"  # folder beside a rubric with each version as it was used
VERSION = re.compile(r"\d{1,6}\.\d{1,6}")
_ROUNDING = 1e-9
_ID_FORM = "an id of small letters, digits and hyphens"
_ID = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
_UNTIED = frozenset({"final", "current", "latest", "new"})
_WORD = re.compile(r"[^\W_]+")
_STOP_WORDS = frozenset(
    {"a", "an", "and", "be", "how", "is", "it", "must", "of", "output", "s", "should", "the", "this"}
)
_PERSONAL = re.compile(r"(?i)\bpii\b|\bpersonal(?:ly)? (?:data|identif\w+|information)")
_TITLE = re.compile(r"\w[\w.-]*")
_VERSION_LINES = re.compile(r"(?m)^(?:version|status|parent|change_class)\s*:.*\n?")
_ID_LINE = re.compile(r"(?m)^id\s*:.*$")
_SIZES: dict[str, ChangeClass] = {  # fields of a dimension whose change is more than wording
    "gate": "major", "human": "major", "method": "minor", "threshold": "minor", "rule": "minor",
    "votes": "minor", "model": "minor", "weight": "minor",
}  # fmt: skip


class Problem(NamedTuple):
    """Why a rubric cannot be activated, or what is advised against."""

    rule: int
    """Line of the checklist: 1 fields, 2 weights, 3 dimensions, 4 descriptions, 5 methods, 6 thresholds,
    7 prompts and rules, 8 versions, 18 safety checks."""
    place: str
    expected: str
    found: object = None
    advice: bool = False
    line: int = 0

    def __str__(self) -> str:
        actual = "none" if self.found in (None, "") else self.found
        return f"line {self.line}: expected {self.expected}, found {actual}"


class Change(NamedTuple):
    """One difference between two versions."""

    weight: ChangeClass
    told: str


def rubric_names() -> dict[str, Path]:
    """Files of all rubrics by name: those of the working folder, then those that are shipped."""
    shipped = {name: resources.folder("rubrics", name) / "rubric.yaml" for name in resources.names("rubrics")}
    return {**{path.stem: path for path in sorted(LOCAL.glob("*.yaml")) if path.is_file()}, **shipped}


def find_rubric(name: str) -> Loaded:
    """The rubric of a file or name; raises UnknownName, RubricNotUsable."""
    path = expand_home(name)
    if path.is_file():
        return read_rubric(path)
    paths = rubric_names()
    if name not in paths:
        raise UnknownName("rubric", name, paths, help="ragharness rubric list")
    return read_rubric(paths[name])


def open_active(name: str) -> Loaded:
    """Rubric to score by; raises RubricNotUsable for a draft, a broken rule, or a change since its use."""
    loaded = find_rubric(name)
    rubric, path = loaded.rubric, loaded.path
    problems = [problem for problem in check(loaded, parent_of(loaded)) if not problem.advice]
    if problems:
        more = f" (and {len(problems) - 1} more)" * (len(problems) > 1)
        raise RubricNotUsable(f"{path}, {problems[0]}{more}", help=f"ragharness rubric check {name}")
    if rubric.status != "active":
        raise RubricNotUsable(
            f"{path}, line {loaded.line('$.status')}: this rubric is a draft, and a rubric is settled before"
            " its scores are computed",
            help=f"ragharness rubric check {name}, then write status: active",
        )
    used = _stored_version(loaded, rubric.title)
    if used and used.rubric.hash != rubric.hash:
        raise RubricNotUsable(
            f"{path} (hash {rubric.hash}) differs from {rubric.title} as it was used (hash"
            f" {used.rubric.hash}): a version is not changed once it was used",
            help=f"ragharness rubric branch {name}",
        )
    return loaded


def mark_used(loaded: Loaded) -> None:
    """Keep a copy of a used version beside its file, unless it is a shipped one. Raises StorageError."""
    if _stored_version(loaded, loaded.rubric.title) is None:
        write_atomic(loaded.path.parent / USED / f"{loaded.rubric.title}.yaml", loaded.text.encode())


def parent_of(loaded: Loaded) -> Rubric | None:
    """The version that a rubric was branched from; None where it cannot be found."""
    parent = _stored_version(loaded, loaded.rubric.parent.partition("@")[0], ".")
    return parent.rubric if parent else None


def _stored_version(loaded: Loaded, title: str, *folders: str) -> Loaded | None:
    """A version that is shipped, was used, or lies in one of the folders; None without."""
    if title in resources.names("rubrics"):
        return read_rubric(resources.folder("rubrics", title) / "rubric.yaml")
    if not _TITLE.fullmatch(title):
        return None
    paths = [loaded.path.parent / folder / f"{title}.yaml" for folder in (USED, *folders)]
    return next((read_rubric(path) for path in paths if path.is_file()), None)


def check(loaded: Loaded, parent: Rubric | None = None) -> list[Problem]:
    """Every problem of a rubric in the order of its lines; ``parent``: the version it was branched from."""
    rubric = loaded.rubric
    problems = [*_check_fields(rubric), *_check_rows(rubric), *_check_version(rubric, parent)]
    located = [problem._replace(line=loaded.line(problem.place)) for problem in problems]
    return sorted(located, key=lambda problem: (problem.line, problem.rule))


def _check_fields(rubric: Rubric) -> Iterator[Problem]:
    policy, count = rubric.safety_policy, len(rubric.dimensions)
    for name in ("id", "version", "owner", "dimensions"):
        if not str(getattr(rubric, name) or "").strip():
            yield Problem(1, f"$.{name}", f"a field {name}")
    if not policy.reference.strip():
        yield Problem(1, "$.safety_policy", "safety_policy with a reference")
    if rubric.id and not _ID.fullmatch(rubric.id):
        yield Problem(1, "$.id", _ID_FORM, repr(rubric.id))
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
    layers = [dimension for dimension in rubric.dimensions if dimension.method == LAYER]
    if policy.checks and not layers:
        yield Problem(18, "$.safety_policy", "a gate of the method safety_layer for its checks")
    if layers and not policy.checks:
        yield Problem(18, "$.safety_policy", f"checks of the safety policy for {layers[0].id}")


def _check_rows(rubric: Rubric) -> Iterator[Problem]:
    rows: list[tuple[str, Check]]
    rows = [(f"$.dimensions[{n}]", row) for n, row in enumerate(rubric.dimensions)]
    rows += [(f"$.safety_policy.checks[{n}]", row) for n, row in enumerate(rubric.safety_policy.checks)]
    ids: set[str] = set()
    for path, row in rows:
        if not _ID.fullmatch(row.id):
            yield Problem(1, f"{path}.id", _ID_FORM, repr(row.id) if row.id else None)
        if row.id in ids:
            yield Problem(1, f"{path}.id", "an id of its own", f"{row.id} twice")
        ids.add(row.id)
        if isinstance(row, Dimension):
            yield from _check_dimension(row, path)
        yield from _check_method(row, path)


def _check_dimension(row: Dimension, path: str) -> Iterator[Problem]:
    if _words(row.description) - _STOP_WORDS <= _words(f"{row.name} {row.id}"):
        yield Problem(4, f"{path}.description", f"{row.id} to say more than its name", row.description)
    if row.method == LAYER and not row.gate:
        yield Problem(5, f"{path}.method", "safety_layer on a gate only", "it on a weighted dimension")
    for rule, field, most in ((2, "weight", math.inf), (6, "threshold", 100)):
        value = getattr(row, field)
        if row.gate and value is not None:
            expected = f"no {field} on the gate {row.id}: it passes or fails"
            yield Problem(rule, f"{path}.{field}", expected, value)
        elif not row.gate and (value is None or not 0 <= value <= most or value == math.inf):
            limit = "from 0 to 100" if rule == 6 else "from 0"
            yield Problem(rule, f"{path}.{field}", f"a {field} of {row.id} {limit}", value)


def _check_method(row: Check, path: str) -> Iterator[Problem]:
    gate = row.gate if isinstance(row, Dimension) else True
    allowed = (*METHODS, LAYER) if isinstance(row, Dimension) else METHODS
    if row.method not in allowed:
        yield Problem(5, f"{path}.method", f"a method of {row.id}: {', '.join(allowed)}", row.method)
    if row.method in (JUDGED, "human") and not row.prompt.strip():
        yield Problem(7, f"{path}.prompt", f"a prompt of {row.id}")
    if row.method in RULES and not row.rule:
        yield Problem(7, f"{path}.rule", f"a rule of {row.id}")
    for name, arguments in row.rule.items() if row.method in RULES else ():
        expected, actual = fault(row.method, name, arguments)
        if expected:
            yield Problem(7, f"{path}.rule.{name}", expected, actual)
    if "no_pii" in row.rule and row.human != "on_flag":
        yield Problem(18, f"{path}.human", f"human: on_flag beside the detector of {row.id}", row.human)
    if row.method != JUDGED:
        return
    if row.votes is None or not 1 <= row.votes <= MOST_VOTES:
        yield Problem(7, f"{path}.votes", f"votes of the judge from 1 to {MOST_VOTES}", row.votes)
    if gate and row.human != "required":
        expected = "human: required, as no gate is decided by a judge alone"
        yield Problem(18, f"{path}.method", expected, repr(row.human))
    if _PERSONAL.search(f"{row.id.replace('_', ' ')} {row.description} {row.prompt}"):
        yield Problem(18, f"{path}.method", "a detector of personal data (rule: no_pii)", "a judge alone")


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold().replace("_", " ")))


def _check_version(rubric: Rubric, parent: Rubric | None) -> Iterator[Problem]:
    if not rubric.parent:
        if rubric.change_class:
            yield Problem(8, "$.change_class", "a parent", "a change_class alone")
    elif parent is None:
        yield Problem(8, "$.parent", "a parent whose version can be found", rubric.parent)
    else:
        if rubric.parent != (reference := f"{parent.title}@{parent.hash}"):
            yield Problem(8, "$.parent", reference, rubric.parent)
        if rubric.title == parent.title:
            yield Problem(8, "$.version", "another version than its parent's", rubric.version)
        size = next((change.weight for change in changes(parent, rubric)), None)
        if size and rubric.change_class != size:
            expected = f"{size}, by what differs from {parent.title}"
            yield Problem(8, "$.change_class", expected, rubric.change_class)


def changes(old: Rubric, new: Rubric) -> list[Change]:
    """Every difference, the largest first; another version number alone is none."""
    differences = sorted(_changes(old, new), key=lambda change: -CLASSES.index(change.weight))
    versioned = replace(old, version=new.version, parent=new.parent, change_class=new.change_class)
    if not differences and versioned.hash != new.hash:
        differences.append(Change("patch", "the order, or all weights in the same proportion"))
    return differences


def _changes(old: Rubric, new: Rubric) -> Iterator[Change]:
    for name in ("id", "name", "owner"):
        before, after = getattr(old, name), getattr(new, name)
        if before != after:
            yield Change("patch", f"{name}: {before!r} -> {after!r}")
    if old.safety_policy != new.safety_policy:
        yield Change("major", "the safety policy")
    old_rows, new_rows = ({row.id: row for row in rubric.dimensions} for rubric in (old, new))
    for name in {**old_rows, **new_rows}:
        if name in old_rows and name in new_rows:
            yield from _row_changes(name, asdict(old_rows[name]), asdict(new_rows[name]))
        else:
            yield Change("minor", f"{name}: {'added' if name in new_rows else 'removed'}")
    for name, share in old.normalised.items():
        move = new.normalised.get(name, share) - share
        if abs(move) > _ROUNDING:
            size: ChangeClass = "minor" if abs(move) > MATERIAL + _ROUNDING else "patch"
            yield Change(size, f"{name}: normalised weight {share:.3f} {move:+.3f}")


def _row_changes(name: str, before: dict[str, Any], after: dict[str, Any]) -> Iterator[Change]:
    for field, old in before.items():
        new, size = after[field], _SIZES.get(field)
        # Two weights are compared as shares.
        if old == new or (field == "weight" and None not in (old, new)):
            continue
        if field == "method" and "human" in (old, new):
            size = "major"
        if field == "threshold" and None not in (old, new) and abs(old - new) <= TWEAK:
            size = "patch"
        change = f"{field} {old} -> {new}" if size else f"wording of the {field}"
        yield Change(size or "patch", f"{name}: {change}")


class Branch(NamedTuple):
    """A new version."""

    path: Path
    title: str
    change_class: str
    changes: list[Change]
    restored: Path | None  # the parent's file, put back to the version that was used


def branch(name: str, claim: str = "", out: Path | None = None) -> Branch:
    """Write a new version of a rubric as a draft.

    A used version that was edited keeps its edits in the branch, and its file is put back. ``claim`` must be
    the class of the differences. Raises UsageError, RubricNotUsable, StorageError.
    """
    if claim and claim not in CLASSES:
        raise UnknownName("class of changes", claim, CLASSES)
    loaded = find_rubric(name)
    rubric, path, command = loaded.rubric, loaded.path, f"ragharness rubric branch {name} --as"
    parent = _stored_version(loaded, rubric.title) or loaded
    differences = changes(parent.rubric, rubric)
    size = differences[0].weight if differences else claim
    if not size:
        message = f"{rubric.title} has no edits; say the class of those to come"
        raise UsageError(message, help=f"{command} patch")
    if claim not in ("", size):
        message = f"this is a {size} change, not --as {claim}: {differences[0].told}"
        raise UsageError(message, help=f"{command} {size}")
    version = next_version(rubric.version, size)
    title = f"{rubric.id}-{version}"
    target = out or (LOCAL if path.name == "rubric.yaml" else path.parent) / f"{title}.yaml"
    if target.exists():
        raise UsageError(f"{target} exists already", help="name another with --out FILE")
    # As text, so that comments stay.
    reference = f"parent: {parent.rubric.title}@{parent.rubric.hash}\nchange_class: {size}"
    fields = f'version: "{version}"\nstatus: draft\n{reference}'
    text = _ID_LINE.sub(lambda line: f"{line[0]}\n{fields}", _VERSION_LINES.sub("", loaded.text), count=1)
    if parse(text, path).rubric.version != version:
        raise RubricNotUsable(f"id: and version: must each begin a line of {path}")
    write_atomic(target, text.encode())
    if differences:
        write_atomic(path, parent.text.encode())
    return Branch(target, title, size, differences, path if differences else None)


def next_version(version: str, size: str) -> str:
    """1.1 after 1.0 for a patch, 2.0 for a minor or major change: the number does not say which."""
    if not VERSION.fullmatch(version):
        raise RubricNotUsable(f"cannot branch from version {version!r}: it must look like 1.0")
    major, minor = map(int, version.split("."))
    return f"{major}.{minor + 1}" if size == "patch" else f"{major + 1}.0"
