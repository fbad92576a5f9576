"""Learning from text alone: features of short texts, a logistic regression, and how well it ranks."""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Labels = NDArray[np.int64]

_STEPS, _EXACT, _TINY = 25, 1e-5, 1e-300
_FIRST = ("what", "which", "who", "when", "where", "how", "according", "in", "under", "is", "does", "may")
_ALONE = 2**18
"""Multiplications up to which OpenBLAS multiplies two matrices in the calling thread."""
_MARKS = (",", "-", "'’", '“”"', "()")


def kernel(texts: Sequence[str]) -> Floats:
    """Return the products of the questions' features: words, characters, surface, each of mean length 1."""
    views = (tf_idf(texts, words_of), tf_idf(texts, characters_of), surface(texts))
    return sum((view @ view.T for view in views), np.zeros((len(texts), len(texts))))


def tf_idf(texts: Sequence[str], terms: Callable[[str], list[str]]) -> Floats:
    """Return a row of length 1 for each text: counts times ln((1 + n) / (1 + n(term))) + 1."""
    counted = [Counter(terms(text.lower())) for text in texts]
    within = Counter(term for counts in counted for term in counts)
    column = {term: number for number, term in enumerate(sorted(within))}
    rows = np.zeros((len(texts), len(column)))
    for row, counts in enumerate(counted):
        for term, count in counts.items():
            rows[row, column[term]] = count * (math.log((1 + len(texts)) / (1 + within[term])) + 1)
    scaled: Floats = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), _TINY)
    return scaled


def words_of(text: str) -> list[str]:
    """Return the words of two characters or more, and the pairs of neighbours."""
    said = re.findall(r"\b\w\w+\b", text)
    return said + [f"{one} {two}" for one, two in pairwise(said)]


def characters_of(text: str) -> list[str]:
    """Return the runs of 3, 4 and 5 characters within words, a blank on both sides of each word."""
    found = []
    for word in text.split():
        padded = f" {word} "
        for size in (3, 4, 5):
            found += [padded[start : start + size] for start in range(max(1, len(padded) - size + 1))]
            if len(padded) <= size:
                break
    return found


def surface(texts: Sequence[str]) -> Floats:
    """Return lengths, marks, capitals and first words, each with mean 0; rows of mean length 1."""
    rows = np.array([_surface(text) for text in texts], dtype=float)
    spread = rows.std(axis=0)
    told = spread > 0
    scaled: Floats = (rows - rows.mean(axis=0))[:, told] / spread[told] / math.sqrt(max(1, told.sum()))
    return scaled


def _surface(text: str) -> list[float]:
    said = text.split()
    marks = [sum(text.count(each) for each in kind) for kind in _MARKS]
    counts = [len(text), len(said), sum(map(str.isdigit, text)), sum(each[:1].isupper() for each in said)]
    first = said[0].lower() if said else ""
    return [*counts, len(text) / max(1, len(said)), *marks, *(first == each for each in _FIRST)]


def logistic(alike: Floats, labels: Labels, trained: NDArray[np.bool_]) -> Floats:
    """Return the scores of all n questions from each model; labels and training questions are models x n.

    L2 with C = 1, balanced classes, an intercept without penalty; Newton steps on the kernel.
    """
    ones = (trained & (labels == 1)).sum(axis=1, keepdims=True)
    seen = trained.sum(axis=1, keepdims=True)
    weights = np.sqrt(trained * seen / (2 * np.where(labels == 1, ones, seen - ones)))
    scores = np.zeros(labels.shape)
    for _ in range(_STEPS):
        chances = 1 / (1 + np.exp(-scores))
        spread = np.sqrt(chances * (1 - chances))
        root = weights * spread
        wanted = root * scores + weights * (labels - chances) / spread
        inner, level = np.split(_solved(alike, np.vstack([root, root]), np.vstack([wanted, root])), 2)
        shift = (root * inner).sum(axis=1, keepdims=True) / (root * level).sum(axis=1, keepdims=True)
        before, scores = scores, _product(root * (inner - shift * level), alike) + shift
        if np.abs(scores - before).max() < _EXACT:
            break
    return scores


def _solved(alike: Floats, root: Floats, wanted: Floats) -> Floats:
    """Solve (1 + root x alike x root) found = wanted for every row, by conjugate gradients."""
    found, rest, way = np.zeros_like(wanted), wanted, wanted
    size = (rest * rest).sum(axis=1, keepdims=True)
    for _ in range(2 * len(alike)):
        if size.max() <= _EXACT**2:
            break
        turned = way + root * _product(root * way, alike)
        step = size / np.maximum((way * turned).sum(axis=1, keepdims=True), _TINY)
        found, rest = found + step * way, rest - step * turned
        before, size = size, (rest * rest).sum(axis=1, keepdims=True)
        way = rest + size / np.maximum(before, _TINY) * way
    return found


def _product(rows: Floats, alike: Floats) -> Floats:
    """Return rows @ alike, in pieces so small that no threads are started, which wait on a busy machine."""
    size = max(1, _ALONE // alike.size)
    return np.concatenate([rows[start : start + size] @ alike for start in range(0, len(rows), size)])


def auc(labels: Labels, scores: Floats) -> float:
    """Return how often a question of kind 1 scores above one of kind 0; equal scores count half."""
    ones, zeros = scores[labels == 1][:, None], scores[labels == 0][None, :]
    return float(np.mean((ones > zeros) + 0.5 * (ones == zeros)))
