"""How likely people are to call an answer right: a logistic regression over its measures, committed weights.

``benchmarks/train_scorer.py`` makes ``weights.json``: the weights, and for each error rate the probability
from which, or up to which, that rate was kept on answers that the weights had not seen.
"""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ragharness.errors import UsageError
from ragharness.records import Score

if TYPE_CHECKING:
    from collections.abc import Mapping

FALSE_CORRECT = 0.01
"""The share of *correct* verdicts that may be false, unless the user names another."""


class Point(msgspec.Struct, frozen=True):
    """An operating point, as measured on answers that the weights had not seen."""

    false_correct: float
    """The share of *correct* verdicts that may be false."""
    correct_from: float
    """The least probability of a *correct*."""
    review: float
    """The share of answers between the two thresholds."""
    agreement: float
    """The share of the others on which people agree whether they are right."""


class Weights(msgspec.Struct, frozen=True):
    """What ``weights.json`` holds."""

    source: str
    answers: int
    intercept: float
    weights: dict[str, float]
    means: dict[str, float]
    wrong_up_to: float
    """The greatest probability of a *wrong*: at most 3 % of the right answers lie below it."""
    points: tuple[Point, ...]
    """By rising rate of false corrects."""


@lru_cache(maxsize=1)
def load_weights() -> Weights:
    """Return the committed weights."""
    return msgspec.json.decode(Path(__file__).with_name("weights.json").read_bytes(), type=Weights)


def score(measures: Mapping[str, float]) -> Score:
    """Return the probability that people would call an answer with these measures right."""
    known = load_weights()
    logit = known.intercept + sum(weight * measures[name] for name, weight in known.weights.items())
    added: dict[str, float] = {}
    for name, weight in known.weights.items():
        group = name.partition(":")[0]
        added[group] = added.get(group, 0.0) + weight * (measures[name] - known.means[name])
    heaviest = sorted(added, key=lambda group: -abs(added[group]))
    probability = 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))
    return Score(round(probability, 3), tuple((group, round(added[group], 2)) for group in heaviest))


def operating_point(false_correct: float = FALSE_CORRECT) -> tuple[float, float]:
    """Return the probability up to which an answer is wrong and the one from which it is correct.

    Between measured error rates the probability is interpolated; raises ``UsageError`` outside them.
    """
    known = load_weights()
    points = known.points
    if not points[0].false_correct <= false_correct <= points[-1].false_correct:
        raise UsageError(
            f"expected a rate of false corrects from {points[0].false_correct:g} to"
            f" {points[-1].false_correct:g}, found {false_correct:g}",
            help="the rate is a fraction: 0.01 is one in a hundred",
        )
    place = next(place for place, point in enumerate(points) if point.false_correct >= false_correct)
    below, above = points[max(0, place - 1)], points[place]
    width = above.false_correct - below.false_correct
    share = (false_correct - below.false_correct) / width if width else 0.0
    return known.wrong_up_to, below.correct_from + share * (above.correct_from - below.correct_from)
