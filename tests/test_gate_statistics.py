"""Tests and intervals of paired counts against scipy, statsmodels, published values and simulation.

The golden value of statsmodels 0.15.0 comes from

    python -c "from statsmodels.stats.proportion import confint_proportions_2indep as c
    print(c(7, 130, 4, 130, method='newcomb'))"
"""

from __future__ import annotations

import json
import random
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import ABSENT, SHARED
from ragharness.analysis.intervals import (
    chance_of_flips,
    clopper_pearson,
    cluster_totals,
    joint_test,
    paired_interval,
    poisson_tail,
    sign_test,
    wilson,
)

stats: Any = pytest.importorskip("scipy.stats")
np: Any = pytest.importorskip("numpy")
small = st.integers(0, 60)


@pytest.fixture(scope="module")
def cases() -> dict[str, Any]:
    path = SHARED / "spec" / "cases" / "stats_cases.json"
    if not path.is_file():
        pytest.skip(ABSENT)
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["gate_statistics"]
    return found


@pytest.mark.model
def test_statsmodels_agrees() -> None:
    """``.ci/models`` installs it; elsewhere the values above stand for it."""
    told = "pip install statsmodels"
    tables: Any = pytest.importorskip("statsmodels.stats.contingency_tables", reason=told)
    shares: Any = pytest.importorskip("statsmodels.stats.proportion", reason=told)
    for worse, better in product(range(12), range(12)):
        if worse + better:
            expected = tables.mcnemar([[0, worse], [better, 0]], exact=True).pvalue
            assert sign_test(better, worse) == pytest.approx(expected, abs=1e-12)
    for count, n in ((0, 10), (7, 130), (60, 60)):
        for name, ours in (("wilson", wilson), ("beta", clopper_pearson)):
            expected = shares.proportion_confint(count, n, method=name)
            assert ours(count, n) == pytest.approx(expected, abs=1e-9), name


@given(small, small)
def test_the_sign_test_equals_the_binomial_test_of_scipy(worse: int, better: int) -> None:
    expected = stats.binomtest(worse, worse + better).pvalue if worse + better else 1.0
    assert sign_test(better, worse) == pytest.approx(expected, abs=1e-9)


def test_every_case_of_the_specification(cases: dict[str, Any]) -> None:
    for each in cases["mcnemar_exact"]:
        p = sign_test(each["fixed_c"], each["new_wrong_b"])
        assert p == pytest.approx(each["p_two_sided"], abs=1e-12)
    tables = [(2, 5, 2, 121), (4, 1, 0, 125), (0, 0, 0, 130), (36, 12, 2, 0)]
    for table, each in zip(tables, cases["newcombe_paired"].values(), strict=True):
        assert paired_interval(*table) == pytest.approx((each["lo"], each["hi"]), abs=1e-12)
    for name, limits in cases["intervals95"].items():
        count, n = map(int, name.split("/"))
        assert wilson(count, n) == pytest.approx(limits["wilson"], abs=6e-5)
        assert clopper_pearson(count, n) == pytest.approx(limits["beta"], abs=6e-5)


def test_no_case_of_the_specification_is_left_out(cases: dict[str, Any]) -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    written = {name for name in cases if f'"{name}"' in text}
    # How many labels a calibrated rate needs is no matter of the gate. What one run of each shows (McNemar's
    # smallest rises), and how often literal rules alarm under noise, was information beside a lottery: where
    # epochs differ, the joint test decides, and its own power is printed and tried by simulation.
    labels = {"labels_for_pm5", "half_width_all_130_labelled", "half_width_all_1000_labelled"}
    replaced = {name for name in cases if name.startswith(("hard_gate_", "mde_", "min_b_for_"))} | {"epochs"}
    assert written | labels | replaced == cases.keys()


def test_the_cluster_bootstrap_has_the_clustered_standard_error(cases: dict[str, Any]) -> None:
    case = cases["clustered_se"]
    sums = [sum(s for s, c in zip(case["scores"], case["clusters"], strict=True) if c == k) for k in range(4)]
    # Fifty times the four clusters, so that the limits are those of a normal distribution.
    drawn = cluster_totals(np.array([[float(each)] for each in sums] * 50)) / 600
    low, high = np.quantile(drawn, (0.025, 0.975))
    expected = case["se_clustered_sum_form"] / 50**0.5
    assert (high - low) / (2 * 1.96) == pytest.approx(expected, rel=0.06)
    clusters = np.concatenate([np.array(case["clusters"]) + 4 * turn for turn in range(50)])
    test = joint_test(np.array(case["scores"] * 50, dtype=float)[:, None], clusters, 0.05)
    assert test.errors[0] / 600 == pytest.approx(expected, rel=0.01)
    assert expected > 1.2 * case["se_iid(n-1)"] / 50**0.5, "questions of one document move together"


def test_unpaired_newcombe_is_the_case_without_correlation(cases: dict[str, Any]) -> None:
    # 7 and 4 of 130 share 7 * 4 / 130 by chance; statsmodels' newcomb says -0.030248918, 0.079416747.
    both = 7 * 4 / 130
    table = both, 7 - both, 4 - both, 130 - 11 + both
    _, *expected = cases["newcombe_unpaired_7/130_vs_4/130"]
    assert paired_interval(*table) == pytest.approx(expected, abs=1e-12)  # type: ignore[arg-type]
    assert cases["statsmodels_newcomb_check"] == pytest.approx(expected, abs=1e-12)
    assert paired_interval(*table) == pytest.approx((-0.030248918, 0.079416747), abs=1e-8)  # type: ignore[arg-type]


