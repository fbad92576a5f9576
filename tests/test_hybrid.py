"""Fusion of normalised scores: rows worked out by hand, and what must hold for any rankings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragharness.corpus.passages import PassageSet
from ragharness.records import Hit, Passage, Question
from ragharness.retrievers import Retriever
from ragharness.retrievers.dense import DenseRetriever
from ragharness.retrievers.hybrid import HybridRetriever, fuse

PASSAGES = PassageSet(tuple(Passage(f"p{row}", "d", "", 0, 1, "x") for row in range(6)), 120)


class Fixed:
    """A ranking that never changes."""

    def __init__(self, name: str, scores: Mapping[int, float]) -> None:
        self.name = name
        self.settings: dict[str, str | int | float] = {"rows": len(scores)}
        self.hits = [Hit(PASSAGES.passages[row], score) for row, score in scores.items()]

    def retrieve(self, query: str, k: int, question: Question | None = None) -> list[Hit]:
        return self.hits[:k]


def hybrid(
    *rankings: Mapping[int, float], depth: int = 100, weights: Sequence[float] = (1, 1)
) -> HybridRetriever:
    named: list[tuple[Retriever, float]] = [
        (Fixed(name, scores), weight)
        for name, scores, weight in zip(("fields", "dense"), rankings, weights, strict=True)
    ]
    return HybridRetriever(PASSAGES.passages, named, depth)


def ids(retriever: HybridRetriever, k: int) -> list[str]:
    return [hit.passage.id for hit in retriever.retrieve("q", k)]


def test_rows_worked_out_by_hand() -> None:
    # fields: p1 (9-1)/8, p2 (5-1)/8, p4 0; dense: p2 (.7-.2)/.5, p4 (.3-.2)/.5, p3 0.
    hits = hybrid({1: 9, 2: 5, 4: 1}, {2: 0.7, 4: 0.3, 3: 0.2}, weights=(0.75, 0.25)).retrieve("q", 9)
    assert [hit.passage.id for hit in hits] == ["p1", "p2", "p4", "p3"]
    assert [hit.score for hit in hits] == pytest.approx([0.75, 0.75 * 0.5 + 0.25, 0.25 * 0.2, 0.0])


def test_equal_scores_keep_the_order_of_the_index() -> None:
    assert ids(hybrid({3: 3, 1: 2, 5: 1}, {1: 3, 3: 2, 0: 1}), 4) == ["p1", "p3", "p0", "p5"]
    assert ids(hybrid({5: 0, 4: 0}, {3: 0, 2: 0}), 4) == ["p2", "p3", "p4", "p5"], (
        "alike: nothing is preferred"
    )


def test_a_passage_beyond_the_depth_counts_for_nothing_but_k_always_can_be_filled() -> None:
    rankings = {0: 4, 1: 3, 2: 1, 3: 0}, {3: 3, 2: 2, 1: 1, 0: 0}
    assert ids(hybrid(*rankings, depth=4), 1) == ["p1"]
    assert ids(hybrid(*rankings, depth=3), 3) == ["p0", "p3", "p1"]
    assert ids(hybrid(*rankings, depth=3), 4) == ["p1", "p0", "p3", "p2"], "the depth is at least k"
    assert ids(hybrid(*rankings, depth=1), 0) == ids(hybrid(*rankings), -1) == []


def test_weights_decide() -> None:
    assert ids(hybrid({0: 2, 1: 1}, {1: 2, 0: 1}, weights=(2, 1)), 2) == ["p0", "p1"]
    assert ids(hybrid({0: 2, 1: 1}, {1: 2, 0: 1}, weights=(1, 2)), 2) == ["p1", "p0"]


def test_settings_name_those_of_both() -> None:
    assert hybrid({0: 1}, {1: 2, 2: 1}).settings == {
        "depth": 100,
        "fields_weight": 1,
        "fields_rows": 1,
        "dense_weight": 1,
        "dense_rows": 2,
    }


SCORES = st.lists(st.floats(-1e3, 1e3), max_size=6).map(lambda each: sorted(each, reverse=True))


@given(scores=SCORES, scale=st.floats(1e-2, 1e2), shift=st.floats(-1e3, 1e3))
def test_neither_the_scale_nor_the_zero_of_a_score_matters(
    scores: list[float], scale: float, shift: float
) -> None:
    def fused(values: Sequence[float]) -> list[float]:
        hits = [Hit(passage, value) for passage, value in zip(PASSAGES.passages, values, strict=False)]
        return [hit.score for hit in fuse([(hits, 1.0)])]

    assert all(0 <= each <= 1 for each in fused(scores))
    if len(scores) > 1 and scores[0] - scores[-1] > 1e-3:
        assert fused(scores)[0] == 1
        assert fused([scale * each + shift for each in scores]) == pytest.approx(fused(scores), abs=1e-3)


@given(scores=SCORES)
def test_fusing_a_ranking_with_itself_changes_nothing(scores: list[float]) -> None:
    hits = [Hit(passage, value) for passage, value in zip(PASSAGES.passages, scores, strict=False)]
    fused = fuse([(hits, 0.5), (hits, 0.5)])
    assert [each.passage.id for each in fused] == [each.passage.id for each in hits]
    assert [each.score for each in fused] == sorted((each.score for each in fused), reverse=True)


def test_it_is_asked_beside_a_loop_where_one_of_its_rankings_waits() -> None:
    assert not hybrid({1: 1}, {2: 1}).waits
    waiting = Fixed("dense", {2: 1})
    waiting.waits = DenseRetriever.waits  # type: ignore[attr-defined]
    assert HybridRetriever(PASSAGES.passages, [(Fixed("fields", {1: 1}), 1.0), (waiting, 1.0)]).waits
