"""The text-only probe: how well the words of a question alone tell whether a refusal is wanted.

A logistic regression that never sees a document learns from TF-IDF of words and of characters and from the
surface of the questions, and is measured on questions it has not learned from. 0.5 is chance.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain, cycle, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragharness.questions.questionset import QuestionSet
from ragharness.records import ROWS, Question
from ragharness.reports.text import aligned, paragraph

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]

FOLDS, REPEATS, SHUFFLES = 5, 5, 50
LIMIT_ALL, LIMIT_ROW = 0.60, 0.70
MOST = 260  # questions that are probed; of a larger set a seeded sample
_TOGETHER = 100  # models fitted at a time: their numbers fit into the cache of a processor


class Probed(NamedTuple):
    """How well text alone tells the questions of a row (``all``: every row) from those that want an answer.

    ``auc`` is the mean over the folds, ``shuffled`` and ``noise`` its mean and 95th percentile for shuffled
    labels. ``topics_out``, where no topic is both learned and measured, varies more. None: too few questions.
    """

    row: str
    refusals: int
    answers: int
    limit: float
    auc: float | None = None
    topics_out: float | None = None
    shuffled: float | None = None
    noise: float | None = None

    @property
    def tells(self) -> bool:
        """Whether the text gives more away than the limit, and more than shuffled labels do."""
        return self.auc is not None and self.noise is not None and self.auc > max(self.limit, self.noise)


def probe(questions: Sequence[Question]) -> list[Probed]:
    """Probe of all questions, then of each row that wants a refusal; the same for the same set."""
    if not questions:
        return []
    if len(questions) > MOST:
        questions = random.Random(0).sample(list(questions), MOST)
    answers = [place for place, each in enumerate(questions) if each.wanted == "correct"]
    refused = [place for place, each in enumerate(questions) if each.wanted != "correct"]
    alike = kernel([each.text for each in questions])
    found = [_probed("all", LIMIT_ALL, refused, answers, questions, alike)]
    for row in ROWS:
        own = [place for place in refused if questions[place].row == row]
        found += [_probed(row, LIMIT_ROW, own, answers, questions, alike)] if own else []
    return found


def verdict(probed: Sequence[Probed]) -> str:
    """Sentence on where the wording tells whether a refusal is wanted."""
    telling = [f"{each.row} {each.auc:.2f} (limit {each.limit:.2f})" for each in probed if each.tells]
    if not telling:
        return "The wording alone does not tell which questions should be refused."
    return f"The wording alone tells which questions should be refused: {', '.join(telling)}."


def warned(questions: QuestionSet) -> QuestionSet:
    """Set with the verdict as a note where the wording of its questions tells."""
    probed = probe(questions.questions)
    if not any(each.tells for each in probed):
        return questions
    return replace(questions, notes=(*questions.notes, verdict(probed)))


def probe_lines(probed: Sequence[Probed], width: int) -> list[str]:
    """Probe as a table, and in a sentence what the text gives away."""
    if not any(each.auc is not None for each in probed):
        return paragraph("text-only probe: too few questions that should be refused, or answered", width)
    head = ("TEXT-ONLY PROBE", "N", "AUC", "TOPICS OUT", "SHUFFLED", "95%")
    measures = ((each.auc, each.topics_out, each.shuffled, each.noise) for each in probed)
    rounded = (["n/a" if value is None else f"{value:.2f}" for value in values] for values in measures)
    rows = [(each.row, str(each.refusals), *texts) for each, texts in zip(probed, rounded, strict=True)]
    return [*aligned([head, *rows]), *paragraph(verdict(probed), width)]


def _probed(
    row: str,
    limit: float,
    refused: Sequence[int],
    answers: Sequence[int],
    questions: Sequence[Question],
    alike: Floats,
) -> Probed:
    bare = Probed(row, len(refused), len(answers), limit)
    if min(len(refused), len(answers)) < FOLDS:
        return bare
    places = [*refused, *answers]
    own = alike[np.ix_(places, places)]
    labels = [1] * len(refused) + [0] * len(answers)
    topics = [questions[place].topic or questions[place].id for place in places]
    shuffled = [random.Random(f"labels {each}").sample(labels, len(labels)) for each in range(SHUFFLES)]
    first, *noise = _repeated(own, [labels, *shuffled], stratified)
    [apart] = _repeated(own, [labels], lambda given, seed: grouped(given, topics, seed))
    return bare._replace(
        auc=first,
        topics_out=None if math.isnan(apart) else apart,
        shuffled=float(np.mean(noise)),
        noise=float(np.quantile(noise, 0.95)),
    )


def _repeated(
    alike: Floats, labellings: Sequence[list[int]], folding: Callable[[list[int], random.Random], list[int]]
) -> list[float]:
    """For each labelling the mean AUC over the folds of several divisions; NaN: no fold has one.

    The folds are not pooled: scores of different models are not on one scale, and a model has seen the fewer
    of a kind the more of it its own fold holds, which draws a pooled AUC below 0.5 where nothing tells.
    """
    given, trained, owner = [], [], []
    for number, labels in enumerate(labellings):
        kinds = np.array(labels)
        for seed in range(REPEATS):
            fold = np.array(folding(labels, random.Random(f"folds {seed}")))
            for each in range(FOLDS):
                outside = fold != each
                if len(set(kinds[outside])) == len(set(kinds[~outside])) == 2:
                    given.append(kinds)
                    trained.append(outside)
                    owner.append(number)
    if not owner:
        return [math.nan] * len(labellings)
    parts = (slice(start, start + _TOGETHER) for start in range(0, len(owner), _TOGETHER))
    scores = chain.from_iterable(
        logistic(alike, np.array(given[part]), np.array(trained[part])) for part in parts
    )
    measured = [auc(one[~seen], own[~seen]) for one, seen, own in zip(given, trained, scores, strict=True)]
    sums = np.bincount(owner, weights=measured, minlength=len(labellings))
    return [float(each) for each in sums / np.bincount(owner, minlength=len(labellings))]


def stratified(labels: Sequence[int], seed: random.Random) -> list[int]:
    """Fold for each question: every fold has its share of both kinds."""
    folds = [0] * len(labels)
    turn = cycle(range(FOLDS))
    for kind in sorted(set(labels)):
        own = [place for place, label in enumerate(labels) if label == kind]
        for place in seed.sample(own, len(own)):
            folds[place] = next(turn)
    return folds


def grouped(labels: Sequence[int], topics: Sequence[str], seed: random.Random) -> list[int]:
    """Fold for each question, a topic whole in one, the kinds spread as evenly as that allows."""
    totals = Counter(labels)
    held: list[Counter[int]] = [Counter() for _ in range(FOLDS)]
    chosen: dict[str, int] = {}
    members: dict[str, Counter[int]] = {name: Counter() for name in sorted(set(topics))}
    for label, topic in zip(labels, topics, strict=True):
        members[topic][label] += 1
    drawn = seed.sample(list(members), len(members))
    for name in sorted(drawn, key=lambda name: -sum(members[name].values())):
        own = members[name]
        crowded = [sum(fold[kind] * n / totals[kind] for kind, n in own.items()) for fold in held]
        chosen[name] = crowded.index(min(crowded))
        held[chosen[name]] += own
    return [chosen[name] for name in topics]


_STEPS, _EXACT, _TINY = 25, 1e-5, 1e-300
_FIRST = ("what", "which", "who", "when", "where", "how", "according", "in", "under", "is", "does", "may")
_ALONE = 2**18  # multiplications up to which OpenBLAS multiplies two matrices in the calling thread
_MARKS = (",", "-", "'’", '“”"', "()")


def kernel(texts: Sequence[str]) -> Floats:
    """Products of the questions' features: words, characters, surface, each of mean length 1."""
    views = (tf_idf(texts, words_of), tf_idf(texts, characters_of), surface(texts))
    return sum((view @ view.T for view in views), np.zeros((len(texts), len(texts))))


