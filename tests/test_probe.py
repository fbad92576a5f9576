"""The text-only probe: its learning is scikit-learn's, its figures are those of plain and of telling sets.

``python tests/test_probe.py`` prints the reference figures; scikit-learn 1.9.1 made those below.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from ragharness.cli import build_app
from ragharness.questions.questionset import frozen_set
from ragharness.records import Question
from ragquestions.probe import (
    FOLDS,
    MOST,
    REPEATS,
    Probed,
    auc,
    characters_of,
    grouped,
    kernel,
    logistic,
    probe,
    probe_lines,
    stratified,
    surface,
    tf_idf,
    words_of,
)

TEXTS = [
    f"{opening} {thing} {rest}"
    for opening, rest in (
        ("What is the", "of Acme's 10-K for 2023?"),
        ("Does the agreement, as signed, state a", "for both parties?"),
        ("In which year did “the board” set the", "(if it did)?"),
        ("Who is responsible for the", "under clause 7-b?"),
    )
    for thing in ("net income", "term of notice", "audit fee", "head-count", "hotline", "royalty")
]
LABELS = [int(number % 6 in (3, 4) or number in (0, 13, 20)) for number in range(len(TEXTS))]
TRAINED = [number % 3 != 1 for number in range(len(TEXTS))]

WORD_PRODUCTS = [0.58447, 0.208581, 0.059785]
CHARACTER_PRODUCTS = [0.640161, 0.295011, 0.056308]
"""The first text's TF-IDF products with texts 1, 6 and 23, by words and by characters."""
SCORES = [0.100046, 0.209897, -0.814042, -0.71729, -0.882706, -0.804491, 0.089657, 0.220293]
"""Scores of the questions that were not trained on."""
AUC = 0.5333333333333334


