"""Lists the files below a folder in the order of their names, with notices for what is skipped."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path
from typing import NamedTuple

MOST_FILES = 100_000
"""Files of a folder that are looked at: more are hardly meant."""

DEEPEST = 64
"""Levels of folders below which nothing is looked for."""


class FoundFile(NamedTuple):
    """A file of the user's."""

    name: str
    """Its path below the folder, with ``/`` on every system, composed Unicode."""
    path: Path
    size: int
    times: tuple[int, int] = (0, 0)
    """When its content, and when anything of it, was changed last, in nanoseconds."""


def find_files(folder: Path) -> tuple[list[FoundFile], list[str]]:
    """Return the files below a folder sorted by name, and a sentence for each thing that was passed over.

    Hidden files and folders are passed over in silence; links that lead out of the folder are named.
    """
    home = Path(os.path.realpath(folder))
    found: list[FoundFile] = []
    notices: list[str] = []
    waiting: list[tuple[Path, str, int]] = [(folder, "", 0)]
    seen = {str(home)}
    while waiting:
        place, prefix, depth = waiting.pop()
        for name, entry in _entries(place, prefix, notices):
            path = place / entry.name
            try:
                below, file, aside = _kind(name, path, entry, home)
            except OSError as error:
                # It may have gone meanwhile, or its folder may be listed but not entered.
                below, file, aside = False, None, f"{name} cannot be opened: {error.strerror}"
            if file is not None:
                found.append(file)
            elif below:
                real = os.path.realpath(path)
                if depth >= DEEPEST:
                    aside = f"{name} lies more than {DEEPEST} folders deep: not read"
                elif real not in seen:
                    seen.add(real)
                    waiting.append((path, f"{name}/", depth + 1))
            notices += [aside] if aside else []
            if len(found) > MOST_FILES:
                notices.append(f"more than {MOST_FILES} files: the rest is not read")
                return sorted(found), notices
    return sorted(found), sorted(notices)


def _kind(name: str, path: Path, entry: os.DirEntry[str], home: Path) -> tuple[bool, FoundFile | None, str]:
    """Return whether a path is a folder, the file that it is, and what is to be said of anything else."""
    linked = entry.is_symlink()
    if linked and not _inside(path, home):
        return False, None, f"{name} is a link that leads out of the folder: not read"
    # The listing tells what is no link; only a path bears links that lead in a ring.
    kind = path if linked else entry
    if kind.is_dir():
        return True, None, ""
    if kind.is_file():
        found = entry.stat()
        return False, FoundFile(name, path, found.st_size, (found.st_mtime_ns, found.st_ctime_ns)), ""
    return False, None, f"{name} is no regular file: not read"


def _entries(place: Path, prefix: str, notices: list[str]) -> list[tuple[str, os.DirEntry[str]]]:
    try:
        with os.scandir(place) as found:
            entries = sorted(found, key=lambda each: each.name)
    except OSError as error:
        notices.append(f"{prefix or place} cannot be opened: {error.strerror}")
        return []
    return [(_printable(prefix + each.name), each) for each in entries if not each.name.startswith(".")]


def _printable(name: str) -> str:
    """Return a name that can be encoded: bytes of a file name that are no UTF-8 become question marks."""
    if name.isascii():
        return name
    return unicodedata.normalize("NFC", name.encode("utf-8", "replace").decode("utf-8"))


def _inside(path: Path, home: Path) -> bool:
    real = Path(os.path.realpath(path))
    return real == home or home in real.parents
