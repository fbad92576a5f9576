"""How much of what the rules leave to review a small model's word can settle, once it is weighed.

The model gives the probability of Yes to "does this say the same as the gold?". A logistic regression weighs
it together with what the rules measured, by the labels of the seen questions; thresholds come from folds of
these, and everything told is measured on the unseen quarter (``benchmarks/grading.py``).
"""

from __future__ import annotations

import math
from hashlib import sha256
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import grading_risk as risk
from grading import unseen
from ragharness.analysis.calibration.measuring import judge
from ragharness.analysis.metrics import share

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ragharness.analysis.calibration.labelled import Labelled
    from ragharness.graders import Grader

    Numbers = NDArray[np.float64]
    Truth = NDArray[np.bool_]

RATES = ((0.01, 0.03), (0.05, 0.05), (0.1, 0.1))
"""False corrects of the corrects, false wrongs of the right answers, at most; first the rules' own."""
SETTLED = 0.75
"""The share of the review that one would like to be rid of."""
RIDGE = 1.0
EVEN = 0.5
_FOLDS = 5
_DRAWS = 400
_FEWEST = 10
"""Answers from which a threshold may be read."""
_SHAPES = ("sentence", "yesno", "text")
_FAR = 8.0


class Open(NamedTuple):
    """An answer that the rules leave to review."""

    labelled: Labelled
    likeness: float | None
    """The rules' probability that it is right; None: they have none."""

    @property
    def right(self) -> bool:
        """Whether people call it correct."""
        return self.labelled.label == "correct"

    @property
    def unseen(self) -> bool:
        """Whether its question belongs to the quarter that nothing is learnt from."""
        return unseen(self.labelled.question.text)


def left_open(rules: Grader, answers: Sequence[Labelled]) -> list[Open]:
    """Return the answers that the rules leave to review, in the order of their ids' digests."""
    found = []
    for each in answers:
        verdict = judge(rules, each)
        if verdict.status == "needs_review":
            found.append(Open(each, verdict.score.probability if verdict.score else None))
    return sorted(found, key=lambda each: sha256(each.labelled.question.id.encode()).hexdigest())


def weighed(rows: Sequence[Open], said: Sequence[float] | None) -> dict[str, Any]:
    """Return how well right answers are told from others; ``said``: a model's probabilities of Yes."""
    right = np.array([each.right for each in rows])
    hidden = np.array([each.unseen for each in rows])
    measures = np.array([_measures(each) for each in rows])
    if said is not None:
        measures = np.column_stack((measures, [_logit(each) for each in said]))
    questions = [each.labelled.question.text for each in rows]
    folds = np.array([int(sha256(each.encode()).hexdigest()[8:16], 16) % _FOLDS for each in questions])
    learnt = np.zeros(len(rows))
    for fold in range(_FOLDS):
        here, others = ~hidden & (folds == fold), ~hidden & (folds != fold)
        learnt[here] = fitted(measures[others], right[others])(measures[here])
    learnt[hidden] = fitted(measures[~hidden], right[~hidden])(measures[hidden])
    names = [each for each, out in zip(questions, hidden, strict=True) if out]
    return {
        "seen": int((~hidden).sum()),
        "unseen": int(hidden.sum()),
        "right": float(right[hidden].mean().round(4)),
        "auc": _with_interval(learnt[hidden], right[hidden], names),
        "auc_seen": round(auc(learnt[~hidden], right[~hidden]), 4),
        "settles": [_settles(learnt, right, hidden, *rates) for rates in RATES],
        "curve": risk.curve(_column(learnt[hidden], right[hidden])),
    }


def alone(rows: Sequence[Open], said: Sequence[float]) -> dict[str, Any]:
    """Return what a model's word is worth by itself; nothing is learnt, so that all answers count."""
    right, likely = np.array([each.right for each in rows]), np.array(said)
    yes = likely >= EVEN
    return {
        "auc": _with_interval(likely, right, [each.labelled.question.text for each in rows]),
        "false_yes": told(int((yes & ~right).sum()), int(yes.sum())),
        "false_no": told(int((~yes & right).sum()), int((~yes).sum())),
    }


def fitted(measures: Numbers, right: Truth) -> Callable[[Numbers], Numbers]:
    """Return a logistic regression with a ridge, by Newton's method."""
    centre, spread = measures.mean(0), measures.std(0) + 1e-9

    def ready(these: Numbers) -> Numbers:
        return np.column_stack((np.ones(len(these)), (these - centre) / spread))

    given, weights = ready(measures), np.zeros(measures.shape[1] + 1)
    penalty = np.diag([0.0] + [RIDGE] * measures.shape[1])
    for _ in range(25):
        likely = _sigmoid(given @ weights)
        slope = given.T @ (right - likely) - penalty @ weights
        weights = weights + np.linalg.solve(
            given.T @ (given * (likely * (1 - likely))[:, None]) + penalty + 1e-9 * np.eye(len(weights)),
            slope,
        )
    found = weights
    return lambda these: _sigmoid(ready(these) @ found)