def reference() -> tuple[list[float], list[float], list[float], float]:
    """The same figures by scikit-learn."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score

    words = TfidfVectorizer(ngram_range=(1, 2)).fit_transform(TEXTS).toarray()
    characters = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5)).fit_transform(TEXTS).toarray()
    features = np.hstack([words, characters, surface(TEXTS)])
    trained, labels = np.array(TRAINED), np.array(LABELS)
    model = LogisticRegression(class_weight="balanced", C=1.0, tol=1e-10, max_iter=10_000)
    scores = model.fit(features[trained], labels[trained]).decision_function(features[~trained])
    products = [[float(view[0] @ view[other]) for other in (1, 6, 23)] for view in (words, characters)]
    return products[0], products[1], scores.tolist(), float(roc_auc_score(labels[~trained], scores))


def ours() -> tuple[list[float], list[float], list[float], float]:
    words, characters = tf_idf(TEXTS, words_of), tf_idf(TEXTS, characters_of)
    labels, trained = np.array(LABELS), np.array(TRAINED)
    scores = logistic(kernel(TEXTS), labels[None], trained[None])[0][~trained]
    products = [[float(view[0] @ view[other]) for other in (1, 6, 23)] for view in (words, characters)]
    return products[0], products[1], scores.tolist(), auc(labels[~trained], scores)


def test_features_scores_and_auc_are_those_of_scikit_learn() -> None:
    for found, golden in zip(ours(), (WORD_PRODUCTS, CHARACTER_PRODUCTS, SCORES, AUC), strict=True):
        assert found == pytest.approx(golden, abs=1e-5)


def test_the_golden_figures_are_still_those_of_scikit_learn() -> None:
    pytest.importorskip("sklearn", reason="needs scikit-learn: `pip install scikit-learn` in a scratch venv")
    for found, golden in zip(reference(), (WORD_PRODUCTS, CHARACTER_PRODUCTS, SCORES, AUC), strict=True):
        assert found == pytest.approx(golden, abs=1e-5)


def test_models_that_are_fitted_together_are_those_fitted_alone() -> None:
    alike, seed = kernel(TEXTS), random.Random(3)
    labels = np.array([seed.sample(LABELS, len(LABELS)) for _ in range(4)])
    trained = np.array([[place % 5 != fold for place in range(len(TEXTS))] for fold in range(4)])
    together = logistic(alike, labels, trained)
    for number in range(4):
        alone = logistic(alike, labels[number : number + 1], trained[number : number + 1])[0]
        assert together[number] == pytest.approx(alone, abs=1e-5)


def test_equal_scores_count_half() -> None:
    labels = np.array([1, 1, 0, 0])
    assert auc(labels, np.array([2.0, 1.0, 1.0, 0.0])) == 0.875
    assert auc(labels, np.zeros(4)) == 0.5


def test_every_fold_has_its_share_of_both_kinds() -> None:
    labels = [1] * 12 + [0] * 31
    folds = stratified(labels, random.Random(1))
    for kind, least in ((1, 2), (0, 6)):
        shares = [
            sum(f == fold for f, own in zip(folds, labels, strict=True) if own == kind)
            for fold in range(FOLDS)
        ]
        assert least <= min(shares) <= max(shares) <= least + 1


def test_a_topic_is_never_in_two_folds() -> None:
    topics = [f"topic {number % 9}" for number in range(60)]
    folds = grouped([number % 2 for number in range(60)], topics, random.Random(1))
    held = {
        topic: {fold for fold, own in zip(folds, topics, strict=True) if own == topic} for topic in topics
    }
    assert all(len(each) == 1 for each in held.values())
    assert set(folds) == set(range(FOLDS))


def asked(texts: Sequence[tuple[str, bool]]) -> list[Question]:
    return [
        Question(
            id=f"q{number}",
            text=text,
            stratum="unanswerable" if refusal else "grounded",
            target="" if refusal else "correct",
            kind="text",
            answerable=not refusal,
            topic=text.split()[-1],
        )
        for number, (text, refusal) in enumerate(texts)
    ]


NAMES = [
    f"{one}{two}"
    for one in ("Bor", "Tal", "Wes", "Quin", "Mar")
    for two in ("den", "lake", "ford", "wick", "ham", "ton")
]


def test_a_telling_word_is_found_and_a_plain_set_is_not_accused() -> None:
    telling = probe(
        asked(
            [
                (
                    f"{'Which' if at % 3 else 'How'} hotline of {name}?"
                    if at % 2
                    else f"{'Which' if at % 3 else 'How'} income of {name}?",
                    at % 2 == 1,
                )
                for at, name in enumerate(NAMES)
            ]
        )
    )
    assert [each.row for each in telling] == ["all", "unanswerable"]
    assert telling[0].auc == 1.0
    assert telling[0].tells
    assert "all 1.00 (limit 0.60), unanswerable 1.00 (limit 0.70)." in " ".join(probe_lines(telling, 80))
    seed = random.Random(7)
    drawn = seed.sample(range(len(NAMES)), len(NAMES) // 2)
    plain = probe(asked([(f"Which income of {name}?", at in drawn) for at, name in enumerate(NAMES)]))
    assert not any(each.tells for each in plain)
    assert probe_lines(plain, 80)[-1] == "The wording alone does not tell which questions should be refused."


def test_what_only_the_topic_gives_away_is_gone_with_topics_out() -> None:
    topics = ("income", "income", "royalty", "revenue", "hotline", "patents")
    found = probe(
        asked(
            [(f"{name}: how much {topic}", place > 2) for name in NAMES for place, topic in enumerate(topics)]
        )
    )[0]
    assert found.auc is not None
    assert found.auc > 0.99
    assert found.topics_out is not None
    assert found.topics_out < 0.7


def test_too_few_questions_have_no_figure() -> None:
    few = probe(asked([("Which income of Borden?", False)] * 20 + [("Which hotline?", True)] * 4))
    assert [(each.auc, each.noise, each.tells) for each in few] == [(None, None, False)] * 2
    assert probe_lines(few, 80) == ["text-only probe: too few questions that should be refused, or answered"]
    assert probe([]) == []


def test_noise_excuses_a_figure_over_the_limit() -> None:
    row = Probed("adversarial", 10, 60, 0.70, auc=0.74, shuffled=0.5, noise=0.75)
    assert not row.tells
    assert row._replace(noise=0.73).tells
    assert not row._replace(auc=0.70, noise=0.60).tells


def test_the_same_set_has_the_same_figures_within_seconds() -> None:
    questions = frozen_set("sample").questions
    begun = time.process_time()
    found = probe(questions)
    assert time.process_time() - begun < 30
    assert found == probe(questions)
    assert [each.row for each in found] == [
        "all",
        "grounded/unsupported",
        "grounded/refused",
        "unanswerable",
        "adversarial",
        "null_retrieval",
    ]
    # Shuffled labels tell nothing, and their spread is wider the fewer the questions.
    assert all(each.shuffled is not None and 0.44 < each.shuffled < 0.56 for each in found)
    assert found[0].noise is not None
    assert found[3].noise is not None
    assert found[0].noise < found[3].noise
    assert REPEATS > 1


@pytest.mark.slow
def test_a_large_set_is_probed_by_a_sample() -> None:
    texts = [(f"Which income of {name} {number}?", number % 2 == 1) for number in range(10) for name in NAMES]
    found = probe(asked(texts))[0]
    assert found.refusals + found.answers == MOST < len(texts)


def test_check_prints_the_probe_and_has_it_in_json() -> None:
    check = ["questions", "check"]
    told = CliRunner().invoke(build_app(), check).stdout.splitlines()
    head = next(number for number, line in enumerate(told) if line.startswith("TEXT-ONLY PROBE"))
    assert told[head].split()[2:] == ["N", "AUC", "TOPICS", "OUT", "SHUFFLED", "95%"]
    assert told[head + 1].split()[:2] == ["all", "70"]
    facts: list[dict[str, Any]] = json.loads(CliRunner().invoke(build_app(), [*check, "--json"]).stdout)[
        "text_only_probe"
    ]
    assert {"row", "refusals", "answers", "limit", "auc", "topics_out", "shuffled", "noise", "tells"} == set(
        facts[0]
    )
    assert told[head + 1].split()[2] == f"{facts[0]['auc']:.2f}"


if __name__ == "__main__":
    for name, value in zip(
        ("WORD_PRODUCTS", "CHARACTER_PRODUCTS", "SCORES", "AUC"), reference(), strict=True
    ):
        print(name, "=", [round(each, 6) for each in value] if isinstance(value, list) else value)
