"""Discounted cumulative gain: rows computed by hand, what must always hold, and parity with scikit-learn."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragharness.analysis.metrics.ndcg import ndcg


@pytest.mark.parametrize(
    ("ranks", "relevant", "k", "gain"),
    [
        ((), 0, 5, 0.0),
        ((0, 0), 2, 5, 0.0),
        ((1,), 1, 5, 1.0),
        ((2,), 1, 5, 0.630930),  # 1 / log2 3
        ((4,), 1, 5, 0.430677),  # 1 / log2 5
        ((1, 3), 2, 5, 0.919721),  # (1 + 1/2) / (1 + 1 / log2 3)
        ((0, 2), 2, 5, 0.386853),  # .63093 / 1.63093
        ((1, 1), 1, 5, 1.0),  # one passage holds both spans
        ((2, 2, 0), 2, 5, 0.386853),
        ((1, 2), 3, 2, 1.0),  # no more than k passages can be had
        ((1, 7), 2, 5, 0.613147),  # what stands behind k gains nothing: 1 / 1.63093
        ((1, 0), 0, 5, 0.613147),  # how many there are is not known: the missing span counts as one
        ((1, 2, 3), 3, None, 1.0),
        ((3, 2, 1), 3, None, 1.0),  # the order of the spans says nothing
    ],
)
def test_rows_computed_by_hand(ranks: tuple[int, ...], relevant: int, k: int | None, gain: float) -> None:
    assert ndcg(ranks, relevant, k) == pytest.approx(gain, abs=1e-6)


@given(
    ranks=st.lists(st.integers(0, 12), max_size=6).map(tuple),
    relevant=st.integers(0, 8),
    k=st.none() | st.integers(1, 10),
    place=st.integers(0, 5),
)
def test_it_is_a_share_and_an_earlier_rank_is_never_worse(
    ranks: tuple[int, ...], relevant: int, k: int | None, place: int
) -> None:
    gain = ndcg(ranks, relevant, k)
    assert 0 <= gain <= 1 + 1e-12
    if place < len(ranks) and ranks[place] > 1 and ranks[place] - 1 not in ranks and relevant:
        earlier = (*ranks[:place], ranks[place] - 1, *ranks[place + 1 :])
        alone = ranks.count(ranks[place]) == 1
        assert not alone or ndcg(earlier, relevant, k) >= gain - 1e-12


@pytest.mark.model
def test_it_is_that_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics", reason="needs scikit-learn")
    chooser = random.Random(20261121)
    for _ in range(300):
        n, k = chooser.randint(5, 40), chooser.randint(1, 5)
        holds = [chooser.random() < 0.2 for _ in range(n)]
        if not any(holds):
            continue
        ranking = chooser.sample(range(n), n)
        rank = {passage: place for place, passage in enumerate(ranking, start=1)}
        spans = [passage for passage in range(n) if holds[passage] for _ in range(chooser.randint(1, 3))]
        ranks = tuple(rank[passage] if rank[passage] <= k else 0 for passage in spans)
        expected = metrics.ndcg_score([holds], [[-rank[passage] for passage in range(n)]], k=k)
        assert ndcg(ranks, sum(holds), k) == pytest.approx(expected, abs=1e-12)
