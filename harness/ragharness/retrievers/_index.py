"""The statistics and inverted lists of a passage set, as BM25Okapi counts them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

K1 = 1.5
B = 0.75
EPSILON = 0.25


@dataclass(frozen=True)
class Index:
    """Statistics and postings; token ``i`` owns postings ``starts[i]`` to ``starts[i + 1]``."""

    vocabulary: list[str]
    idf: NDArray[np.float64]
    starts: NDArray[np.int64]
    rows: NDArray[np.int32]
    """The passage of each posting, ascending within a token."""
    counts: NDArray[np.int32]
    """How often the token stands in that passage."""
    lengths: NDArray[np.int64]
    """Tokens of each passage."""
    mean_length: float


def build_index(tokenised: Sequence[list[str]]) -> Index:
    """Return the index of tokenised passages, its statistics taken from BM25Okapi."""
    lengths = np.array([len(passage) for passage in tokenised], dtype=np.int64)
    if not lengths.any():
        # BM25Okapi divides by the number of tokens; without any token every score is 0.
        none = np.zeros(0, dtype=np.int32)
        return Index([], np.zeros(0), np.zeros(1, dtype=np.int64), none, none, lengths, 1.0)
    from rank_bm25 import BM25Okapi

    okapi = BM25Okapi(tokenised, k1=K1, b=B, epsilon=EPSILON)
    number = {word: position for position, word in enumerate(okapi.idf)}
    posted = [number[word] for frequencies in okapi.doc_freqs for word in frequencies]
    counts = [count for frequencies in okapi.doc_freqs for count in frequencies.values()]
    rows = np.repeat(np.arange(len(tokenised), dtype=np.int32), [len(found) for found in okapi.doc_freqs])
    by_word = np.argsort(np.array(posted, dtype=np.int64), kind="stable")
    sizes = np.bincount(posted, minlength=len(number))
    return Index(
        vocabulary=list(number),
        idf=np.array(list(okapi.idf.values()), dtype=np.float64),
        starts=np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        rows=rows[by_word],
        counts=np.array(counts, dtype=np.int32)[by_word],
        lengths=lengths,
        mean_length=float(okapi.avgdl),
    )


def weights(index: Index) -> NDArray[np.float64]:
    """Return what each posting adds to a score."""
    # The operations and their order are BM25Okapi.get_scores's: any other order rounds differently.
    counts = index.counts.astype(np.float64)
    norms = K1 * (1 - B + B * index.lengths / index.mean_length)
    idf = np.repeat(index.idf, np.diff(index.starts))
    result: NDArray[np.float64] = idf * (counts * (K1 + 1) / (counts + norms[index.rows]))
    return result
