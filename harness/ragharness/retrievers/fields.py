r"""Words in two fields: the title says which document is meant, the body what is asked of it.

    score(p) = sum over the query's distinct terms t of
               TITLE_WEIGHT * ln(1 + N / n(t))   where the title of p holds t,
               BM25Okapi's score of t in the body of p   where it does not

``N`` are the titles, ``n(t)`` those that hold t. A term of the title counts there and nowhere else: in one
field, the words that name a document drown those that ask something of it. The body is a passage's headings,
without rows of column heads, and its text.

Terms are words as ``language.words`` compares them: stems, and one name for the words of a synonym group.
Stop words of a query are left out. Ties and the cache are as with ``bm25``.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import chain
from math import log
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ragharness.corpus.passages import SEPARATOR, EvidenceIndex, PassageSet
from ragharness.language import words
from ragharness.language.words import STOPWORDS, concept
from ragharness.records import Passage
from ragharness.retrievers import bm25
from ragharness.support.options import Options

TITLE_WEIGHT = 3  # of a term in the title; chosen on sets made for it: docs/retrieval.md

_SOURCES = (__file__, bm25.__file__, words.__file__, str(Path(words.__file__).with_name("en") / "words.toml"))


def terms(text: str) -> list[str]:
    """The terms of a text in order."""
    return list(map(concept, words.words(text)))


def query_terms(text: str) -> list[str]:
    """The distinct terms of a query's content words; of all its words where it has no other."""
    query = words.words(text)
    return list(dict.fromkeys(map(concept, [word for word in query if word not in STOPWORDS] or query)))


def body(passage: Passage) -> str:
    """The searched text of a passage besides its title."""
    headings = [line for line in passage.heading.split("\n") if SEPARATOR not in line]
    return "\n".join((*headings, passage.text))


class FieldsRetriever(bm25.BM25Retriever):
    """BM25Okapi of the bodies and the weight of the titles; reading is safe from many threads."""

    name = "fields"

    def __init__(self, passages: Sequence[Passage], index: bm25.Index) -> None:
        super().__init__(passages, index)
        self.settings = {"k1": bm25.K1, "b": bm25.B, "epsilon": bm25.EPSILON, "title_weight": TITLE_WEIGHT}

    def scores(self, query: str) -> NDArray[np.float64]:
        """The score of every passage, in index order."""
        scores = np.zeros(len(self._passages))
        for term in query_terms(query):
            self._index.add(scores, term)
        return scores


def build_index(passages: Sequence[Passage]) -> bm25.Index:
    """The index of the bodies, with the weight of the title where a term stands in that."""
    counted = bm25.Counted((words.words(body(passage)) for passage in passages), concept)
    weigh = bm25.weigher(counted)  # by the statistics of the bodies
    titles = {
        title: array("i", {counted.numbers[word] for word in words.words(title)})
        for title in dict.fromkeys(passage.title for passage in passages)
    }
    frequencies = np.bincount(
        list(chain.from_iterable(titles.values())), minlength=len(counted.numbers.terms)
    )
    title_weights = np.array(
        [TITLE_WEIGHT * log(1 + len(titles) / count) if count else 0 for count in frequencies.tolist()],
        dtype=np.float64,
    )
    counted.override(titles[passage.title] for passage in passages)

    def weigh_both(
        numbers: NDArray[np.int64], rows: NDArray[np.int64], counts: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        weights = title_weights[numbers]
        in_body = counts > 0
        weights[in_body] = weigh(numbers[in_body], rows[in_body], counts[in_body])
        return weights

    return counted.index(weigh_both)


def build(
    passages: PassageSet, evidence: EvidenceIndex | None, cache: Path | None, options: Options | None = None
) -> FieldsRetriever:
    """The two fields over ``passages``, the index of the bodies from ``cache`` when one fits."""
    path = bm25.index_path(cache, passages, "fields", _SOURCES) if cache is not None else None
    return FieldsRetriever(passages.passages, bm25.ready(path, lambda: build_index(passages.passages)))
