"""Reciprocal rank fusion: rows worked out by hand, and what must hold for any rankings."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragharness.passages import PassageSet
from ragharness.records import Hit, Passage
from ragharness.retrievers.dense import DenseRetriever
from ragharness.retrievers.hybrid import HybridRetriever, fuse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.records import Question
    from ragharness.retrievers import Retriever

PASSAGES = PassageSet(tuple(Passage(f"p{row}", "d", "", 0, 1, "x") for row in range(6)), 120)


class Fixed:
    """A ranking that never changes."""

    def __init__(self, name: str, rows: Sequence[int]) -> None:
        self.name = name
        self.settings: dict[str, str | int | float] = {"rows": len(rows)}
        self.rows = rows

    def retrieve(self, query: str, k: int, question: Question | None = None) -> list[Hit]:
        return [Hit(PASSAGES.passages[row], 0.0) for row in self.rows[:k]]


def hybrid(*rankings: Sequence[int], depth: int = 100, weights: Sequence[float] = (1, 1)) -> HybridRetriever:
    named: list[tuple[Retriever, float]] = [
        (Fixed(name, rows), weight)
        for name, rows, weight in zip(("fields", "dense"), rankings, weights, strict=True)
    ]
    return HybridRetriever(PASSAGES.passages, named, 60, depth)


def ids(retriever: HybridRetriever, k: int) -> list[str]:
    return [hit.passage.id for hit in retriever.retrieve("q", k)]


def test_rows_worked_out_by_hand() -> None:
    # p2: 1/62 + 1/61; p4: 1/63 + 1/62; p1: 1/61; p3: 1/63, with the constant 60 of the paper.
    hits = hybrid([1, 2, 4], [2, 4, 3]).retrieve("q", 9)
    assert [hit.passage.id for hit in hits] == ["p2", "p4", "p1", "p3"]
    expected = [0.0325224748810153, 0.0320020481310804, 0.0163934426229508, 0.0158730158730159]
    assert [hit.score for hit in hits] == pytest.approx(expected)


def test_equal_scores_keep_the_order_of_the_index() -> None:
    assert ids(hybrid([3, 1, 5], [1, 3, 0]), 4) == ["p1", "p3", "p0", "p5"]


def test_a_passage_beyond_the_depth_counts_for_nothing_but_k_always_can_be_filled() -> None:
    rankings = [0, 1, 2, 3], [3, 2, 1, 0]
    assert ids(hybrid(*rankings, depth=1), 1) == ["p0"]
    assert ids(hybrid(*rankings, depth=1), 3) == ["p1", "p2", "p0"], "the depth is at least k"
    assert ids(hybrid(*rankings, depth=1), 0) == ids(hybrid(*rankings), -1) == []


def test_weights_decide() -> None:
    assert ids(hybrid([0, 1], [2, 3], weights=(1, 0)), 2) == ["p0", "p1"]
    assert ids(hybrid([0, 1], [2, 3], weights=(1, 2)), 3) == ["p2", "p3", "p0"]


def test_settings_name_those_of_both() -> None:
    assert hybrid([0], [1, 2]).settings == {
        "rank_constant": 60,
        "depth": 100,
        "fields_weight": 1,
        "fields_rows": 1,
        "dense_weight": 1,
        "dense_rows": 2,
    }


RANKINGS = st.lists(
    st.permutations(range(12)).flatmap(lambda rows: st.integers(0, 12).map(lambda n: rows[:n]))
)


@given(rankings=RANKINGS, constant=st.integers(0, 100))
def test_fusion_is_the_formula_for_any_rankings(rankings: list[list[int]], constant: int) -> None:
    exact = {
        row: sum(Fraction(1, constant + rows.index(row) + 1) for rows in rankings if row in rows)
        for rows in rankings
        for row in rows
    }
    fused = fuse([(rows, 1.0) for rows in rankings], constant)
    assert {row for row, _ in fused} == set(exact)
    for row, score in fused:
        assert score == pytest.approx(float(exact[row]))
    assert fused == sorted(fused, key=lambda item: (-item[1], item[0]))


@given(rows=st.permutations(range(12)))
def test_fusing_a_ranking_with_itself_changes_nothing(rows: list[int]) -> None:
    assert [row for row, _ in fuse([(rows, 1.0), (rows, 1.0)])] == rows


def test_it_is_asked_beside_a_loop_where_one_of_its_rankings_waits() -> None:
    assert not hybrid([1], [2]).waits
    waiting = Fixed("dense", [2])
    waiting.waits = DenseRetriever.waits  # type: ignore[attr-defined]
    assert HybridRetriever(PASSAGES.passages, [(Fixed("fields", [1]), 1.0), (waiting, 1.0)]).waits
