"""What counts as retrieved evidence: shares of a span's tokens, inside its document or a twin."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from ragharness.corpus.loading import Corpus, load_corpus
from ragharness.corpus.passages import ENOUGH, EvidenceIndex, PassageSet, build_passages
from ragharness.language.words import words
from ragharness.records import Document, Evidence, Passage, Question
from ragquestions.recipes import facts_of

TEXT = "Zero one two three four five six seven eight nine. ____ \u2022"
CORPUS = Corpus(
    "toy",
    "",
    (
        Document(id="a", title="A", text=TEXT),
        Document(id="b", title="B", text=TEXT),
        Document(id="c", title="C", text=TEXT + " And more."),
    ),
)
SPAN = Evidence("a", 0, 50)


def passage(start: int, end: int, document: str = "a", number: int = 1) -> Passage:
    return Passage(f"{document}#{number}", document, document.upper(), start, end, TEXT[start:end])


def question(*spans: Evidence) -> Question:
    return Question(
        id="q", text="?", stratum="grounded", kind="text", answerable=True, document="a", evidence=spans
    )


@pytest.mark.parametrize(
    ("start", "end", "share"),
    [
        (0, 50, 1.0),
        (0, 58, 1.0),
        (5, 50, 0.9),
        (9, 50, 0.8),
        (13, 50, 0.7),
        (0, 39, 0.8),
        (0, 37, 0.7),
        (6, 50, 0.8),
        (1, 3, 0.0),
        (50, 58, 0.0),
        (49, 50, 0.0),
    ],
)
def test_coverage_counts_whole_tokens(start: int, end: int, share: float) -> None:
    assert EvidenceIndex(CORPUS).coverage(passage(start, end), SPAN) == pytest.approx(share)


def test_a_span_without_tokens_is_measured_in_characters() -> None:
    bullet = Evidence("a", TEXT.index("\u2022"), len(TEXT))
    index = EvidenceIndex(CORPUS)
    assert index.coverage(passage(0, len(TEXT)), bullet) == 1.0
    assert index.coverage(passage(0, 50), bullet) == 0.0


def test_only_the_document_or_its_twin_counts() -> None:
    index = EvidenceIndex(CORPUS)
    assert index.coverage(passage(0, 50, "b"), SPAN) == 1.0
    assert index.coverage(passage(0, 45, "b"), SPAN) == pytest.approx(0.9)
    assert index.coverage(passage(0, 50, "c"), SPAN) == 0.0
    assert index.coverage(passage(0, 50, "unknown"), SPAN) == 0.0


def test_supporting_and_found() -> None:
    index = EvidenceIndex(CORPUS)
    first, second = Evidence("a", 0, 12), Evidence("a", 25, 50)
    pool = [
        passage(0, 20, number=1),
        passage(20, 34, number=2),
        passage(0, 20, "b", 3),
        passage(0, 20, "c", 4),
    ]
    assert index.supporting(question(first, second), pool) == {"a#1", "b#3"}
    assert index.covered(question(first, second), iter(pool)) == (True, False)
    assert index.covered(question(second), [passage(20, 34), passage(34, 50)]) == (False,)
    assert index.supporting(question(), pool) == frozenset()
    assert index.covered(question(first), []) == (False,)


def test_real_spans_lie_in_one_passage_and_agree_with_plain_counting(contractnli_folder: Path) -> None:
    corpus = load_corpus("contractnli", source=str(contractnli_folder))
    index = EvidenceIndex(corpus)
    passages = build_passages(corpus.documents)
    spans = [span for fact in facts_of(corpus).stated for span in fact.evidence]
    assert len(spans) == 2404
    for span in spans:
        assert [each.id for each in passages.of(span.document) if index.coverage(each, span) >= ENOUGH]
    chance = random.Random(7)
    for span in chance.sample(spans, 200):
        text = corpus.document(span.document).text
        start = chance.randrange(span.start, span.end)
        start += len(text[start : span.end]) - len(text[start : span.end].lstrip())
        while start > span.start and (text[start - 1].isalnum() or text[start - 1] == "_"):
            start -= 1
        piece = Passage("x", span.document, "", start, span.end + 500, "")
        inside, whole = words(text[start : span.end]), words(text[span.start : span.end])
        if whole and text.isascii():
            assert index.coverage(piece, span) == pytest.approx(len(inside) / len(whole))


def test_a_twin_s_passage_supports_in_the_real_corpus(contractnli_folder: Path) -> None:
    corpus = load_corpus("contractnli", source=str(contractnli_folder))
    span = next(
        span for fact in facts_of(corpus).stated if fact.document == "cnli-97" for span in fact.evidence
    )
    index = EvidenceIndex(corpus)
    supporting = index.supporting(question(span), build_passages(corpus.documents).passages)
    assert {each.split("#")[0] for each in supporting} == {"cnli-52", "cnli-97"}


def test_passages_that_hold_a_span_are_counted_once_and_without_twins() -> None:
    pieces = (passage(0, 25, number=1), passage(26, 58, number=2))
    twins = (passage(0, 25, "b", 1), passage(26, 58, "b", 2))
    everything = PassageSet((*pieces, *twins), 5)
    index = EvidenceIndex(CORPUS)
    first, second, both = Evidence("a", 0, 9), Evidence("a", 10, 24), Evidence("a", 0, 58)
    assert index.holders(question(first, second), everything) == 1
    assert index.holders(question(first, Evidence("a", 26, 50)), everything) == 2
    assert index.holders(question(both), everything) == 0
    assert index.holders(question(), everything) == 0
