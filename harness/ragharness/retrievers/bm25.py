r"""BM25 with exactly the scores of rank-bm25's BM25Okapi, read from inverted lists.

BM25Okapi builds the statistics (idf with its floor, lengths, their mean); the lists here only look the
same numbers up and add them in the same order, so a score differs by 0 in float64:

    score(d) = sum over the query's terms t, in order, each occurrence counted, of
               idf(t) * (tf(t, d) * (k1 + 1) / (tf(t, d) + k1 * (1 - b + b * length(d) / mean length)))

with ``k1`` 1.5, ``b`` .75 and, for a term in more than half of the passages, ``epsilon`` .25 times the
mean idf in place of its negative idf (the ATIRE variant of Trotman, Puurula and Burgess 2014, as rank-bm25
has it).

Ties: the higher score first, then the lower passage index. A query without a known term gives every
passage the score 0, so the first ``k`` passages come back in index order. What is indexed is the passage's
title, a newline and its text; what counts as a term is in ``_index``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ragharness.records import Hit
from ragharness.retrievers import _index
from ragharness.retrievers._index import EPSILON, K1, LETTERS, B, Index, build_index, terms, weights

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from ragharness.evidence import EvidenceIndex
    from ragharness.options import Options
    from ragharness.passages import PassageSet
    from ragharness.records import Passage, Question

DENSE_SHARE = 16
"""A term in more than one of so many passages is added as one whole array, which is faster than by index."""

_GROUP = 64
"""Scores whose best stands for them when the k best are looked for."""


class BM25Retriever:
    """BM25Okapi over a passage set; reading is safe from many threads."""

    name = "bm25"

    def __init__(self, passages: Sequence[Passage], index: Index) -> None:
        self.settings: dict[str, str | int | float] = {
            "k1": K1,
            "b": B,
            "epsilon": EPSILON,
            "letters": LETTERS,
        }
        self._passages = passages
        self._place = {passage.id: row for row, passage in enumerate(passages)}
        self._number = {word: number for number, word in enumerate(index.vocabulary)}
        self._starts: list[int] = index.starts.tolist()
        # Fancy indexing with the platform's own integer saves a conversion at every query.
        self._rows = index.rows.astype(np.intp)
        self._weights = weights(index)
        self._dense: dict[int, NDArray[np.float64]] = {}

    def scores(self, query: str) -> NDArray[np.float64]:
        """Return the score of every passage, in index order."""
        scores = np.zeros(len(self._passages))
        for term in terms(query):
            number = self._number.get(term)
            if number is not None:
                self._add(scores, number)
        return scores

    def scores_of(self, query: str, passages: Sequence[Passage]) -> list[float]:
        """Return the scores of some passages of the set."""
        scores = self.scores(query) if passages else np.zeros(0)
        return [float(scores[self._place[passage.id]]) for passage in passages]

    def retrieve(self, query: str, k: int, question: Question | None = None) -> list[Hit]:  # noqa: ARG002
        """Return the ``k`` best passages (all of them when there are fewer), ties in index order."""
        scores = self.scores(query)
        return [Hit(self._passages[row], score) for row, score in _best(scores, k)]

    def _add(self, scores: NDArray[np.float64], number: int) -> None:
        start, end = self._starts[number], self._starts[number + 1]
        if (end - start) * DENSE_SHARE > len(scores):
            scores += self._whole(number, start, end)
        else:
            scores[self._rows[start:end]] += self._weights[start:end]

    def _whole(self, number: int, start: int, end: int) -> NDArray[np.float64]:
        whole = self._dense.get(number)
        if whole is None:
            whole = np.zeros(len(self._passages))
            whole[self._rows[start:end]] = self._weights[start:end]
            # Two threads may both build it; they build the same, so whichever stays is right.
            self._dense[number] = whole
        return whole


def build(
    passages: PassageSet, evidence: EvidenceIndex | None, cache: Path | None, options: Options | None = None
) -> BM25Retriever:
    """Return BM25 over ``passages``, its index from ``cache`` when there is one that fits."""
    path = _index.index_path(cache, passages) if cache is not None else None
    index = _index.load(path) if path is not None else None
    if index is None:
        index = build_index([terms(indexed_text(passage)) for passage in passages.passages])
        if path is not None:
            _index.save(path, index)
    return BM25Retriever(passages.passages, index)


def indexed_text(passage: Passage) -> str:
    """Return what is indexed of a passage: its title, a newline, its text."""
    return f"{passage.title}\n{passage.text}"


def _best(scores: NDArray[np.float64], k: int) -> list[tuple[int, float]]:
    k = min(k, len(scores))
    if k <= 0:
        return []
    # Rows are ascending, and a stable sort keeps equals so.
    rows = (scores >= _bound(scores, k)).nonzero()[0]
    found = scores.take(rows)
    order = (-found).argsort(kind="stable")[:k]
    return list(zip(rows.take(order).tolist(), found.take(order).tolist(), strict=True))


def _bound(scores: NDArray[np.float64], k: int) -> float:
    """Return a number that at least ``k`` scores reach, close to the k-th best."""
    columns = len(scores) // _GROUP
    # k groups whose best reaches a number hold k such scores: far cheaper than a partition of all of them.
    grouped = scores[: columns * _GROUP].reshape(_GROUP, columns)
    tops = grouped.max(axis=0) if columns >= k else scores.copy()
    tops.partition(len(tops) - k)
    return float(tops[len(tops) - k])
