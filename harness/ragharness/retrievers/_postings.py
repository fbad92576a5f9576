"""Inverted lists: counted block by block, kept in one file, and mapped from it.

A block is a few thousand passages as sorted keys, ``number of the term << BITS | row in the block``, and how
often the term stands in each: no dictionary or list is kept of a passage. In the file, the head (terms, where
their lists start, a checksum of each list) has a digest that is checked at once; a list is checked when it is
first asked for, and a damaged one has the whole index made again.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from hashlib import blake2b
from io import BytesIO
from itertools import islice
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ragharness.support.files import keep, kept_mapped

Block = tuple[NDArray[np.int64], NDArray[np.int32]]
"""Keys, and how often each; 0: the term is in the passage's title."""

FORMAT = 2
"""Raised when the bytes of a kept index change their meaning."""

KEPT = 24
"""Indexes of a retriever kept in the cache folder; the longest unused ones go first."""

REMEMBERED = 512 * 2**20
"""Bytes at most of lists that are held ready, besides what the system keeps of the file."""

BITS = 14
"""A block has two to the power of this passages."""

DENSE_SHARE = 16
"""A term in more than one of so many passages is added as one whole array, which is faster than by row."""


class Numbers(dict[str, int]):
    """The number of each word's term; terms are numbered in the order in which they are first met."""

    def __init__(self, term: Callable[[str], str]) -> None:
        super().__init__()
        self.terms: dict[str, int] = {}
        self._term = term

    def __missing__(self, word: str) -> int:
        number = self[word] = self.terms.setdefault(self._term(word), len(self.terms))
        return number


class Counted:
    """How often each term stands in each passage."""

    def __init__(self, passages: Iterable[Iterable[str]], term: Callable[[str], str]) -> None:
        self.numbers = Numbers(term)
        number = self.numbers.__getitem__
        self.lengths = np.zeros(0, dtype=np.int64)
        """Words of each passage."""
        self._blocks: list[Block] = []
        for sizes, block in _blocks(map(number, each) for each in passages):
            self._blocks.append(block)
            self.lengths = np.concatenate((self.lengths, sizes))

    @property
    def often(self) -> NDArray[np.int64]:
        """In how many passages each term stands, by its number."""
        total = np.zeros(len(self.numbers.terms), dtype=np.int64)
        for keys, _ in self._blocks:
            total += np.bincount(keys >> BITS, minlength=len(total))
        return total

    def put_over(self, passages: Iterable[Iterable[int]]) -> None:
        """Replace what is counted of some terms, given by number for each passage, by 0."""
        for place, (_, (over, _)) in enumerate(_blocks(passages)):
            keys, counts = self._blocks[place]
            left = np.isin(keys, over, assume_unique=True, invert=True)
            keys = np.concatenate((keys[left], over))
            order = keys.argsort(kind="stable")
            counts = np.concatenate((counts[left], np.zeros(len(over), dtype=np.int32)))
            self._blocks[place] = keys[order], counts[order]

    def index(self, weigh: Callable[..., NDArray[np.float64]]) -> Index:
        """Return the index; ``weigh`` gets numbers, rows and counts. The blocks are used up."""
        often = self.often
        starts = np.concatenate(([0], np.cumsum(often)))
        rows, weights = np.empty(starts[-1], dtype=np.int32), np.empty(starts[-1])
        ends = starts[:-1].copy()
        for block in range(len(self._blocks)):
            keys, counts = self._blocks[block]
            self._blocks[block] = keys[:0], counts[:0]
            numbers, row = keys >> BITS, (keys & (1 << BITS) - 1) + (block << BITS)
            there, firsts, sizes = np.unique(numbers, return_index=True, return_counts=True)
            place = np.arange(len(keys)) + np.repeat(ends[there] - firsts, sizes)
            ends[there] += sizes
            rows[place], weights[place] = row, weigh(numbers, row, counts)
        terms = np.array(list(map(_key, self.numbers.terms)), dtype=np.uint64)
        order = terms.argsort()
        return Index(terms[order], order, starts, rows, weights, len(self.lengths))


def _blocks(passages: Iterable[Iterable[int]]) -> Iterator[tuple[NDArray[np.int64], Block]]:
    """Yield the lengths of the passages of each block, and the block."""
    left = iter(passages)
    while some := [array("i", each) for each in islice(left, 1 << BITS)]:
        sizes = np.array(list(map(len, some)))
        numbers = np.frombuffer(b"".join(some), dtype=np.intc).astype(np.int64)
        said = numbers << BITS | np.repeat(np.arange(len(sizes)), sizes)
        keys, counts = np.unique(said, return_counts=True)
        yield sizes, (keys, counts.astype(np.int32))


