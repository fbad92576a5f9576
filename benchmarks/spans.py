"""ContractNLI's own task of finding evidence, through our corpus, spans and evidence: the scale of its paper.

A pair is a contract and a hypothesis that it entails or contradicts. A ranker scores every span (sentence or
list item) of the contract for the text of the hypothesis; relevant are those that hold annotated evidence.

    mAP     mean over the pairs of the average precision of the contract's spans
    P@R80   precision where, over the spans of all pairs in one pool, recall first reaches .8

Koreeda and Manning (2021), Table 4, give .381 and .057 for "Span TF-IDF + cosine". That one is a mean over
pairs and the other pooled are readings that their published evaluation offers, and the only ones under which
the row comes out: pooled, plain TF-IDF has an average precision of .142; over pairs, a P@R80 of .292.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ragharness.corpus.evidence import ENOUGH, EvidenceIndex
from ragharness.corpus.passages import PassageSet
from ragharness.records import Passage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ragharness.corpus.loading import Corpus
    from ragharness.retrievers import Retriever

    Rank = Callable[[str], NDArray[np.float64]]
    """From a query to a score for each span of the corpus, in order."""

RECALL = 0.8


@dataclass(frozen=True)
class Task:
    """The spans of all contracts as passages, and for each pair its hypothesis and relevant spans."""

    spans: PassageSet
    pairs: tuple[Pair, ...]


@dataclass(frozen=True)
class Pair:
    """One hypothesis about one contract, whose spans are ``first`` to ``last`` of the corpus."""

    hypothesis: str
    first: int
    last: int
    relevant: NDArray[np.bool_]


def task(corpus: Corpus) -> Task:
    """Return the task of a split of ContractNLI."""
    spans = tuple(
        Passage(f"{document.id}#{number}", document.id, "", start, end, document.text[start:end])
        for document in corpus.documents
        for number, (start, end) in enumerate(document.segments, start=1)
    )
    passages, evidence = PassageSet(spans, 0), EvidenceIndex(corpus)
    places: dict[str, list[int]] = {}
    for row, span in enumerate(spans):
        places.setdefault(span.document, []).append(row)
    pairs = []
    for fact in corpus.facts:
        if fact.answers:
            rows = places[fact.document]
            held = [
                any(evidence.coverage(passage, gold) >= ENOUGH for gold in fact.evidence)
                for passage in passages.of(fact.document)
            ]
            pairs.append(Pair(fact.details["hypothesis"], rows[0], rows[-1] + 1, np.array(held)))
    return Task(passages, tuple(pairs))


def measured(given: Task, rank: Rank) -> dict[str, float]:
    """Return mAP and P@R80 of a ranker."""
    scored: dict[str, NDArray[np.float64]] = {}
    precisions, relevant, scores = [], [], []
    for pair in given.pairs:
        if pair.hypothesis not in scored:
            scored[pair.hypothesis] = rank(pair.hypothesis)
        own = scored[pair.hypothesis][pair.first : pair.last]
        precisions.append(average_precision(pair.relevant, own))
        relevant.append(pair.relevant)
        scores.append(own)
    pooled = precision_at_recall(np.concatenate(relevant), np.concatenate(scores))
    return {"map": math.fsum(precisions) / len(precisions), "precision_at_recall_80": pooled}


def average_precision(relevant: NDArray[np.bool_], scores: NDArray[np.float64]) -> float:
    """Return the sum over thresholds of precision times the recall gained; equal scores are one threshold."""
    found, taken = _steps(relevant, scores)
    gained = np.diff(found, prepend=0) / found[-1]
    return float((gained * found / taken).sum())


def precision_at_recall(
    relevant: NDArray[np.bool_], scores: NDArray[np.float64], recall: float = RECALL
) -> float:
    """Return the precision at the highest threshold whose recall reaches ``recall``."""
    found, taken = _steps(relevant, scores)
    at = int(np.argmax(found >= recall * found[-1]))
    return float(found[at] / taken[at])


def _steps(
    relevant: NDArray[np.bool_], scores: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each distinct score, highest first, how many relevant and how many in all reach it."""
    order = np.argsort(-scores, kind="stable")
    last = np.append(np.diff(scores[order]) != 0, True)
    return np.cumsum(relevant[order])[last], np.arange(1, len(scores) + 1)[last]


def tf_idf(texts: Sequence[str]) -> Rank:
    """Return cosines of TF-IDF vectors fitted on the texts.

    Words of two characters or more in lower case, raw counts, idf = ln((1 + n) / (1 + n(word))) + 1, vectors
    of length 1: what scikit-learn's TfidfVectorizer does unless told otherwise.
    """
    counted = [_counted(text) for text in texts]
    documents = Counter(word for counts in counted for word in counts)
    idf = {word: math.log((1 + len(texts)) / (1 + n)) + 1 for word, n in documents.items()}
    vectors = [_unit(counts, idf) for counts in counted]

    def rank(query: str) -> NDArray[np.float64]:
        asked = _unit(_counted(query), idf)
        return np.array([sum(asked[word] * vector.get(word, 0.0) for word in asked) for vector in vectors])

    return rank


def _counted(text: str) -> Counter[str]:
    return Counter(re.findall(r"\b\w\w+\b", text.lower()))


def _unit(counts: Counter[str], idf: dict[str, float]) -> dict[str, float]:
    weights = {word: n * idf[word] for word, n in counts.items() if word in idf}
    length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
    return {word: weight / length for word, weight in weights.items()}


def of_retriever(retriever: Retriever, spans: PassageSet) -> Rank:
    """Return the scores that a retriever gives when it is asked for everything."""
    row = {passage.id: number for number, passage in enumerate(spans.passages)}

    def rank(query: str) -> NDArray[np.float64]:
        scores = np.full(len(row), -np.inf)
        for hit in retriever.retrieve(query, len(row)):
            scores[row[hit.passage.id]] = hit.score
        return scores

    return rank
