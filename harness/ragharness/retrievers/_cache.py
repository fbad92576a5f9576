"""Cached indexes: named for all that they depend on, and believed only when their digest fits.

A file is a digest of 32 bytes and the arrays of an ``Index`` in numpy's own format, one after the other. The
digest covers the name too, so that a torn, altered or renamed file is as good as none.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import unicodedata
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ragharness.language import tokens
from ragharness.retrievers import _terms
from ragharness.retrievers._index import EPSILON, K1, B, Index

if TYPE_CHECKING:
    from ragharness.passages import PassageSet

FORMAT = 1
"""Raised when the arrays of a cached index change their meaning."""

KEPT = 24
"""Indexes kept in the cache folder; the longest unused ones go first."""

_DIGEST_SIZE = 32


def index_path(folder: Path, passages: PassageSet) -> Path:
    """Return where the index of these passages belongs: another tokenizer or Unicode, another file."""
    sources = [Path(str(module.__file__)).read_bytes() for module in (tokens, _terms)]
    tokenizer = hashlib.sha256(b"\n".join(sources)).hexdigest()
    parts = (FORMAT, passages.key, len(passages.passages), tokenizer, unicodedata.unidata_version)
    key = hashlib.sha256(repr((*parts, K1, B, EPSILON)).encode()).hexdigest()[:32]
    return folder / f"bm25-{key}.index"


def load(path: Path) -> Index | None:
    """Return the cached index, or None when there is none that can be believed."""
    try:
        content = path.read_bytes()
        # The time of the last use decides which indexes stay.
        os.utime(path)
    except OSError:
        return None
    if content[:_DIGEST_SIZE] != _digest(path, content[_DIGEST_SIZE:]):
        return None
    file = BytesIO(content)
    file.seek(_DIGEST_SIZE)
    vocabulary, idf, starts, rows, counts, lengths, mean_length = (
        np.load(file, allow_pickle=False) for _ in range(7)
    )
    words = vocabulary.tobytes().decode().splitlines()
    return Index(words, idf, starts, rows, counts, lengths, float(mean_length))


def save(path: Path, index: Index) -> None:
    """Write the index under another name and rename it; a cache that cannot be written is no error."""
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, unfinished = tempfile.mkstemp(prefix=".bm25-", suffix=".tmp", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                content = _packed(index)
                file.write(_digest(path, content) + content)
            Path(unfinished).replace(path)
        finally:
            Path(unfinished).unlink(missing_ok=True)
        _prune(path.parent)


def _packed(index: Index) -> bytes:
    file = BytesIO()
    vocabulary = np.frombuffer("\n".join(index.vocabulary).encode(), dtype=np.uint8)
    numbers = (
        index.idf,
        index.starts,
        index.rows,
        index.counts,
        index.lengths,
        np.float64(index.mean_length),
    )
    for array in (vocabulary, *numbers):
        np.save(file, array, allow_pickle=False)
    return file.getvalue()


def _digest(path: Path, content: bytes) -> bytes:
    return hashlib.blake2b(path.name.encode() + content, digest_size=_DIGEST_SIZE).digest()


def _prune(folder: Path) -> None:
    kept = sorted(folder.glob("bm25-*.index"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
    for path in kept[KEPT:]:
        path.unlink(missing_ok=True)
