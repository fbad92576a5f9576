"""Finding evidence on the published scale: the unsupervised row of ContractNLI's paper, by our evidence."""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import ROOT


@pytest.fixture(scope="module")
def contractnli() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])
        import contractnli

        return contractnli


def array(*values: float) -> Any:
    return np.array(values)


@pytest.mark.parametrize(
    ("relevant", "scores", "average", "at_80"),
    [
        ((1, 0, 1, 0), (4, 3, 2, 1), 5 / 6, 2 / 3),  # (1/1 + 2/3) / 2; both are found among the first three
        ((0, 1), (1, 1), 1 / 2, 1 / 2),  # equal scores are taken together
        ((1, 1, 0, 0), (2, 1, 1, 0), 1 / 2 * 1 + 1 / 2 * 2 / 3, 2 / 3),
        ((1, 1, 1, 1, 1, 0), (6, 5, 4, 3, 1, 2), (4 + 5 / 6) / 5, 1.0),  # four of five are enough
    ],
)
def test_rows_computed_by_hand(
    contractnli: Any, relevant: tuple[int, ...], scores: tuple[int, ...], average: float, at_80: float
) -> None:
    marked = array(*relevant).astype(bool)
    assert contractnli.average_precision(marked, array(*scores)) == pytest.approx(average)
    assert contractnli.precision_at_recall(marked, array(*scores)) == pytest.approx(at_80)


def test_the_published_rows_come_out_and_are_the_committed_ones(
    contractnli: Any, contractnli_folder: Path
) -> None:
    found = contractnli.measured(contractnli_folder)
    committed = json.loads(contractnli.RESULT.read_text(encoding="utf-8"))
    for row in ("contracts", "published", "span TF-IDF + cosine"):
        assert found[row] == committed[row]
    for split in found["majority vote"].keys() & committed["majority vote"].keys():
        assert found["majority vote"][split] == committed["majority vote"][split]
    # Koreeda and Manning (2021), Table 4.
    vote, ranked = found["majority vote"]["test"], found["span TF-IDF + cosine"]
    published = {"accuracy": 0.674, "f1_contradiction": 0.083, "f1_entailment": 0.428}
    assert {name: vote[name] for name in published} == pytest.approx(published, abs=0.0006)
    assert ranked["map"] == pytest.approx(0.381, abs=0.0015)
    assert ranked["precision_at_recall_80"] == pytest.approx(0.057, abs=0.0005)
    assert (ranked["spans"], ranked["pairs"]) == (10_061, 1_188)


def test_a_vote_worked_by_hand(contractnli: Any) -> None:
    majority = contractnli.majority
    told = {
        "kept": Counter({"entailment": 3, "contradiction": 1}),
        "lent": Counter({"not mentioned": 1, "contradiction": 3}),
        "sold": Counter({"not mentioned": 4}),
    }
    assert majority(told, told) == pytest.approx(
        {
            "accuracy": (3 / 4 + 3 / 4 + 1) / 3,
            "f1_contradiction": (0 + 2 * 3 / (3 + 4)) / 2,  # no contract contradicts "sold"
            "f1_entailment": 2 * 3 / (3 + 4),
        }
    )
    learned = {**told, "lent": Counter({"not mentioned": 2, "entailment": 1})}
    assert majority(learned, told)["accuracy"] == pytest.approx((3 / 4 + 1 / 4 + 1) / 3)
    assert majority(learned, told)["f1_contradiction"] == 0


@pytest.mark.model
def test_measures_and_vectors_are_those_of_scikit_learn(contractnli: Any) -> None:
    metrics = pytest.importorskip("sklearn.metrics", reason="needs scikit-learn")
    text = pytest.importorskip("sklearn.feature_extraction.text", reason="needs scikit-learn")
    chooser = random.Random(20261121)
    for _ in range(200):
        n = chooser.randint(2, 60)
        relevant = np.array([True] + [chooser.random() < 0.3 for _ in range(n - 1)])
        scores = np.array([float(chooser.randint(0, 12)) for _ in range(n)])
        expected = metrics.average_precision_score(relevant, scores)
        assert contractnli.average_precision(relevant, scores) == pytest.approx(expected, abs=1e-12)
        precision, recall, _ = metrics.precision_recall_curve(relevant, scores)
        reached = precision[np.flatnonzero(recall >= 0.8)[-1]]
        assert contractnli.precision_at_recall(relevant, scores) == pytest.approx(reached, abs=1e-12)
    words = ["lease", "Tenant", "roof", "a", "b2", "öl", "rent", "notice's"]
    texts = [" ".join(chooser.choices(words, k=chooser.randint(1, 9))) for _ in range(40)]
    model = text.TfidfVectorizer()
    vectors = model.fit_transform(texts)
    for query in ("roof rent", "Tenant's b2 b2", "nothing"):
        expected = (vectors @ model.transform([query]).T).toarray().ravel()
        assert contractnli.tf_idf(texts)(query) == pytest.approx(expected, abs=1e-12)
