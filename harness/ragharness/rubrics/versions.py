"""Branching: the only way from a version that was used to another."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ragharness.errors import RubricNotUsable, UsageError
from ragharness.rubrics.changes import Change, change_class, changes
from ragharness.rubrics.checking import VERSION
from ragharness.rubrics.reading import parse
from ragharness.rubrics.shelf import find_rubric, used
from ragharness.support.files import write_whole

if TYPE_CHECKING:
    from ragharness.rubrics.reading import Loaded
    from ragharness.rubrics.rubric import ChangeClass

_OURS = re.compile(r"(?m)^(?:version|status|parent|change_class)\s*:.*\n?")
_ID = re.compile(r"(?m)^id\s*:.*$")


class Branch(NamedTuple):
    """A new version."""

    path: Path
    title: str
    change_class: ChangeClass
    changes: list[Change]
    restored: Path | None
    """The file of the parent that was put back to what was used."""


def branch(wanted: str, claim: ChangeClass | None = None, out: Path | None = None) -> Branch:
    """Write a new version of a rubric as a draft and return it.

    A used version that was edited keeps its edits in the branch, and its file is put back. ``claim`` must be
    the class of what differs. Raises UsageError, RubricNotUsable, StorageError.
    """
    loaded = find_rubric(wanted)
    before = used(loaded) or loaded
    differs = changes(before.rubric, loaded.rubric)
    computed = change_class(before.rubric, loaded.rubric)
    if claim and computed and claim != computed:
        raise UsageError(
            f"expected --as {computed}, found {claim}: {differs[0].told}",
            help=f"ragharness rubric branch {wanted} --as {computed}",
        )
    size = computed or claim
    if size is None:
        raise UsageError(
            f"expected edits of {loaded.rubric.title} or the class of those to come, found neither",
            help=f"ragharness rubric branch {wanted} --as patch",
        )
    version = next_version(before.rubric.version, size)
    text = _branched(loaded, before, version, size)
    title = f"{loaded.rubric.id}-{version}"
    path = out or Path(
        "rubrics" if loaded.path.name == "rubric.yaml" else loaded.path.parent, f"{title}.yaml"
    )
    if path.exists():
        raise UsageError(f"expected no file at {path}, found one", help="name another with --out FILE")
    write_whole(path, text.encode())
    edited = computed is not None
    if edited:
        write_whole(loaded.path, before.text.encode())
    return Branch(path, title, size, differs, loaded.path if edited else None)


def next_version(version: str, size: ChangeClass) -> str:
    """Return 1.1 after 1.0 for a patch, 2.0 for a minor or major change: the number does not say which."""
    if not VERSION.fullmatch(version):
        raise RubricNotUsable(f"expected a version such as 1.0 to branch from, found {version!r}")
    first, second = map(int, version.split("."))
    return f"{first}.{second + 1}" if size == "patch" else f"{first + 1}.0"


def _branched(loaded: Loaded, before: Loaded, version: str, size: ChangeClass) -> str:
    """Return the text of a rubric with the fields of its version changed; comments stay."""
    fields = (
        f'version: "{version}"\nstatus: draft\nparent: {before.rubric.title}@{before.rubric.hash}\n'
        f"change_class: {size}"
    )
    text = _ID.sub(lambda found: f"{found[0]}\n{fields}", _OURS.sub("", loaded.text), count=1)
    if parse(text, loaded.path).rubric.version != version:
        raise RubricNotUsable(
            f"expected id: and version: at the beginning of lines of {loaded.path}, found none"
        )
    return text
