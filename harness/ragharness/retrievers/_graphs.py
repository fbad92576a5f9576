"""Approximate indexes on disk: named for the vectors and the way they were built, believed by their digest.

A file is a digest of 32 bytes, over its name too, and what FAISS writes of an index. FAISS never sees a file
that is torn or altered.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ragharness.retrievers._nearest import Kind
    from ragharness.retrievers._vectors import Vectors

KEPT = 8
"""Approximate indexes kept in a folder; the longest unused ones go first."""

_DIGEST_SIZE = 32


def index_path(folder: Path, vectors: Vectors, kind: Kind, version: str) -> Path:
    """Return where the index belongs: other vectors, parameters or FAISS, another file."""
    built_with = sorted(
        item for item in kind.parameters.items() if not item[0].endswith(("search", "probes"))
    )
    digest = hashlib.sha256(repr((vectors.shape, kind.name, built_with, version)).encode())
    digest.update(vectors.data)
    return folder / f"faiss-{digest.hexdigest()[:32]}.index"


def load(path: Path, faiss: Any) -> Any:
    """Return the cached index, or None when there is none that can be believed."""
    try:
        content = path.read_bytes()
        # The time of the last use decides which indexes stay.
        os.utime(path)
    except OSError:
        return None
    if content[:_DIGEST_SIZE] != _digest(path, memoryview(content)[_DIGEST_SIZE:]):
        return None
    return faiss.deserialize_index(np.frombuffer(content, dtype=np.uint8, offset=_DIGEST_SIZE))


def save(path: Path, content: NDArray[np.uint8]) -> None:
    """Write the index under another name and rename it; a cache that cannot be written is no error."""
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, unfinished = tempfile.mkstemp(prefix=".faiss-", suffix=".tmp", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_digest(path, content.data))
                file.write(content.data)
            Path(unfinished).replace(path)
        finally:
            Path(unfinished).unlink(missing_ok=True)
        kept = sorted(path.parent.glob("faiss-*.index"), key=lambda each: -each.stat().st_mtime_ns)
        for each in kept[KEPT:]:
            each.unlink(missing_ok=True)


def _digest(path: Path, content: memoryview) -> bytes:
    digest = hashlib.blake2b(path.name.encode(), digest_size=_DIGEST_SIZE)
    digest.update(content)
    return digest.digest()
