"""The two fields: BM25Okapi over the bodies without the title's words, the weight of the title's words."""

from __future__ import annotations

from math import log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from ragharness.corpus.loading import load_corpus
from ragharness.corpus.passages import EvidenceIndex, PassageSet, build_passages, withhold
from ragharness.questions.loading import load_questions
from ragharness.records import Passage
from ragharness.retrievers import bm25, fields
from ragharness.support import resources


def passage_set(*told: tuple[str, str, str]) -> PassageSet:
    """Return a set of one passage for each (title, heading, text)."""
    made = (
        Passage(f"p{i}", title, title, 0, len(text), text, heading=heading)
        for i, (title, heading, text) in enumerate(told)
    )
    return PassageSet(tuple(made), 120)


def by_hand(passages: PassageSet, query: str) -> list[float]:
    """Return the documented sum, from rank-bm25's own scores."""
    okapi = BM25Okapi([fields.terms(fields.body(each)) for each in passages.passages])
    titles = {each.title: set(fields.terms(each.title)) for each in passages.passages}
    scores = np.zeros(len(passages.passages))
    for term in fields.query_terms(query):
        often = sum(term in held for held in titles.values())
        inside = np.array([term in titles[each.title] for each in passages.passages])
        weight = fields.TITLE_WEIGHT * log(1 + len(titles) / often) if often else 0.0
        scores += np.where(inside, weight, okapi.get_scores([term]))
    return list(scores)


WORDS = st.sampled_from(["the", "lease", "leases", "share", "disclose", "2023", "acme", "bolt", "what", "§"])
TEXTS = st.lists(WORDS, max_size=9).map(" ".join)


@given(
    told=st.lists(
        st.tuples(st.sampled_from(["Acme 2023", "Bolt lease", ""]), TEXTS, TEXTS), min_size=1, max_size=12
    ),
    query=TEXTS,
    bits=st.sampled_from([bm25.BITS, 2]),
)
def test_scores_are_the_documented_sum_over_rank_bm25_s(
    told: list[tuple[str, str, str]], query: str, bits: int
) -> None:
    passages = passage_set(*told)
    if not any(fields.terms(fields.body(each)) for each in passages.passages):
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bm25, "BITS", bits)
        retriever = fields.build(passages, None, None)
    expected = by_hand(passages, query)
    assert retriever.scores(query) == pytest.approx(expected)
    assert [hit.score for hit in retriever.retrieve(query, 20)] == pytest.approx(
        sorted(expected, reverse=True)
    )


def test_words_that_name_the_document_do_not_drown_what_is_asked() -> None:
    others = [(f"Firm {n} report 2023", "", f"Nothing of note number {n}.") for n in range(9)]
    named = "Acme report 2023"
    passages = passage_set(
        (named, "", "Acme report 2023. This report of Acme is for 2023, the Acme year."),
        (named, "", "The lease costs are 12."),
        ("Bolt report 2023", "", "The lease costs are 14. Acme leases, too, since 2023."),
        *others,
    )
    query = "According to the Acme report 2023, what are the lease costs?"
    assert fields.build(passages, None, None).retrieve(query, 1)[0].passage.id == "p1"


def test_headings_are_searched_but_for_rows_of_column_heads() -> None:
    passages = passage_set(
        ("T", "BALANCE SHEETS\nInventories:\nYear | Budget", "Finished | 12"),
        *[("T", "Other", "Finished | 13")] * 5,
    )
    retriever = fields.build(passages, None, None)
    assert retriever.scores("inventories")[0] > retriever.scores("inventories")[1]
    assert not retriever.scores("budget").any()


def test_stop_words_of_a_query_count_where_there_is_nothing_else() -> None:
    assert fields.query_terms("What is the lease of the lease?") == fields.query_terms("lease")
    assert len(fields.query_terms("to be or not to be")) == 4


@pytest.mark.parametrize("texts", [[], ["", "?!"]])
def test_passages_without_a_word_are_no_error(texts: list[str]) -> None:
    passages = passage_set(*(("", "", text) for text in texts))
    hits = fields.build(passages, None, None).retrieve("anything", 9)
    assert [(hit.passage.id, hit.score) for hit in hits] == [(f"p{i}", 0.0) for i in range(len(texts))]


def test_the_cache_is_its_own_and_gives_the_same_scores(tmp_path: Path) -> None:
    passages = passage_set(("Acme", "Leases", "the lease 7"), ("Bolt", "", "no lease"), ("Bolt", "", "other"))
    first = fields.build(passages, None, tmp_path)
    bm25.build(passages, None, tmp_path)
    assert sorted(path.name.split("-")[0] for path in tmp_path.iterdir()) == ["bm25", "fields"]
    again = fields.build(passages, None, tmp_path)
    for query in ("acme lease", "bolt other", ""):
        assert np.array_equal(first.scores(query), again.scores(query))


@pytest.mark.parametrize(("name", "least"), [("sample", 56), ("contractnli", 47), ("edgar", 47)])
def test_gold_among_the_best_five_of_the_frozen_questions(
    name: str, least: int, request: pytest.FixtureRequest
) -> None:
    if name not in resources.names("questionsets"):
        pytest.skip(f"the question set of {name} is not frozen in this checkout")
    source = "" if name == "sample" else str(request.getfixturevalue(f"{name}_folder"))
    corpus = load_corpus(name, source=source)
    questions = load_questions(corpus)
    every = build_passages(corpus.documents)
    passages = withhold(every, questions.withheld_documents, questions.withheld_spans)
    retriever, evidence = fields.build(passages, None, None), EvidenceIndex(corpus)
    found = [
        bool(evidence.supporting(each, [hit.passage for hit in retriever.retrieve(each.text, 5)]))
        for each in questions.questions
        if each.wanted == "correct"
    ]
    assert sum(found) >= least
