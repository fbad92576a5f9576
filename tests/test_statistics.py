"""Intervals against the published values and against scipy."""

from __future__ import annotations

import math
import statistics as standard
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragharness.analysis.intervals import clopper_pearson, quantile, wilson

stats: Any = pytest.importorskip("scipy.stats")

counts = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize(
    ("count", "n", "expected_wilson", "expected_exact"),
    [
        (0, 130, (0, 0.0287), (0, 0.0280)),
        (3, 130, (0.0079, 0.0657), (0.0048, 0.0660)),
        (13, 130, (0.0594, 0.1636), None),
        (0, 10, (0, 0.2775), (0, 0.3085)),
    ],
)
def test_published_values(
    count: int, n: int, expected_wilson: tuple[float, float], expected_exact: tuple[float, float] | None
) -> None:
    assert wilson(count, n) == pytest.approx(expected_wilson, abs=5e-5)
    if expected_exact:
        assert clopper_pearson(count, n) == pytest.approx(expected_exact, abs=5e-5)


@given(counts)
def test_both_intervals_equal_scipy(pair: tuple[int, int]) -> None:
    count, n = pair
    reference = stats.binomtest(count, n)
    assert wilson(count, n) == pytest.approx(tuple(reference.proportion_ci(method="wilson")), abs=1e-12)
    exact = tuple(reference.proportion_ci(method="exact"))
    assert clopper_pearson(count, n) == pytest.approx(exact, abs=1e-9)


@given(counts)
def test_an_interval_holds_the_share_and_mirrors(pair: tuple[int, int]) -> None:
    count, n = pair
    low, high = wilson(count, n)
    assert 0 <= low <= count / n <= high <= 1
    mirrored = wilson(n - count, n)
    assert (1 - high, 1 - low) == pytest.approx(mirrored, abs=1e-12)


def test_the_limits_are_exact_where_all_or_none_were_counted() -> None:
    assert wilson(0, 60)[0] == 0.0
    assert wilson(60, 60)[1] == 1.0
    assert wilson(0, 0) == clopper_pearson(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize(("count", "n"), [(5, 4), (-1, 4)])
def test_an_impossible_count_is_refused(count: int, n: int) -> None:
    with pytest.raises(ValueError, match="between 0 and 4"):
        wilson(count, n)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=50))
def test_the_median_is_the_standard_library_s(values: list[float]) -> None:
    assert math.isclose(quantile(values, 0.5), standard.median(values), rel_tol=1e-9, abs_tol=1e-9)
    assert quantile(values, 1.0) == max(values)


def test_the_quantile_of_nothing_is_zero() -> None:
    assert quantile([], 0.95) == 0.0
