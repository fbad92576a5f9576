"""BM25 equals rank-bm25's BM25Okapi to the last bit, from memory and from the cache."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from ragharness.corpus.loading import Corpus, load_corpus
from ragharness.corpus.passages import EvidenceIndex, PassageSet, build_passages, withhold
from ragharness.questions.loading import load_questions
from ragharness.questions.questionset import QuestionSet
from ragharness.records import Passage
from ragharness.retrievers import bm25
from ragharness.retrievers.bm25 import terms
from ragharness.support import resources


def passage_set(texts: Sequence[str], title: str = "") -> PassageSet:
    """Return a set of one passage a text, ids p0, p1, ..."""
    made = tuple(Passage(f"p{i}", "d", title, 0, len(text), text) for i, text in enumerate(texts))
    return PassageSet(made, 120)


def reference(passages: PassageSet) -> BM25Okapi:
    return BM25Okapi([terms(bm25.indexed_text(passage)) for passage in passages.passages])


def assert_equal(passages: PassageSet, queries: Sequence[str], retriever: bm25.BM25Retriever, k: int) -> None:
    """Demand the reference's scores, bit for bit, and its order under the tie rule."""
    okapi = reference(passages)
    for query in queries:
        expected = okapi.get_scores(terms(query))
        assert np.array_equal(retriever.scores(query), expected)
        order = sorted(range(len(expected)), key=lambda row: (-expected[row], row))[:k]
        hits = retriever.retrieve(query, k)
        assert [hit.passage for hit in hits] == [passages.passages[row] for row in order]
        assert [hit.score for hit in hits] == [expected[row] for row in order]


WORDS = st.sampled_from(["the", "party", "shall", "not", "disclose", "information", "ñandú", "a1", "§", ""])
TEXTS = st.lists(WORDS, max_size=12).map(" ".join)


@given(
    texts=st.lists(TEXTS, min_size=1, max_size=20),
    queries=st.lists(TEXTS, max_size=4),
    title=TEXTS,
    k=st.integers(1, 25),
)
def test_scores_and_order_equal_the_reference_on_any_corpus(
    texts: list[str], queries: list[str], title: str, k: int
) -> None:
    passages = passage_set(texts, title)
    if not any(terms(bm25.indexed_text(passage)) for passage in passages.passages):
        return
    assert_equal(passages, queries, bm25.build(passages, None, None), k)


def test_floored_and_repeated_tokens_equal_the_reference() -> None:
    texts = [f"the term {'the ' * i} number{i} shall apply" for i in range(30)] + ["alone", "the", ""]
    passages = passage_set(texts)
    okapi = reference(passages)
    assert okapi.idf["the"] == okapi.epsilon * okapi.average_idf, "the corpus must exercise the floor"
    queries = ["the the the", "shall the number7 number7", "", "unknown words", "alone the alone"]
    assert_equal(passages, queries, bm25.build(passages, None, None), 40)


def test_a_query_without_a_known_word_returns_the_first_passages_with_score_zero() -> None:
    passages = passage_set(["one two", "two three", "three four"])
    for query in ("", "???", "absent"):
        hits = bm25.build(passages, None, None).retrieve(query, 2)
        assert [(hit.passage.id, hit.score) for hit in hits] == [("p0", 0.0), ("p1", 0.0)]


def test_equal_passages_keep_the_order_of_the_index() -> None:
    passages = passage_set(["other thing"] + ["same clause here"] * 50 + ["last thing"])
    hits = bm25.build(passages, None, None).retrieve("clause", 5)
    assert [hit.passage.id for hit in hits] == ["p1", "p2", "p3", "p4", "p5"]


@pytest.mark.parametrize("texts", [[], ["", "?!", ""]])
def test_passages_without_a_word_are_no_error(texts: list[str]) -> None:
    hits = bm25.build(passage_set(texts), None, None).retrieve("anything", 9)
    assert [(hit.passage.id, hit.score) for hit in hits] == [(f"p{i}", 0.0) for i in range(len(texts))]


def test_k_beyond_either_end_is_harmless() -> None:
    retriever = bm25.build(passage_set(["one", "two"]), None, None)
    assert retriever.retrieve("one", 0) == []
    assert retriever.retrieve("one", -3) == []
    assert len(retriever.retrieve("one", 10**9)) == 2


def test_the_title_is_indexed_with_the_passage() -> None:
    made = tuple(Passage(f"{name}#1", name, name, 0, 4, "text") for name in ("Acme", "Bolt", "Corvid"))
    hits = bm25.build(PassageSet(made, 120), None, None).retrieve("what does bolt say?", 1)
    assert hits[0].passage.title == "Bolt"


def test_many_threads_read_the_same() -> None:
    passages = passage_set([f"the word{i % 7} and the word{i % 11}" for i in range(200)])
    queries = [f"the word{i % 7} word{i % 13}" for i in range(400)]
    expected = [bm25.build(passages, None, None).retrieve(query, 5) for query in queries[:91]]
    retriever = bm25.build(passages, None, None)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda query: retriever.retrieve(query, 5), queries[:91]))
    assert found == expected


# -- the cache


