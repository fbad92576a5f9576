"""Make ``weights.json`` of the scorer from answers that people labelled, and print its held-out error rates.

    pip install scikit-learn
    python benchmarks/train_scorer.py ../shared/data/human-labels/evouna/answers.jsonl

A quarter of the questions, by the hash of their text, is never read here; `benchmarks/grading.py` reports on
it. Thresholds come from five folds by question, so that no answer is judged by weights that saw its question.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from bench import is_unseen, parser
from ragharness.analysis.labelled import read_labelled
from ragharness.graders.reading import texts
from ragharness.graders.reading.measures import Tree
from ragharness.graders.rules import measures_of

SOURCE = "EVOUNA (Wang et al. 2023, arXiv:2305.12421, Apache-2.0), labels by people"
RATES = (0.0025, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.05)
FALSE_WRONG = 0.03
MARGIN = 0.93
"""Thresholds aim this far below each rate: the rate on other answers varies."""
DEPTH, TREES = 3, 150


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("answers", type=Path)
    options = arguments.parse_args()
    rows = [
        row
        for row in read_labelled(options.answers)
        if not is_unseen(row.question.text) and row.shape == "text"
    ]
    measured = [(row, measures_of(row.question, row.answer)) for row in rows if row.answer.text.strip()]
    names = list(measured[0][1])
    measures = np.array([[values[name] for name in names] for _, values in measured])
    right = np.array([row.label == "correct" for row, _ in measured])
    groups = [row.question.text for row, _ in measured]
    means, spread = measures.mean(0), measures.std(0) + 1e-9
    scaled = (measures - means) / spread
    held_out = np.zeros(len(right))
    for seen, unseen in GroupKFold(5).split(scaled, right, groups):
        held_out[unseen] = sum(
            share * model.fit(scaled[seen], right[seen]).predict_proba(scaled[unseen])[:, 1]
            for share, model in ((1 - texts.BOOSTED, linear()), (texts.BOOSTED, boosted()))
        )
    model, trees = linear().fit(scaled, right), boosted().fit(measures, right)
    raw = model.coef_[0] / spread
    low = round(float(np.quantile(held_out[right], FALSE_WRONG * MARGIN)), 4)
    weights = texts.Weights(
        source=SOURCE,
        answers=len(rows),
        intercept=round(float(model.intercept_[0] - (raw * means).sum()), 4),
        weights={name: round(float(weight), 4) for name, weight in zip(names, raw, strict=True)},
        means={name: round(float(mean), 4) for name, mean in zip(names, means, strict=True)},
        base=round(float(np.log(right.mean() / (1 - right.mean()))), 4),
        trees=tuple(whole(estimator.tree_, trees.learning_rate) for estimator in trees.estimators_[:, 0]),
        wrong_up_to=low,
        points=tuple(point(held_out, right, low, rate) for rate in RATES),
    )
    path = Path(texts.__file__).with_name("weights.json")
    trees_last = {**msgspec.to_builtins(weights), "trees": None}
    text = json.dumps(trees_last, indent=1).removesuffix("\n}")
    rows_of_trees = ",\n".join(json.dumps(msgspec.to_builtins(tree)) for tree in weights.trees)
    path.write_text(text.replace('"trees": null', f'"trees": [\n{rows_of_trees}\n ]') + "\n}\n")
    print(f"{weights.answers} answers, five folds by question; wrong up to {weights.wrong_up_to}")
    print(*weights.points, sep="\n")


def linear() -> LogisticRegression:
    return LogisticRegression(C=0.3, max_iter=3000)


def boosted() -> GradientBoostingClassifier:
    return GradientBoostingClassifier(
        n_estimators=TREES,
        max_depth=DEPTH,
        learning_rate=0.08,
        min_samples_leaf=40,
        subsample=0.7,
        random_state=0,
    )


def whole(tree: Any, rate: float) -> Tree:
    """Tree with all nodes of its depth: below an early leaf each node leads to that leaf's value."""
    nodes, row = [], [0]
    for _ in range(DEPTH):
        nodes += row
        row = [
            child
            for node in row
            for child in (
                (node, node)
                if tree.children_left[node] < 0
                else (tree.children_left[node], tree.children_right[node])
            )
        ]
    split = [tree.children_left[node] >= 0 for node in nodes]
    return Tree(
        tuple(int(tree.feature[node]) if inner else 0 for node, inner in zip(nodes, split, strict=True)),
        tuple(
            round(float(tree.threshold[node]), 5) if inner else 0.0
            for node, inner in zip(nodes, split, strict=True)
        ),
        tuple(round(rate * float(tree.value[leaf].item()), 5) for leaf in row),
    )


def point(probability: Any, right: Any, low: float, rate: float) -> texts.Point:
    """Least threshold from which at most this share of the answers is not right."""
    allowed = [
        threshold
        for threshold in np.linspace(0.3, 0.999, 700)
        if (probability >= threshold).any() and (~right[probability >= threshold]).mean() <= rate * MARGIN
    ]
    high = round(float(min(allowed, default=0.999)), 4)
    graded = (probability >= high) | (probability <= low)
    agreed = ((probability >= high) == right)[graded].mean()
    return texts.Point(rate, high, round(float(1 - graded.mean()), 4), round(float(agreed), 4))


if __name__ == "__main__":
    main()
