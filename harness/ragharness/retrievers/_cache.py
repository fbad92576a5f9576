"""Cached indexes, named by a hash of everything they depend on and verified by a digest.

A file holds the arrays of an ``Index`` in numpy's own format, one after the other.
"""

from __future__ import annotations

import hashlib
import unicodedata
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ragharness.language import tokens
from ragharness.retrievers import _terms
from ragharness.retrievers._index import EPSILON, K1, B, Index
from ragharness.support.files import keep, kept

if TYPE_CHECKING:
    from ragharness.passages import PassageSet

FORMAT = 1
"""Raised when the arrays of a cached index change their meaning."""

KEPT = 24
"""Indexes kept in the cache folder; the longest unused ones go first."""


def index_path(folder: Path, passages: PassageSet) -> Path:
    """Return where the index of these passages belongs: another tokenizer or Unicode, another file."""
    sources = [Path(str(module.__file__)).read_bytes() for module in (tokens, _terms)]
    tokenizer = hashlib.sha256(b"\n".join(sources)).hexdigest()
    parts = (FORMAT, passages.key, len(passages.passages), tokenizer, unicodedata.unidata_version)
    key = hashlib.sha256(repr((*parts, K1, B, EPSILON)).encode()).hexdigest()[:32]
    return folder / f"bm25-{key}.index"


def load(path: Path) -> Index | None:
    """Return the cached index, or None when there is none that can be believed."""
    content = kept(path)
    if content is None:
        return None
    file = BytesIO(content)
    vocabulary, idf, starts, rows, counts, lengths, mean_length = (
        np.load(file, allow_pickle=False) for _ in range(7)
    )
    words = vocabulary.tobytes().decode().splitlines()
    return Index(words, idf, starts, rows, counts, lengths, float(mean_length))


def save(path: Path, index: Index) -> None:
    """Keep the index; a cache that cannot be written is no error."""
    keep(path, _packed(index), most=KEPT, alike="bm25-*.index", private=True)


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
