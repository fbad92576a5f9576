"""Texts searched by many patterns, and compared with one another for near-duplicates."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING, Any

from ragharness.language.words import words
from ragharness.records import Document

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_DEPENDS_ON_CASE = re.compile(r"\\[A-Z]|\(\?|\[[^\]]*[A-Z]")
"""What means something else in a pattern that is put into lower case: classes, ranges, groups with a flag."""

_FOLDED = frozenset("\u0130\u0131\u017f")
"""Letters that ``re.IGNORECASE`` takes for an i or an s although lower case leaves them as they are."""


class Searched:
    """A text that many patterns are looked for in, as by ``re.IGNORECASE``; its lower case is made once."""

    def __init__(self, text: str) -> None:
        self._text = text
        lower = text.lower()
        self._lower = None if len(lower) != len(text) or _FOLDED & frozenset(text) else lower

    def holds(self, pattern: str) -> bool:
        """Whether a case-insensitive regular expression matches somewhere; raises re.error for none."""
        plain, quick = _compiled(pattern)
        if quick is not None and self._lower is not None:
            return quick.search(self._lower) is not None
        return plain.search(self._text) is not None

    def count(self, pattern: str) -> int:
        """Return how often it matches; raises re.error for no regular expression."""
        plain, quick = _compiled(pattern)
        if quick is not None and self._lower is not None:
            return sum(1 for _ in quick.finditer(self._lower))
        return sum(1 for _ in plain.finditer(self._text))


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> tuple[re.Pattern[str], re.Pattern[str] | None]:
    """Return the pattern for any text, and for one in lower case where that is the same."""
    quick = pattern.isascii() and not _DEPENDS_ON_CASE.search(pattern)
    return re.compile(pattern, re.IGNORECASE), re.compile(pattern.lower()) if quick else None


_SHINGLE = 8
"""Words in a row that are compared: long enough that shared legal phrases alone weigh little.

A power of two: shingles are numbered by doubling."""

NEAR = 0.8
"""Share of common shingles (Jaccard) from which two documents are near-duplicates."""


def near_duplicates(documents: Iterable[Document], threshold: float = NEAR) -> frozenset[str]:
    """Return the ids of documents that share at least ``threshold`` of their shingles with another one.

    Shingles that the same documents hold (a paragraph that was copied) are counted as one, with their number
    for its weight: each document is compared with those alone that hold something of it.
    """
    import numpy as np

    names, texts = zip(*((each.id, each.text) for each in documents), strict=True)
    shingles = _shingles(texts)
    sizes = np.array([each.size for each in shingles])
    every = np.concatenate(shingles)
    order = every.argsort(kind="stable")
    holders, every = np.repeat(np.arange(len(names)), sizes)[order], every[order]
    starts = np.flatnonzero(np.diff(every, prepend=~every[:1]))
    counts = np.diff(starts, append=every.size)
    # What stands in one document alone counts towards its size only.
    several = counts > 1
    holding = np.add.reduceat(_mixed(holders), starts)[several] if several.any() else starts[:0]
    _, firsts, weights = np.unique(holding, return_index=True, return_counts=True)
    held = [
        holders[start : start + count]
        for start, count in zip(starts[several][firsts], counts[several][firsts], strict=True)
    ]
    groups: list[list[int]] = [[] for _ in names]
    for group, each in enumerate(held):
        for document in each.tolist():
            groups[document].append(group)
    found = []
    for document, own in enumerate(groups):
        if weights[own].sum() < threshold * sizes[document]:
            continue
        others = [held[group] for group in own]
        times = np.repeat(weights[own], [each.size for each in others])
        common = np.bincount(np.concatenate(others), times, len(names)) if others else np.zeros(len(names))
        common[document] = 0
        if np.any((common > 0) & (common >= threshold * (sizes[document] + sizes - common))):
            found.append(names[document])
    return frozenset(found)


def _shingles(texts: Iterable[str]) -> list[NDArray[np.uint64]]:
    """Return a number of 64 bits for each of a text's shingles, sorted; equal shingles have equal numbers.

    Numbers of single words become those of pairs, fours and eights: two neighbours, one number.
    """
    import numpy as np

    known: defaultdict[str, int] = defaultdict(count(1).__next__)
    found = []
    for text in texts:
        numbers = _mixed(np.array([known[word] for word in words(text)], dtype=np.uint64))
        width = 1
        while width < _SHINGLE:
            numbers = _mixed(numbers[:-width] * np.uint64(3) + numbers[width:])
            width *= 2
        found.append(np.unique(numbers))
    return found


def _mixed(numbers: NDArray[np.integer[Any]]) -> NDArray[np.uint64]:
    """Return numbers of which each bit depends on all of the given ones (SplitMix64's last step)."""
    import numpy as np

    mixed: NDArray[np.uint64] = numbers.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return mixed
