"""Finds rubrics: files of the user's, those in ``rubrics/`` of the working folder, and the shelf's."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from ragharness import shelf
from ragharness.errors import RubricNotUsable, UnknownName
from ragharness.rubrics.checking import check
from ragharness.rubrics.reading import Loaded, read_rubric
from ragharness.support.files import write_whole

if TYPE_CHECKING:
    from ragharness.rubrics.rubric import Rubric

LOCAL = Path("rubrics")
USED = "used"
"""The folder beside a rubric that holds each version as it was used."""

_TITLE = re.compile(r"\w[\w.-]*")


def rubric_names() -> dict[str, Path]:
    """Return the file of every rubric by its name: the working folder's, then the shelf's."""
    shipped = {name: shelf.folder("rubrics", name) / "rubric.yaml" for name in shelf.names("rubrics")}
    return {**{path.stem: path for path in sorted(LOCAL.glob("*.yaml"))}, **shipped}


def find_rubric(wanted: str) -> Loaded:
    """Return a rubric by its file or name; raises UnknownName, RubricNotUsable."""
    path = Path(wanted).expanduser()
    if path.is_file():
        return read_rubric(path)
    known = rubric_names()
    if wanted not in known:
        raise UnknownName("rubric", wanted, known, help="ragharness rubric list")
    return read_rubric(known[wanted])


def open_active(wanted: str) -> Loaded:
    """Return a rubric that outputs can be scored by, and keep it as it is used.

    Raises RubricNotUsable where it breaks a rule, is a draft, or is another than when it was used.
    """
    loaded = find_rubric(wanted)
    rubric, path = loaded.rubric, loaded.path
    wrong = [each for each in check(loaded, parent_of(loaded)) if not each.advice]
    if wrong:
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        raise RubricNotUsable(f"{path}, {wrong[0]}{more}", help=f"ragharness rubric check {wanted}")
    if rubric.status != "active":
        raise RubricNotUsable(
            f"{path}, line {loaded.line('$.status')}: expected an active rubric, found a draft:"
            " a rubric is settled before its scores are computed",
            help=f"ragharness rubric check {wanted}, then write status: active",
        )
    before = used(loaded)
    if before is not None and before.rubric.hash != rubric.hash:
        raise RubricNotUsable(
            f"expected {rubric.title} as it was used (hash {before.rubric.hash}), found hash {rubric.hash} in"
            f" {path}: a version is not changed once it was used",
            help=f"ragharness rubric branch {wanted}",
        )
    return loaded


def mark_used(loaded: Loaded) -> None:
    """Keep a version as it is used, beside its file; the shelf's are never changed. Raises StorageError."""
    if used(loaded) is None:
        write_whole(_kept(loaded, loaded.rubric.title), loaded.text.encode())


def used(loaded: Loaded) -> Loaded | None:
    """Return a version as it was used; None where it was not."""
    return _version(loaded, loaded.rubric.title)


def parent_of(loaded: Loaded) -> Rubric | None:
    """Return the version that a rubric was branched from; None where it cannot be found."""
    title = loaded.rubric.parent.partition("@")[0]
    beside = loaded.path.parent / f"{title}.yaml"
    found = _version(loaded, title)
    if found is None and _TITLE.fullmatch(title) and beside.is_file():
        found = read_rubric(beside)
    return found.rubric if found else None


def _version(loaded: Loaded, title: str) -> Loaded | None:
    if title in shelf.names("rubrics"):
        return read_rubric(shelf.folder("rubrics", title) / "rubric.yaml")
    kept = _kept(loaded, title)
    return read_rubric(kept) if _TITLE.fullmatch(title) and kept.is_file() else None


def _kept(loaded: Loaded, title: str) -> Path:
    return loaded.path.parent / USED / f"{title}.yaml"
