"""The lock of a run folder: one writer at a time, released when its process ends."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ragharness.errors import StorageError
from ragharness.support.files import open_own

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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
        if not _try_lock(handle):
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


def _try_lock(handle: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            # One byte far behind the process id, so that the id stays readable for others.
            os.lseek(handle, 1 << 20, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
            os.lseek(handle, 0, os.SEEK_SET)
        else:
            import fcntl

            # Not lockf: that falls as soon as anything in this process has read the file and closes it.
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in {errno.EACCES, errno.EAGAIN, errno.EDEADLK}:
            return False
        raise
    return True


def _holder(handle: int) -> int:
    text = os.pread(handle, 20, 0) if hasattr(os, "pread") else b""
    return int(text) if text.isdigit() else 0


def _in_use(path: Path, process: int, help: str) -> StorageError:  # noqa: A002
    who = f"process {process}" if process else "another process"
    return StorageError(
        f"expected {path.parent} to be free, found {who} writing there",
        help=help or "wait for it, or start a separate run with --fresh or --out FOLDER",
    )