def tf_idf(texts: Sequence[str], terms: Callable[[str], list[str]]) -> Floats:
    """Row of length 1 for each text: counts times ln((1 + n) / (1 + n(term))) + 1."""
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
    """Words of two characters or more, and the pairs of neighbours."""
    said = re.findall(r"\b\w\w+\b", text)
    return said + [f"{one} {two}" for one, two in pairwise(said)]


def characters_of(text: str) -> list[str]:
    """Runs of 3, 4 and 5 characters within words, a blank on both sides of each word."""
    found = []
    for word in text.split():
        padded = f" {word} "
        for size in (3, 4, 5):
            found += [padded[start : start + size] for start in range(max(1, len(padded) - size + 1))]
            if len(padded) <= size:
                break
    return found


def surface(texts: Sequence[str]) -> Floats:
    """Lengths, marks, capitals and first words, each with mean 0; rows of mean length 1."""
    rows = np.array(list(map(_surface, texts)), dtype=float)
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
    """Scores of all n questions from each model; labels and training questions are models x n.

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
    """Rows @ alike, in pieces so small that no threads are started, which wait on a busy machine."""
    size = max(1, _ALONE // alike.size)
    return np.concatenate([rows[start : start + size] @ alike for start in range(0, len(rows), size)])


def auc(labels: Labels, scores: Floats) -> float:
    """How often a question of kind 1 scores above one of kind 0; equal scores count half."""
    ones, zeros = scores[labels == 1][:, None], scores[labels == 0][None, :]
    return float(np.mean((ones > zeros) + 0.5 * (ones == zeros)))
