"""The folder of a run on the disk: errors as sentences, one writer at a time."""

from __future__ import annotations

import errno
import os
import shlex
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ragharness.errors import StorageError
from ragharness.support.files import open_own, try_lock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def disk(path: Path, purpose: str = "write in") -> Iterator[None]:
    """Turn an OSError about a folder or file of a run into a StorageError."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        advice = _ADVICE.get(error.errno or 0, "name another folder with --out FOLDER")
        advice = f"ls -l {shlex.quote(str(path))}" if purpose == "read" else advice
        raise StorageError(f"expected to {purpose} {path}, found: {reason}", help=advice) from error


_MAKE_ROOM = "free some space, then repeat the command: it continues"
_GO_ELSEWHERE = "name a folder that may be written with --out FOLDER"
_ADVICE = {
    errno.ENOSPC: _MAKE_ROOM,
    errno.EDQUOT: _MAKE_ROOM,
    errno.EFBIG: _MAKE_ROOM,
    errno.EACCES: _GO_ELSEWHERE,
    errno.EROFS: _GO_ELSEWHERE,
    errno.EPERM: _GO_ELSEWHERE,
}


_HELD: dict[Path, int] = {}
"""Locks of this process and their handles."""


@contextmanager
def exclusive(path: Path, help: str = "") -> Iterator[None]:  # noqa: A002 (the word users see)
    """Hold the lock file; raises StorageError when another writer has it; ``help`` is the next command."""
    path = path.parent.resolve() / path.name
    if path in _HELD:
        raise _in_use(path, os.getpid(), help)
    handle = open_own(path, os.O_RDWR | os.O_CREAT)
    _HELD[path] = handle
    try:
        if not try_lock(handle):
            raise _in_use(path, _holder(handle), help)
        os.ftruncate(handle, 0)
        os.write(handle, str(os.getpid()).encode())
        yield
    finally:
        # A copy of this process has let go of it already.
        if _HELD.pop(path, None) is not None:
            os.close(handle)


def _let_go() -> None:
    """Close the locks in a copy of this process, which would keep them after its death."""
    while _HELD:
        os.close(_HELD.popitem()[1])


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go)


def _holder(handle: int) -> int:
    text = os.pread(handle, 20, 0) if hasattr(os, "pread") else b""
    return int(text) if text.isdigit() else 0


def _in_use(path: Path, process: int, help: str) -> StorageError:  # noqa: A002
    who = f"process {process}" if process else "another process"
    return StorageError(
        f"expected {path.parent} to be free, found {who} writing there",
        help=help or "wait for it, or start a separate run with --fresh or --out FOLDER",
    )
