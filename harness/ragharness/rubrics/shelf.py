"""Finds rubrics (a file, ``rubrics/`` of the working folder, the shelf) and keeps their versions apart."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from ragharness.errors import RubricNotUsable, UnknownName, UsageError
from ragharness.rubrics.checking import CLASSES, VERSION, Change, changes, check
from ragharness.rubrics.rubric import Loaded, Rubric, parse, read_rubric
from ragharness.support import resources
from ragharness.support.files import expanded, write_whole

LOCAL = Path("rubrics")
USED = "used"
"""The folder beside a rubric that holds each version as it was used."""

_TITLE = re.compile(r"\w[\w.-]*")
_OURS = re.compile(r"(?m)^(?:version|status|parent|change_class)\s*:.*\n?")
_ID = re.compile(r"(?m)^id\s*:.*$")


class Branch(NamedTuple):
    """A new version."""

    path: Path
    title: str
    change_class: str
    changes: list[Change]
    restored: Path | None
    """The file of the parent that was put back to what was used."""


def rubric_names() -> dict[str, Path]:
    """Return the file of every rubric by its name: the working folder's, then the shelf's."""
    shipped = {name: resources.folder("rubrics", name) / "rubric.yaml" for name in resources.names("rubrics")}
    return {**{path.stem: path for path in sorted(LOCAL.glob("*.yaml")) if path.is_file()}, **shipped}


def find_rubric(wanted: str) -> Loaded:
    """Return a rubric by its file or name; raises UnknownName, RubricNotUsable."""
    path = expanded(wanted)
    if path.is_file():
        return read_rubric(path)
    known = rubric_names()
    if wanted not in known:
        raise UnknownName("rubric", wanted, known, help="ragharness rubric list")
    return read_rubric(known[wanted])


def open_active(wanted: str) -> Loaded:
    """Return a rubric that outputs can be scored by.

    Raises RubricNotUsable where it breaks a rule, is a draft, or is another than when it was used.
    """
    loaded = find_rubric(wanted)
    rubric, path = loaded.rubric, loaded.path
    wrong = [each for each in check(loaded, parent_of(loaded)) if not each.advice]
    before = _version(loaded, rubric.title)
    told, then = "", f"ragharness rubric check {wanted}"
    if wrong:
        told = f"{path}, {wrong[0]}" + f" (and {len(wrong) - 1} more)" * (len(wrong) > 1)
    elif rubric.status != "active":
        told = (
            f"{path}, line {loaded.line('$.status')}: expected an active rubric, found a draft:"
            " a rubric is settled before its scores are computed"
        )
        then += ", then write status: active"
    elif before and before.rubric.hash != rubric.hash:
        told = (
            f"expected {rubric.title} as it was used (hash {before.rubric.hash}), found hash {rubric.hash} in"
            f" {path}: a version is not changed once it was used"
        )
        then = f"ragharness rubric branch {wanted}"
    if told:
        raise RubricNotUsable(told, help=then)
    return loaded


def mark_used(loaded: Loaded) -> None:
    """Keep a version as it is used, beside its file; the shelf's are never changed. Raises StorageError."""
    if _version(loaded, loaded.rubric.title) is None:
        write_whole(loaded.path.parent / USED / f"{loaded.rubric.title}.yaml", loaded.text.encode())


def parent_of(loaded: Loaded) -> Rubric | None:
    """Return the version that a rubric was branched from; None where it cannot be found."""
    found = _version(loaded, loaded.rubric.parent.partition("@")[0], ".")
    return found.rubric if found else None


def branch(wanted: str, claim: str = "", out: Path | None = None) -> Branch:
    """Write a new version of a rubric as a draft and return it.

    A used version that was edited keeps its edits in the branch, and its file is put back. ``claim`` must be
    the class of what differs. Raises UsageError, RubricNotUsable, StorageError.
    """
    if claim and claim not in CLASSES:
        raise UnknownName("class of changes", claim, CLASSES)
    loaded = find_rubric(wanted)
    rubric, path, then = loaded.rubric, loaded.path, f"ragharness rubric branch {wanted} --as"
    before = _version(loaded, rubric.title) or loaded
    differs = changes(before.rubric, rubric)
    size = differs[0].weight if differs else claim
    if not size:
        told = f"expected edits of {rubric.title} or the class of those to come, found neither"
        raise UsageError(told, help=f"{then} patch")
    if claim not in ("", size):
        raise UsageError(f"expected --as {size}, found {claim}: {differs[0].told}", help=f"{then} {size}")
    version = next_version(rubric.version, size)
    title = f"{rubric.id}-{version}"
    target = out or (LOCAL if path.name == "rubric.yaml" else path.parent) / f"{title}.yaml"
    if target.exists():
        raise UsageError(f"expected no file at {target}, found one", help="name another with --out FILE")
    # As text, so that comments stay.
    parent = f"parent: {before.rubric.title}@{before.rubric.hash}\nchange_class: {size}"
    fields = f'version: "{version}"\nstatus: draft\n{parent}'
    text = _ID.sub(lambda found: f"{found[0]}\n{fields}", _OURS.sub("", loaded.text), count=1)
    if parse(text, path).rubric.version != version:
        raise RubricNotUsable(f"expected id: and version: at the beginning of lines of {path}, found none")
    write_whole(target, text.encode())
    if differs:
        write_whole(path, before.text.encode())
    return Branch(target, title, size, differs, path if differs else None)


def next_version(version: str, size: str) -> str:
    """Return 1.1 after 1.0 for a patch, 2.0 for a minor or major change: the number does not say which."""
    if not VERSION.fullmatch(version):
        raise RubricNotUsable(f"expected a version such as 1.0 to branch from, found {version!r}")
    first, second = map(int, version.split("."))
    return f"{first}.{second + 1}" if size == "patch" else f"{first + 1}.0"


def _version(loaded: Loaded, title: str, *others: str) -> Loaded | None:
    """Return a version of the shelf, as it was used, or of another folder; None: there is none."""
    if title in resources.names("rubrics"):
        return read_rubric(resources.folder("rubrics", title) / "rubric.yaml")
    if not _TITLE.fullmatch(title):
        return None
    kept = [loaded.path.parent / folder / f"{title}.yaml" for folder in (USED, *others)]
    return next((read_rubric(path) for path in kept if path.is_file()), None)
