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

_HELD: set[Path] = set()
"""Locks of this process: record locks know processes only, so two threads would not see each other."""


@contextmanager
def exclusive(path: Path, help: str = "") -> Iterator[None]:  # noqa: A002 (the word users see)
    """Hold the lock file; raises StorageError when another writer has it; ``help`` is the next command."""
    path = path.parent.resolve() / path.name
    if path in _HELD:
        raise _in_use(path, os.getpid(), help)
    handle = open_own(path, os.O_RDWR | os.O_CREAT)
    _HELD.add(path)
    try:
        if not _try_lock(handle):
            raise _in_use(path, _holder(handle), help)
        os.ftruncate(handle, 0)
        os.write(handle, str(os.getpid()).encode())
        yield
    finally:
        _HELD.discard(path)
        os.close(handle)


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

            # Not flock: a child that the pipeline forked would keep that after our death.
            fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
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
