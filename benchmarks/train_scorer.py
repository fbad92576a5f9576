"""Make ``weights.json`` of the scorer from answers that people labelled, and print its held-out error rates.

    pip install scikit-learn
    python benchmarks/train_scorer.py ../shared/data/human-labels/evouna/answers.jsonl

A quarter of the questions, by the hash of their text, is never read here; `benchmarks/grading.py` reports on
it. Thresholds come from five folds by question, so that no answer is judged by weights that saw its question.
"""

from __future__ import annotations

import argparse
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from ragharness.analysis.labelled import read_labelled
from ragharness.graders.reading import texts
from ragharness.graders.rules import measures_of

RATES = (0.0025, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.05)
FALSE_WRONG = 0.03
MARGIN = 0.93
"""Thresholds aim this far below each rate: the rate on other answers varies."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("answers", type=Path)
    parser.add_argument(
        "--source", default="EVOUNA (Wang et al. 2023, arXiv:2305.12421, Apache-2.0), labels by people"
    )
    given = parser.parse_args()
    rows = [
        row
        for row in read_labelled(given.answers)
        if int(sha256(row.question.text.encode()).hexdigest()[:8], 16) % 4 and row.shape == "text"
    ]
    found = [(row, measures_of(row.question, row.answer)) for row in rows if row.answer.text.strip()]
    names = list(found[0][1])
    measures = np.array([[each[name] for name in names] for _, each in found])
    right = np.array([row.label == "correct" for row, _ in found])
    groups = [row.question.text for row, _ in found]
    means, spread = measures.mean(0), measures.std(0) + 1e-9
    scaled = (measures - means) / spread
    held_out = np.zeros(len(right))
    for seen, unseen in GroupKFold(5).split(scaled, right, groups):
        held_out[unseen] = fit(scaled[seen], right[seen]).predict_proba(scaled[unseen])[:, 1]
    model = fit(scaled, right)
    raw = model.coef_[0] / spread
    low = round(float(np.quantile(held_out[right], FALSE_WRONG * MARGIN)), 4)
    weights = texts.Weights(
        source=given.source,
        answers=len(rows),
        intercept=round(float(model.intercept_[0] - (raw * means).sum()), 4),
        weights={name: round(float(weight), 4) for name, weight in zip(names, raw, strict=True)},
        means={name: round(float(mean), 4) for name, mean in zip(names, means, strict=True)},
        wrong_up_to=low,
        points=tuple(point(held_out, right, low, rate) for rate in RATES),
    )
    path = Path(texts.__file__).with_name("weights.json")
    path.write_bytes(msgspec.json.format(msgspec.json.encode(weights), indent=2) + b"\n")
    report(weights)


def fit(measures: Any, right: Any) -> LogisticRegression:
    return LogisticRegression(C=0.3, max_iter=3000).fit(measures, right)


def point(probability: Any, right: Any, low: float, rate: float) -> texts.Point:
    """Return the least threshold from which at most this share of the answers is not right."""
    grid = np.linspace(0.3, 0.999, 700)
    kept = [
        at for at in grid if (probability >= at).any() and (~right[probability >= at]).mean() <= rate * MARGIN
    ]
    high = round(float(min(kept, default=0.999)), 4)
    graded = (probability >= high) | (probability <= low)
    agreed = ((probability >= high) == right)[graded].mean()
    return texts.Point(rate, high, round(float(1 - graded.mean()), 4), round(float(agreed), 4))


def report(weights: texts.Weights) -> None:
    print(f"{weights.answers} answers, five folds by question; wrong up to {weights.wrong_up_to}")
    for each in weights.points:
        print(
            f"false correct {each.false_correct:6.2%}: correct from {each.correct_from:.3f}, "
            f"review {each.review:.1%}, agreement of graded {each.agreement:.1%}"
        )


if __name__ == "__main__":
    main()