class Index:
    """The passages of each term, and what it adds to the score of each; reading is safe from many threads."""

    def __init__(
        self,
        terms: NDArray[np.uint64],
        numbers: NDArray[np.intp],
        starts: NDArray[np.int64],
        rows: NDArray[np.int32],
        weights: NDArray[np.float64],
        size: int,
        checks: NDArray[np.uint32] | None = None,
    ) -> None:
        self._terms, self._numbers = terms, numbers
        """Digests of the terms, sorted, and the number of each: quicker to have than a dictionary."""
        self._sorted = terms.data
        self.starts, self.size = starts, size
        """Term i owns postings ``starts[i]`` to ``starts[i + 1]``, its passages ascending."""
        self.rows, self.weights = rows, weights
        self._checks = checks
        self._sound = bytearray(len(terms))
        self.mend: Callable[[], Index] | None = None
        """What makes the index again."""
        # The largest list that is held has a number for each passage.
        self._list = lru_cache(max(16, REMEMBERED // max(1, 8 * size)))(self._list_of)

    def add(self, scores: NDArray[np.float64], term: str) -> None:
        """Add what a term adds to the scores of its passages."""
        rows, weights = self._list(term)
        if rows is None:
            scores += weights
        else:
            scores[rows] += weights

    def _list_of(self, term: str) -> tuple[NDArray[np.intp] | None, NDArray[np.float64]]:
        """Return the passages of a term and what it adds to each; no passages: it adds something to all."""
        key = _key(term)
        place = bisect_left(self._sorted, key)
        if place == len(self._sorted) or self._sorted[place] != key:
            return np.zeros(0, dtype=np.intp), np.zeros(0)
        number = self._numbers[place]
        if self._checks is not None and not self._sound[number]:
            if self.check(number) != self._checks[number]:
                assert self.mend is not None
                # Two threads may both do it; they make the same, so whichever stays is right.
                again = self.mend()
                self.rows, self.weights = again.rows, again.weights
            self._sound[number] = True
        own = slice(*self.starts[number : number + 2].tolist())
        # Indexing with the platform's own integer saves a conversion at every query.
        rows, weights = self.rows[own].astype(np.intp), self.weights[own]
        if len(rows) * DENSE_SHARE <= self.size:
            return rows, weights
        whole = np.zeros(self.size)
        whole[rows] = weights
        return None, whole

    def check(self, number: int) -> int:
        """Return the checksum of a list."""
        own = slice(*self.starts[number : number + 2].tolist())
        return crc32(self.weights[own].data, crc32(self.rows[own].data))

    def save(self, path: Path) -> None:
        """Keep the index; a cache that cannot be written is no error."""
        head = BytesIO()
        checks = np.array([self.check(number) for number in range(len(self._terms))], dtype=np.uint32)
        for each in (self._terms, self._numbers, self.starts, checks, np.int64(self.size)):
            np.save(head, each, allow_pickle=False)
        alike = f"{path.name.partition('-')[0]}-*.index"
        parts = (self.weights.data, self.rows.data)
        keep(path, head.getvalue(), *parts, most=KEPT, alike=alike)


def load(path: Path) -> Index | None:
    """Return the index that is kept there, or None when there is none that can be believed."""
    found = kept_mapped(path)
    if found is None:
        return None
    head, lists = BytesIO(found[0]), found[1]
    terms, numbers, starts, checks, size = (np.load(head, allow_pickle=False) for _ in range(5))
    count = int(starts[-1])
    if len(lists) != 12 * count:
        return None
    weights = np.frombuffer(lists, dtype=np.float64, count=count)
    rows = np.frombuffer(lists, dtype=np.int32, offset=8 * count)
    return Index(terms, numbers, starts, rows, weights, int(size), checks)


def _key(term: str) -> int:
    return int.from_bytes(blake2b(term.encode(), digest_size=8).digest(), "little")


def ready(path: Path | None, make: Callable[[], Index]) -> Index:
    """Return the index that is kept at ``path``, or else make it and keep it there."""
    index = load(path) if path is not None else None
    if index is None:
        index = make()
        if path is not None:
            index.save(path)
    index.mend = lambda: _again(path, make)
    return index


def _again(path: Path | None, make: Callable[[], Index]) -> Index:
    if path is not None:
        path.unlink(missing_ok=True)
    return ready(path, make)
