"""The text-only probe: how well the words of a question alone tell whether a refusal is wanted.

A logistic regression that never sees a document learns from TF-IDF of words and of characters and from the
surface of the questions, and is measured on questions it has not learned from. 0.5 is chance.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ragharness.questions.learning import auc, kernel, logistic
from ragharness.records import ROWS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ragharness.questions.learning import Floats
    from ragharness.records import Question

FOLDS, REPEATS, SHUFFLES = 5, 5, 50
LIMIT_ALL, LIMIT_ROW = 0.60, 0.70
MOST = 260
"""Questions that are probed; of a larger set a seeded sample."""
_TOGETHER = 100
"""Models fitted at a time: their numbers fit into the cache of a processor."""


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
    """Return the probe of all questions, then of each row that wants a refusal; the same for the same set."""
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
    """Return in a sentence where the wording tells whether a refusal is wanted."""
    telling = [f"{each.row} {each.auc:.2f} (limit {each.limit:.2f})" for each in probed if each.tells]
    if not telling:
        return "The wording alone does not tell which questions want a refusal."
    return f"The wording alone tells which questions want a refusal: {', '.join(telling)}."


def warning(questions: Sequence[Question]) -> tuple[str, ...]:
    """Return the verdict as a note on a set whose wording tells; else nothing."""
    found = probe(questions)
    return (verdict(found),) if any(each.tells for each in found) else ()


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
    """Return for each labelling the mean AUC over the folds of several divisions; NaN: no fold has one.

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
    scores = [
        each
        for start in range(0, len(owner), _TOGETHER)
        for each in logistic(
            alike, np.array(given[start : start + _TOGETHER]), np.array(trained[start : start + _TOGETHER])
        )
    ]
    measured = [auc(one[~seen], own[~seen]) for one, seen, own in zip(given, trained, scores, strict=True)]
    sums = np.bincount(owner, weights=measured, minlength=len(labellings))
    return [float(each) for each in sums / np.bincount(owner, minlength=len(labellings))]


def stratified(labels: Sequence[int], seed: random.Random) -> list[int]:
    """Return a fold for each question: every fold has its share of both kinds."""
    folds = [0] * len(labels)
    turn = 0
    for kind in sorted(set(labels)):
        own = [place for place, label in enumerate(labels) if label == kind]
        for place in seed.sample(own, len(own)):
            folds[place] = turn % FOLDS
            turn += 1
    return folds


def grouped(labels: Sequence[int], topics: Sequence[str], seed: random.Random) -> list[int]:
    """Return a fold for each question, a topic whole in one, the kinds spread as evenly as that allows."""
    totals = Counter(labels)
    held: list[Counter[int]] = [Counter() for _ in range(FOLDS)]
    chosen: dict[str, int] = {}
    members: dict[str, Counter[int]] = {name: Counter() for name in sorted(set(topics))}
    for label, topic in zip(labels, topics, strict=True):
        members[topic][label] += 1
    for name in sorted(
        seed.sample(list(members), len(members)), key=lambda each: -sum(members[each].values())
    ):
        own = members[name]
        crowded = [sum(fold[kind] * n / totals[kind] for kind, n in own.items()) for fold in held]
        chosen[name] = crowded.index(min(crowded))
        held[chosen[name]] += own
    return [chosen[name] for name in topics]
