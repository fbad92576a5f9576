"""Near-duplicate documents: a question about one could be answered from the other."""

from __future__ import annotations

from itertools import accumulate, chain, combinations
from typing import TYPE_CHECKING

from ragharness.language.tokens import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from ragharness.records import Document

_SHINGLE = 8
"""Words in a row that are compared: long enough that shared legal phrases alone weigh little.

A power of two: shingles are numbered by doubling."""

NEAR = 0.8
"""Share of common shingles (Jaccard) from which two documents are near-duplicates."""


def near_duplicates(documents: Iterable[Document], threshold: float = NEAR) -> frozenset[str]:
    """Return the ids of documents that share at least ``threshold`` of their shingles with another one."""
    import numpy as np

    names, texts = zip(*((each.id, each.text) for each in documents), strict=True)
    shingles = _shingles(texts)
    every = np.concatenate(shingles)
    several = np.bincount(every) > 1 if every.size else every
    # What stands in one document alone counts towards its size only.
    shared = [each[several[each]] for each in shingles]
    found: set[str] = set()
    for one, other in combinations(range(len(names)), 2):
        small, large = sorted((shingles[one].size, shingles[other].size))
        if small < threshold * large or min(shared[one].size, shared[other].size) < threshold * small:
            continue
        common = np.intersect1d(shared[one], shared[other], assume_unique=True).size
        if common and common >= threshold * (small + large - common):
            found.update((names[one], names[other]))
    return frozenset(found)


def _shingles(texts: Sequence[str]) -> list[NDArray[np.int64]]:
    """Return the numbers of each text's shingles, sorted; equal shingles have equal numbers.

    Numbers of single words become those of pairs, fours and eights: two neighbours, one number.
    """
    import numpy as np

    known: dict[str, int] = {}
    split = [[known.setdefault(word, len(known)) for word in words(text)] for text in texts]
    numbers = np.array(list(chain.from_iterable(split)), dtype=np.int64)
    width = 1
    while width < _SHINGLE:
        size = int(numbers.max(initial=0)) + 1
        numbers = np.unique(numbers[:-width] * size + numbers[width:], return_inverse=True)[1].reshape(-1)
        width *= 2
    ends = list(accumulate(len(each) for each in split))
    starts = [end - len(each) for end, each in zip(ends, split, strict=True)]
    return [
        np.unique(numbers[start : max(start, end - _SHINGLE + 1)])
        for start, end in zip(starts, ends, strict=True)
    ]