CACHED = passage_set([f"the clause {i} binds party{i % 5}" for i in range(40)] + [""], "An agreement ñ")
QUERIES = ["the clause 7", "party3 party3 the", ""]


def test_a_cached_index_gives_the_same_scores_without_importing_rank_bm25(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bm25.build(CACHED, None, tmp_path)
    assert [path.suffix for path in tmp_path.iterdir()] == [".index"], "nothing unfinished may stay"
    monkeypatch.setitem(sys.modules, "rank_bm25", None)
    assert_equal(CACHED, QUERIES, bm25.build(CACHED, None, tmp_path), 9)


def test_any_damage_to_a_cached_index_is_noticed_and_mended(tmp_path: Path) -> None:
    bm25.build(CACHED, None, tmp_path)
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    every = [bm25.indexed_text(passage) for passage in CACHED.passages]  # so that each list is read
    expected = reference(CACHED)
    flipped = [whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :] for at in range(0, len(whole), 37)]
    for damaged in [b"", b"PK", whole[: len(whole) // 2], whole[:-1], whole + b"x", *flipped]:
        path.unlink()
        path.write_bytes(damaged)
        retriever = bm25.build(CACHED, None, tmp_path)
        for query in every:
            assert np.array_equal(retriever.scores(query), expected.get_scores(terms(query)))
        assert path.read_bytes() == whole


def test_lists_that_are_not_held_ready_are_read_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bm25, "REMEMBERED", 0)
    bm25.build(CACHED, None, tmp_path)
    retriever = bm25.build(CACHED, None, tmp_path)
    queries = [bm25.indexed_text(passage) for passage in CACHED.passages]
    assert_equal(CACHED, queries, retriever, 9)
    assert retriever._index._list.cache_info().currsize == 16
    assert_equal(CACHED, queries, retriever, 9)


def test_an_index_of_several_blocks_is_that_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bm25, "BITS", 3)
    assert_equal(CACHED, QUERIES, bm25.build(CACHED, None, None), 9)


def test_an_index_under_another_name_is_not_believed(tmp_path: Path) -> None:
    bm25.build(CACHED, None, tmp_path)
    (path,) = tmp_path.iterdir()
    other = bm25.index_path(tmp_path, passage_set(["other"]))
    path.rename(other)
    assert bm25.load(other) is None


def test_other_passages_have_another_index(tmp_path: Path) -> None:
    other = PassageSet(CACHED.passages[:-1], CACHED.words)
    assert bm25.index_path(tmp_path, CACHED) != bm25.index_path(tmp_path, other)
    assert bm25.index_path(tmp_path, CACHED) == bm25.index_path(tmp_path, PassageSet(CACHED.passages, 60))


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    blocked = tmp_path / "a file"
    blocked.write_text("in the way")
    assert_equal(CACHED, QUERIES, bm25.build(CACHED, None, blocked), 5)


def test_the_cache_keeps_a_bounded_number_of_indexes(tmp_path: Path) -> None:
    for number in range(bm25.KEPT + 5):
        bm25.build(passage_set([f"text {number}"]), None, tmp_path)
    assert len(list(tmp_path.iterdir())) == bm25.KEPT


# -- real contracts


def test_parity_on_the_spans_of_real_contracts(contractnli_folder: Path, tmp_path: Path) -> None:
    data = json.loads((contractnli_folder / "test.json").read_text())
    spans = [doc["text"][start:end] for doc in data["documents"] for start, end in doc["spans"]]
    assert len(spans) == 10_061
    passages = passage_set(spans)
    hypotheses = [label["hypothesis"] for label in data["labels"].values()]
    fragments = [" ".join(span.split()[:12]) for span in spans[7::500]]
    bm25.build(passages, None, tmp_path)
    assert_equal(passages, hypotheses + fragments, bm25.build(passages, None, tmp_path), 10)


def _frozen(name: str, source: str) -> tuple[Corpus, QuestionSet]:
    if name not in resources.names("questionsets"):
        pytest.skip(f"the question set of {name} is not frozen in this checkout")
    corpus = load_corpus(name, source=source)
    return corpus, load_questions(corpus)


def _check_frozen(corpus: Corpus, questions: QuestionSet) -> float:
    """Demand parity over all questions; return the share of answerable ones with evidence in the best 5."""
    everything = build_passages(corpus.documents)
    passages = withhold(everything, questions.withheld_documents, questions.withheld_spans)
    retriever = bm25.build(passages, None, None)
    assert_equal(passages, [question.text for question in questions.questions], retriever, 5)
    evidence = EvidenceIndex(corpus)
    found = [
        bool(evidence.supporting(question, [hit.passage for hit in retriever.retrieve(question.text, 5)]))
        for question in questions.questions
        if question.answerable and not question.withheld
    ]
    return sum(found) / len(found)


def test_parity_and_recall_on_the_frozen_questions_about_contracts(contractnli_folder: Path) -> None:
    assert _check_frozen(*_frozen("contractnli", str(contractnli_folder))) >= 0.61


def test_parity_and_recall_on_the_frozen_questions_about_the_sample() -> None:
    assert _check_frozen(*_frozen("sample", "")) >= 0.61
