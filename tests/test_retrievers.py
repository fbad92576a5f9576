"""Retrievers are found by their file's name; null finds nothing, oracle knows the gold evidence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragharness.config import RunConfig
from ragharness.corpus.loading import Corpus
from ragharness.corpus.passages import EvidenceIndex, PassageSet, withhold
from ragharness.errors import UnknownName, UsageError
from ragharness.records import Document, Evidence, Passage, Question
from ragharness.retrievers import build_retriever, retriever_names

SIZE = 10
"""Characters of a passage below: passage ``d#n`` of a document is its n-th ten characters."""

TEXTS = {
    "d1": "alpha one.alpha two.beta three gamma four delta 5.. ",
    "d2": "alpha six.beta seven",
    "d3": "omega ten.omega tan.",
}
CORPUS = Corpus(
    "toy", "", tuple(Document(id=name, title=f"Title {name}", text=text) for name, text in TEXTS.items())
)
EVIDENCE = EvidenceIndex(CORPUS)
PASSAGES = PassageSet(
    tuple(
        Passage(f"{name}#{at // SIZE + 1}", name, f"Title {name}", at, at + SIZE, text[at : at + SIZE])
        for name, text in TEXTS.items()
        for at in range(0, len(text) - SIZE + 1, SIZE)
    ),
    2,
)


def question(*spans: Evidence) -> Question:
    return Question(
        id="q001",
        text="alpha?",
        stratum="grounded",
        kind="text",
        answerable=True,
        document="d1",
        evidence=spans,
    )


def ids(
    name: str, query: str, k: int, asked: Question | None = None, passages: PassageSet = PASSAGES
) -> list[str]:
    return [hit.passage.id for hit in build_retriever(name, passages, EVIDENCE).retrieve(query, k, asked)]


def test_every_file_is_a_retriever_with_its_own_name() -> None:
    assert retriever_names() == [
        "bm25",
        "dense",
        "fields",
        "hybrid",
        "null",
        "opensearch",
        "oracle",
        "pgvector",
        "qdrant",
    ]
    # Those with vectors need a model: test_dense.py; those of a server: test_servers.py.
    for name in ("bm25", "fields", "null", "oracle"):
        retriever = build_retriever(name, PASSAGES, EVIDENCE)
        assert retriever.name == name
        assert len(retriever.retrieve("alpha", 2)) == (0 if name == "null" else 2)


def test_an_unknown_retriever_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean bm25"):
        build_retriever("bm2", PASSAGES)


def test_the_oracle_needs_evidence() -> None:
    with pytest.raises(UsageError, match="gold evidence"):
        build_retriever("oracle", PASSAGES)


def test_the_oracle_puts_gold_first_in_document_order_and_fills_up_without_repeats() -> None:
    asked = question(Evidence("d1", 40, 48), Evidence("d1", 20, 29))
    assert ids("oracle", "alpha", 5, asked) == ["d1#3", "d1#5", *ids("fields", "alpha", 5)[:3]]
    gold_is_also_found = question(Evidence("d1", 10, 19), Evidence("d1", 0, 9))
    expected = ["d1#1", "d1#2", "d2#1"]
    assert ids("oracle", "alpha", 3, gold_is_also_found) == expected


def test_the_oracle_takes_the_passage_that_covers_a_span_best() -> None:
    assert ids("oracle", "alpha", 1, question(Evidence("d1", 16, 30))) == ["d1#3"]


def test_the_oracle_adds_nothing_for_withheld_evidence() -> None:
    span = Evidence("d1", 20, 29)
    for left in (withhold(PASSAGES, ["d1"], []), withhold(PASSAGES, [], [span])):
        assert ids("oracle", "alpha", 4, question(span), left) == ids("fields", "alpha", 4, passages=left)


def test_the_oracle_without_a_question_is_the_default_retriever() -> None:
    assert RunConfig().retriever == "fields"
    assert ids("oracle", "omega", 3) == ids("fields", "omega", 3)


def test_oracle_scores_are_those_of_the_default_retriever() -> None:
    scores = {
        hit.passage.id: hit.score
        for hit in build_retriever("fields", PASSAGES).retrieve("alpha beta", len(TEXTS) * 9)
    }
    hits = build_retriever("oracle", PASSAGES, EVIDENCE).retrieve(
        "alpha beta", 9, question(Evidence("d3", 0, 9))
    )
    assert {hit.passage.id: hit.score for hit in hits} == scores


SPANS = st.builds(
    lambda name, start, length: Evidence(
        name, min(start, len(TEXTS[name]) - 1), min(start + length, len(TEXTS[name]))
    ),
    st.sampled_from(sorted(TEXTS)),
    st.integers(0, 40),
    st.integers(1, 30),
).filter(lambda span: span.start < span.end)


@given(
    spans=st.lists(SPANS, max_size=4),
    k=st.integers(-1, 12),
    query=st.sampled_from(["alpha beta", "", "omega"]),
)
def test_the_oracle_never_repeats_and_always_fills_up(spans: list[Evidence], k: int, query: str) -> None:
    found = ids("oracle", query, k, question(*spans))
    assert len(found) == len(set(found)) == max(0, min(k, len(PASSAGES.passages)))
