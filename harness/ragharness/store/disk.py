"""Errors of the operating system about a run folder, as sentences."""

from __future__ import annotations

import errno
import shlex
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ragharness.errors import StorageError

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
