"""Documents that say nearly the same: a question about one of them could be answered from the other."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from ragharness.language.tokens import words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ragharness.records import Document

_SHINGLE = 8
"""Words in a row that are compared: long enough that shared legal phrases alone weigh little."""

NEAR = 0.8
"""Share of common shingles (Jaccard) from which two documents are near-duplicates."""


def near_duplicates(documents: Iterable[Document], threshold: float = NEAR) -> frozenset[str]:
    """Return the ids of documents that share at least ``threshold`` of their shingles with another one."""
    shingles = {document.id: _shingles(document.text) for document in documents}
    found: set[str] = set()
    for (one, first), (other, second) in combinations(shingles.items(), 2):
        small, large = sorted((len(first), len(second)))
        if small < threshold * large:
            continue
        common = len(first & second)
        if common and common >= threshold * (small + large - common):
            found.update((one, other))
    return frozenset(found)


def _shingles(text: str) -> frozenset[tuple[str, ...]]:
    tokens = words(text)
    return frozenset(zip(*(tokens[start:] for start in range(_SHINGLE)), strict=False))
