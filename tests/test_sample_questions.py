"""The frozen questions about the sample: rebuilt, checked, spread over genres and kinds, and read."""

from __future__ import annotations

from collections import Counter

import pytest

from ragharness.corpus.loading import Corpus, load_corpus
from ragharness.questions.loading import load_questions
from ragharness.questions.questionset import QuestionSet, frozen_set
from ragharness.support import resources
from ragquestions.building import build_questions
from ragquestions.checks import check_questions
from ragquestions.corpus_index import CorpusIndex

FOLDER = resources.root() / "questionsets" / "sample"
KINDS = {"yesno", "number", "date", "text", "list"}
ROWS = {
    ("grounded/correct", ""): 40,
    ("grounded/wrong", ""): 20,
    ("grounded/unsupported", "document"): 10,
    ("grounded/unsupported", "clause"): 10,
    ("grounded/refused", ""): 20,
    ("unanswerable", ""): 10,
    ("adversarial", ""): 10,
    ("null_retrieval", ""): 10,
}


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return load_corpus("sample")


@pytest.fixture(scope="module")
def frozen() -> QuestionSet:
    return frozen_set("sample")


def test_the_frozen_set_is_what_the_builder_makes(corpus: Corpus, frozen: QuestionSet) -> None:
    assert (frozen.notes, frozen.corpus_hash) == ((), corpus.hash)
    built = build_questions(corpus)
    assert (built.lines, built.priors) == (frozen.lines, frozen.priors)
    loaded = load_questions(corpus)
    assert (loaded.frozen, loaded.hash) == (True, frozen.hash)


def test_the_frozen_set_has_every_property(corpus: Corpus, frozen: QuestionSet) -> None:
    assert check_questions(frozen, corpus) == []


@pytest.mark.parametrize("size", [13, 26, 39, 200])
def test_every_size_has_the_properties_that_are_checked(corpus: Corpus, size: int) -> None:
    built = build_questions(corpus, size)
    assert (len(built.questions), check_questions(built, corpus)) == (size, [])


def spread(questions: QuestionSet, corpus: Corpus) -> dict[tuple[str, str], list[Counter[str]]]:
    index = CorpusIndex(corpus)
    rows: dict[tuple[str, str], list[Counter[str]]] = {row: [Counter(), Counter()] for row in ROWS}
    for each in questions.questions:
        for counts, name in zip(rows[each.row, each.withheld], index.family(each), strict=True):
            counts[name] += 1
    return rows


@pytest.mark.parametrize("seed", [None, 1])
def test_every_row_spreads_over_genres_and_kinds(
    seed: int | None, corpus: Corpus, frozen: QuestionSet
) -> None:
    questions = build_questions(corpus, seed=seed) if seed else frozen
    for row, (genres, kinds) in spread(questions, corpus).items():
        assert genres.total() == kinds.total() == ROWS[row]
        assert len(genres) == 3, row
        assert max(genres.values()) - min(genres.values()) <= 2, (row, genres)
        if row[0] == "adversarial":  # a trap has one tempting answer: no lists
            assert len(kinds) >= 3, kinds
        else:
            assert set(kinds) == KINDS, (row, kinds)
            # Questions whose answer may stand elsewhere too are not asked: other draws miss some kinds.
            assert max(kinds.values()) - min(kinds.values()) <= (3 if seed else 1), (row, kinds)


def test_temptations_and_resemblances_are_in_the_index(frozen: QuestionSet) -> None:
    withheld = {each.document for each in frozen.questions if each.withheld}
    for each in frozen.questions:
        for distractor in each.distractors:
            assert withheld.isdisjoint(span.document for span in distractor.evidence), each.id
