"""The cache folder: free space is checked first, one writer at a time, files are complete or absent."""

from __future__ import annotations

import errno
import json
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Literal

from ragharness.corpus.download.pinned import Listener, Pinned, hash_file
from ragharness.errors import StorageError
from ragharness.support import files

_ELSEWHERE = "RAGHARNESS_CACHE=FOLDER names another place for the cache"
HASHES = "hashes.json"
"""What the cache knows of its files; never one of them."""
_WAIT = 0.2
"""Seconds between two looks at a lock."""


@contextmanager
def storage_errors(folder: Path) -> Iterator[None]:
    """Turn a failure of the disk into a StorageError that says what to do."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            message = f"the disk that holds {folder} is full"
        elif error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
            message = (
                f"expected a folder to write in at {folder}, found it read-only or closed ({error.strerror})"
            )
        else:
            message = f"cannot use {folder}: {error.strerror or error}"
        raise StorageError(message, help=_ELSEWHERE) from error


def require_space(folder: Path, needed: int) -> None:
    """Raise StorageError when the disk of a folder (that may not exist yet) has fewer free bytes."""
    place = folder
    while not place.exists() and place != place.parent:
        place = place.parent
    free = shutil.disk_usage(place).free
    if free < needed:
        raise StorageError(
            f"expected {needed / 1e6:.0f} MB free for {folder}, found {free / 1e6:.0f} MB", help=_ELSEWHERE
        )


@contextmanager
def locked(folder: Path, on_progress: Listener) -> Iterator[None]:
    """Hold the folder for this process; another one's fetch is waited for, and said."""
    with storage_errors(folder):
        files.private_folder(folder)
        file = (folder / ".lock").open("ab")
    with file:
        waiting = False
        while not _taken(file.fileno()):
            if not waiting:
                on_progress(f"another process is writing in {folder}; waiting for it", 0, 0)
                waiting = True
            time.sleep(_WAIT)
        # Closing the file gives the lock back, also when the process dies.
        yield


def _taken(handle: int) -> bool:
    try:
        return files.try_lock(handle)
    except OSError:
        # A file system without locks: temporary names are unique, so the worst is a fetch done twice.
        return True


@contextmanager
def new_file(target: Path) -> Iterator[IO[bytes]]:
    """Open a file that takes its name once it is whole; raises StorageError."""
    with storage_errors(target.parent), files.new_file(target) as file:
        yield file


def cached_hashes(folder: Path) -> dict[str, dict[str, str]]:
    """Return what was recorded of the files in a cache folder: ``sha256`` and ``source`` by name."""
    try:
        found = json.loads((folder / HASHES).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def condition(
    folder: Path, name: str, pinned: Pinned, source: str = ""
) -> Literal["whole", "altered", "absent"]:
    """Return whether a cache folder holds a file as it was published, or first recorded; raises StorageError.

    One that came from another place than ``source``, if that is named, or that nothing is known of is absent.
    """
    row = cached_hashes(folder).get(name, {})
    expected = pinned.sha256 or row.get("sha256", "")
    with storage_errors(folder):
        found = hash_file(folder / name) if (folder / name).is_file() else ""
    if not expected or not found or (source and row.get("source") != source):
        return "absent"
    return "whole" if found == expected else "altered"


def record_hashes(folder: Path, files: Mapping[str, str], source: str) -> None:
    """Add files with their hashes and where they came from to the record of a cache folder."""
    rows = cached_hashes(folder) | {
        name: {"sha256": found, "source": source} for name, found in files.items()
    }
    with new_file(folder / HASHES) as file:
        file.write(json.dumps(rows, indent=1, sort_keys=True).encode())