@given(small, small, small, small)
def test_a_paired_interval_holds_its_difference_and_mirrors(
    both: int, worse: int, better: int, no: int
) -> None:
    n = both + worse + better + no
    low, high = paired_interval(both, worse, better, no)
    if n == 0:
        assert (low, high) == (-1, 1)
        return
    assert low <= (worse - better) / n + 1e-12
    assert high >= (worse - better) / n - 1e-12
    assert high > low
    mirrored = paired_interval(both, better, worse, no)
    assert (low, high) == pytest.approx((-mirrored[1], -mirrored[0]), abs=1e-9)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=11))
def test_flipped_signs_equal_every_way_to_flip_them(differences: list[int]) -> None:
    ways = [
        sum(s * d for s, d in zip(signs, differences, strict=True))
        for signs in product((-1, 1), repeat=len(differences))
    ]
    test = joint_test(np.array(differences, dtype=float)[:, None], np.arange(len(differences)), 0.05)
    assert test.p[0] == pytest.approx(sum(way >= sum(differences) for way in ways) / len(ways))


def test_flipped_signs_equal_scipy_and_are_never_zero() -> None:
    drawn = random.Random(5)
    differences = np.array([float(drawn.choice((-1, 0, 1, 1, 2))) for _ in range(60)])
    expected = stats.permutation_test(
        (differences,), np.mean, permutation_type="samples", alternative="greater", n_resamples=20_000, rng=7
    )
    assert joint_test(differences[:, None], np.arange(60), 0.05).p[0] == pytest.approx(
        expected.pvalue, abs=0.01
    )
    assert joint_test(np.ones((200, 1)), np.arange(200), 0.05).p[0] == pytest.approx(1 / 10_001)
    many = joint_test(np.repeat(differences, 60)[:, None], np.arange(3600), 0.05)
    assert many.p[0] == pytest.approx(1 / 10_001), "beyond 2,000 the sums are normal"


def test_the_joint_test_holds_its_error_over_all_measures_and_finds_a_rise() -> None:
    """Five measures of 40 documents of three questions that rise or fall together."""
    drawn, clusters = np.random.default_rng(6), np.repeat(np.arange(40), 3)
    equal = plain = shown = 0
    for number in range(400):
        moved = np.repeat(drawn.choice((-1.0, 0.0, 0.0, 1.0), size=(40, 5)), 3, axis=0)
        moved *= drawn.random((120, 5)) < 0.8
        equal += min(joint_test(moved, clusters, 0.05, seed=number).p) <= 0.05
        plain += min(joint_test(moved, np.arange(120), 0.05, seed=number).p) <= 0.05
        test = joint_test(moved + np.array([0.35, 0, 0, 0, 0]), clusters, 0.05, seed=number)
        assert (test.p[0] <= 0.05) == (test.totals[0] >= test.critical * test.null_errors[0] - 1e-6)
        shown += test.p[0] <= 0.05
    assert equal / 400 <= 0.075
    assert plain / 400 > 0.1, "questions of one document are not independent"
    assert shown / 400 > 0.6


def test_nothing_that_moves_is_no_rise() -> None:
    test = joint_test(np.zeros((10, 2)), np.arange(10), 0.05)
    assert (test.p, test.totals, test.errors) == ([1.0, 1.0], [0.0, 0.0], [0.0, 0.0])


@pytest.mark.parametrize(
    ("chances", "expected"), [([0.1] * 130, 130 * 0.1**3 * 0.9**3), ([0.5] * 10 + [0.0] * 120, 10 / 64)]
)
def test_chance_of_flips_is_that_of_simulated_runs(chances: list[float], expected: float) -> None:
    """Noise that is the same everywhere, and noise of a few questions, for which the beta is an approximation."""
    drawn = np.random.default_rng(1)
    estimates = [
        chance_of_flips(
            (drawn.random((len(chances), 6)) < np.array(chances)[:, None]).sum(axis=1).tolist(), 6, 3, 3
        )
        for _ in range(300)
    ]
    assert np.mean(estimates) == pytest.approx(expected, rel=0.5)
    assert chance_of_flips([0] * 130, 6, 3, 3) == chance_of_flips([6] * 130, 6, 3, 3) == 0.0
    assert chance_of_flips([], 6, 3, 3) == 0.0


def test_the_tail_of_poisson_equals_scipy() -> None:
    for count, mean in product(range(5), (0.0, 0.02, 1.5)):
        assert poisson_tail(count, mean) == pytest.approx(stats.poisson.sf(count - 1, mean), abs=1e-12)


def test_bootstrap_of_the_specification() -> None:
    totals = cluster_totals(np.array([[0.0], [1], [0], [0], [1], [0], [0], [-1]])) / 8
    assert np.quantile(totals, (0.025, 0.975)).tolist() == [-0.25, 0.5]


@pytest.mark.parametrize(("worse", "better"), [(0.05, 0.05), (0.03, 0.0), (0.12, 0.02), (0.3, 0.1)])
def test_the_paired_interval_covers(worse: float, better: float) -> None:
    drawn = np.random.default_rng(4)
    shares = (0.05, worse, better, 0.95 - worse - better)
    held = 0
    for table in drawn.multinomial(130, shares, size=2000):
        low, high = paired_interval(*map(int, table))
        held += low <= worse - better <= high
    assert held / 2000 >= 0.93