def auc(scores: Numbers, right: Truth) -> float:
    """Return how often a right answer scores higher than a false one; ties count half."""
    ahead = scores[right][:, None] - scores[~right][None, :]
    return float(((ahead > 0) + 0.5 * (ahead == 0)).mean()) if ahead.size else math.nan


def needed(right: float, false_correct: float, false_wrong: float, settled: float = SETTLED) -> float:
    """Return the AUC from which a share is settled at two error rates.

    Scores of right and of false answers are taken as normal, of equal width.
    """
    low, high = 0.0, 8.0
    for _ in range(60):
        middle = (low + high) / 2
        enough = _settled(middle, right, false_correct, false_wrong) >= settled
        low, high = (low, middle) if enough else (middle, high)
    return NormalDist().cdf(high / math.sqrt(2))


def _settled(apart: float, right: float, false_correct: float, false_wrong: float) -> float:
    """Return the share settled where right answers score ``apart`` higher, in standard deviations."""
    normal = NormalDist()
    wrong_up_to = apart + normal.inv_cdf(false_wrong)
    low, high = -_FAR, 2 * _FAR
    for _ in range(60):
        middle = (low + high) / 2
        false, true = (1 - right) * normal.cdf(-middle), right * normal.cdf(apart - middle)
        low, high = (middle, high) if false > false_correct * (false + true) else (low, middle)
    if high <= wrong_up_to:
        return 1.0

    def above(score: float) -> float:
        return (1 - right) * normal.cdf(-score) + right * normal.cdf(apart - score)

    return above(high) + 1 - above(wrong_up_to)


def thresholds(
    scores: Numbers, right: Truth, false_correct: float, false_wrong: float
) -> tuple[float, float]:
    """Return up to which score an answer is wrong, and from which correct, at two error rates."""
    order = np.argsort(-scores, kind="stable")
    false = np.cumsum(~right[order]) / np.arange(1, len(order) + 1)
    kept = [place for place in range(_FEWEST - 1, len(order)) if false[place] <= false_correct]
    correct_from = float(scores[order][kept[-1]]) if kept else math.inf
    ascending = np.sort(scores[right])
    place = int(false_wrong * len(ascending))
    wrong_up_to = float(np.nextafter(ascending[place], -math.inf)) if len(ascending) else -math.inf
    return min(wrong_up_to, float(np.nextafter(correct_from, -math.inf))), correct_from


def _settles(
    scores: Numbers, right: Truth, hidden: Truth, false_correct: float, false_wrong: float
) -> dict[str, Any]:
    wrong_up_to, correct_from = thresholds(scores[~hidden], right[~hidden], false_correct, false_wrong)
    here, true = scores[hidden], right[hidden]
    yes, no = here >= correct_from, here <= wrong_up_to
    return {
        "at_most": [false_correct, false_wrong],
        "settled": told(int((yes | no).sum()), len(here)),
        "false_correct": told(int((yes & ~true).sum()), int(yes.sum())),
        "false_wrong": told(int((no & true).sum()), int(true.sum())),
        "auc_for_three_quarters": round(needed(float(true.mean()), false_correct, false_wrong), 3),
    }


def _column(scores: Numbers, right: Truth) -> risk.Column:
    errs = (scores >= EVEN) != right
    return risk.Column(errs.astype(float), np.maximum(scores, 1 - scores), np.ones(len(scores), dtype=bool))


def _measures(each: Open) -> list[float]:
    """Return what the rules know of an answer that they leave open."""
    shapes = [float(each.labelled.shape == shape) for shape in _SHAPES]
    return [
        _logit(each.likeness) if each.likeness is not None else 0.0,
        float(each.likeness is None),
        *shapes,
    ]


def _logit(probability: float) -> float:
    held = min(max(probability, 1e-4), 1 - 1e-4)
    return math.log(held / (1 - held))


def _sigmoid(values: Numbers) -> Numbers:
    return np.asarray(1 / (1 + np.exp(-np.clip(values, -30, 30))))


def _with_interval(scores: Numbers, right: Truth, questions: Sequence[str]) -> list[float]:
    """Return the AUC and its 95 % limits over samples of the questions."""
    rows: dict[str, list[int]] = {}
    for place, name in enumerate(questions):
        rows.setdefault(name, []).append(place)
    groups, draw = list(rows.values()), np.random.default_rng(0)
    drawn = []
    for _ in range(_DRAWS):
        chosen = np.concatenate([groups[place] for place in draw.integers(0, len(groups), len(groups))])
        drawn.append(auc(scores[chosen], right[chosen]))
    low, high = np.nanpercentile(drawn, (2.5, 97.5))
    return [round(auc(scores, right), 4), round(float(low), 4), round(float(high), 4)]


def told(count: int, n: int) -> list[Any]:
    """Return a count out of n with its interval."""
    found = share(count, n)
    return [found.count, found.n, found.low, found.high]
