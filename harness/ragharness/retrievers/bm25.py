r"""BM25 with exactly the scores of rank-bm25's BM25Okapi, read from inverted lists.

BM25Okapi computes the idf with its floor; ``_postings`` keeps what each word adds to a score, and the same
numbers are added in the same order, so a score differs by 0 in float64:

    score(d) = sum over the query's terms t, in order, each occurrence counted, of
               idf(t) * (tf(t, d) * (k1 + 1) / (tf(t, d) + k1 * (1 - b + b * length(d) / mean length)))

with ``k1`` 1.5, ``b`` .75 and, for a term in more than half of the passages, ``epsilon`` .25 times the
mean idf in place of its negative idf (the ATIRE variant of Trotman, Puurula and Burgess 2014, as rank-bm25
has it).

Ties: the higher score first, then the lower passage index. A query without a known term gives every
passage the score 0, so the first ``k`` passages come back in index order. What is indexed is the passage's
title, a newline and its text. The index is kept on disk.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ragharness.corpus.evidence import EvidenceIndex
from ragharness.corpus.passages import PassageSet
from ragharness.language import words
from ragharness.records import Hit, Passage, Question
from ragharness.retrievers import _postings
from ragharness.retrievers._postings import FORMAT, Counted, Index, ready
from ragharness.support.files import hash_code
from ragharness.support.options import Options

if TYPE_CHECKING:
    from numpy.typing import NDArray

K1 = 1.5
B = 0.75
EPSILON = 0.25

LETTERS = 5
"""Letters that are kept of a word."""

_SOURCES = (str(words.__file__), str(_postings.__file__), __file__)

_GROUP = 64
"""Scores whose best stands for them when the k best are looked for."""


def build_index(texts: Iterable[str], term: Callable[[str], str]) -> Index:
    """Return the index of some texts."""
    counted = Counted(map(words.words, texts), term)
    return counted.index(weigher(counted))


def weigher(counted: Counted) -> Callable[..., NDArray[np.float64]]:
    """Return what each posting adds to a score, from its term's number, its row and its count."""
    words = int(counted.lengths.sum())
    if not words:
        # BM25Okapi divides by the number of words; without any there is no posting either.
        return lambda numbers, rows, counts: np.zeros(0)  # noqa: ARG005
    from rank_bm25 import BM25Okapi

    # Its constructor counts the words of each passage in a dictionary; here they are counted.
    okapi = BM25Okapi.__new__(BM25Okapi)
    okapi.corpus_size, okapi.epsilon, okapi.idf = len(counted.lengths), EPSILON, {}
    okapi._calc_idf(dict(zip(counted.numbers.terms, counted.often.tolist(), strict=True)))  # noqa: SLF001
    idf = np.array(list(okapi.idf.values()))
    norms = K1 * (1 - B + B * counted.lengths / (words / len(counted.lengths)))

    def weigh(
        numbers: NDArray[np.int64], rows: NDArray[np.int64], counts: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        # The operations and their order are BM25Okapi.get_scores's: any other order rounds differently.
        result: NDArray[np.float64] = idf[numbers] * (counts * (K1 + 1) / (counts + norms[rows]))
        return result

    return weigh


def terms(text: str) -> list[str]:
    """Return the terms of a text in order: its ``language.words.words``, those of letters alone cut.

    Truncation is the plainest stemmer, needs no list of any language, and at five letters does as well as the
    rule-based ones (McNamee and Mayfield, Information Retrieval 7, 2004). Words with a digit (years, amounts,
    numbers of clauses) stay whole. Over the answerable questions that can be asked, evidence is among the
    best five passages for 72 instead of 67 of 100 on ContractNLI's test split and for 85 instead of 83 on
    the sample.
    """
    return list(map(_term, words.words(text)))


def _term(word: str) -> str:
    return word[:LETTERS] if word.isalpha() else word


def index_path(
    folder: Path, passages: PassageSet, name: str = "bm25", sources: Sequence[str] = _SOURCES
) -> Path:
    """Return where the index of these passages belongs: another tokenizer or Unicode, another file.

    ``sources`` are the files that decide what the terms are.
    """
    tokenizer = hash_code(*map(Path, sources))
    parts = (FORMAT, passages.key, len(passages.passages), tokenizer, unicodedata.unidata_version)
    key = hashlib.sha256(repr((*parts, K1, B, EPSILON)).encode()).hexdigest()[:32]
    return folder / f"{name}-{key}.index"


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
        self._index = index

    def scores(self, query: str) -> NDArray[np.float64]:
        """Return the score of every passage, in index order."""
        scores = np.zeros(len(self._passages))
        for term in terms(query):
            self._index.add(scores, term)
        return scores

    def scores_of(self, query: str, passages: Sequence[Passage]) -> list[float]:
        """Return the scores of some passages of the set."""
        scores = self.scores(query) if passages else np.zeros(0)
        return [float(scores[self._place[passage.id]]) for passage in passages]

    def retrieve(self, query: str, k: int, question: Question | None = None) -> list[Hit]:  # noqa: ARG002
        """Return the ``k`` best passages (all of them when there are fewer), ties in index order."""
        scores = self.scores(query)
        return [Hit(self._passages[row], score) for row, score in _best(scores, k)]

    @cached_property
    def _place(self) -> dict[str, int]:
        return {passage.id: row for row, passage in enumerate(self._passages)}


def build(
    passages: PassageSet, evidence: EvidenceIndex | None, cache: Path | None, options: Options | None = None
) -> BM25Retriever:
    """Return BM25 over ``passages``, its index from ``cache`` when there is one that fits."""
    path = index_path(cache, passages) if cache is not None else None
    index = ready(path, lambda: build_index(map(indexed_text, passages.passages), _term))
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
