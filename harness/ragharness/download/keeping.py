"""Results that are dear to compute, kept in the cache: believed only when their digest fits."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from typing import TYPE_CHECKING

from ragharness.download.storage import cache_folder, new_file
from ragharness.errors import StorageError

if TYPE_CHECKING:
    from pathlib import Path

_DIGEST_SIZE = 32


def kept(kind: str, name: str) -> bytes | None:
    """Return what was kept under a name, or None when there is nothing that can be believed."""
    path = cache_folder() / kind / name
    try:
        content = path.read_bytes()
        # The time of the last use decides what stays.
        os.utime(path)
    except OSError:
        return None
    return content[_DIGEST_SIZE:] if content[:_DIGEST_SIZE] == _digest(name, content[_DIGEST_SIZE:]) else None


def keep(kind: str, name: str, content: bytes, *, most: int) -> None:
    """Keep a result, and the ``most`` latest used of its kind; a cache that cannot be written is no error."""
    folder = cache_folder() / kind
    with suppress(OSError, StorageError):
        folder.mkdir(parents=True, exist_ok=True)
        with new_file(folder / name) as file:
            file.write(_digest(name, content) + content)
        _prune(folder, most)


def _digest(name: str, content: bytes) -> bytes:
    """Cover the name too, so that a renamed file is as good as none."""
    return hashlib.blake2b(name.encode() + content, digest_size=_DIGEST_SIZE).digest()


def _prune(folder: Path, most: int) -> None:
    files = [path for path in folder.iterdir() if not path.name.startswith(".")]
    for path in sorted(files, key=lambda path: path.stat().st_mtime_ns, reverse=True)[most:]:
        path.unlink(missing_ok=True)
