"""Tests and intervals of paired counts against scipy, statsmodels, published values and simulation.

The golden values of statsmodels 0.15.0 come from

    python -c "from statsmodels.stats.contingency_tables import mcnemar as m
    for b, c in ((1, 0), (6, 0), (7, 1), (10, 3), (5, 5)): print(m([[0, b], [c, 0]], exact=True).pvalue)"
    python -c "from statsmodels.stats.multitest import multipletests as m
    print(m([.01, .04, .03, .005, .9], method='holm')[1])"
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
    clopper_pearson,
    cluster_intervals,
    false_alarm,
    fewest_significant,
    flip_rate,
    holm,
    majority_chance,
    mcnemar,
    paired_interval,
    sign_flip,
    smallest_mean,
    smallest_rise,
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


@pytest.mark.parametrize(
    ("worse", "better", "p"),
    [(1, 0, 1.0), (6, 0, 0.03125), (7, 1, 0.0703125), (10, 3, 0.09228515625), (5, 5, 1.0)],
)
def test_mcnemar_equals_statsmodels(worse: int, better: int, p: float) -> None:
    assert mcnemar(worse, better).exact == pytest.approx(p, abs=1e-12)


def test_holm_equals_statsmodels() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005, 0.9]) == pytest.approx([0.04, 0.09, 0.09, 0.025, 0.9])
    assert holm([]) == []


@pytest.mark.model
def test_statsmodels_agrees() -> None:
    """``.ci/models`` installs it; elsewhere the values above stand for it."""
    told = "pip install statsmodels"
    tables: Any = pytest.importorskip("statsmodels.stats.contingency_tables", reason=told)
    tests: Any = pytest.importorskip("statsmodels.stats.multitest", reason=told)
    shares: Any = pytest.importorskip("statsmodels.stats.proportion", reason=told)
    for worse, better in product(range(12), range(12)):
        if worse + better:
            expected = tables.mcnemar([[0, worse], [better, 0]], exact=True).pvalue
            assert mcnemar(worse, better).exact == pytest.approx(expected, abs=1e-12)
    for count, n in ((0, 10), (7, 130), (60, 60)):
        for name, ours in (("wilson", wilson), ("beta", clopper_pearson)):
            expected = shares.proportion_confint(count, n, method=name)
            assert ours(count, n) == pytest.approx(expected, abs=1e-9), name
    values = [0.2, 0.01, 0.01, 0.5, 0.049]
    assert holm(values) == pytest.approx(list(tests.multipletests(values, method="holm")[1]))


@given(small, small)
def test_mcnemar_equals_the_binomial_test_of_scipy(worse: int, better: int) -> None:
    found, n = mcnemar(worse, better), worse + better
    if n == 0:
        assert min(found) == 1
        return
    assert found.exact == pytest.approx(stats.binomtest(worse, n).pvalue, abs=1e-9)
    assert found.one_sided == pytest.approx(stats.binomtest(worse, n, alternative="greater").pvalue, abs=1e-9)
    assert found.mid <= found.exact <= 1
    assert found.always_valid >= found.mid or found.always_valid == 1


def test_every_case_of_the_specification(cases: dict[str, Any]) -> None:
    for each in cases["mcnemar_exact"]:
        found = mcnemar(each["new_wrong_b"], each["fixed_c"])
        expected = each["p_two_sided"], each["mid_p_two_sided"], each["p_one_sided_worse"]
        assert (found.exact, found.mid, found.one_sided) == pytest.approx(expected, abs=1e-12)
    for fixed, needed in cases["min_b_for_p05_two_sided"].items():
        assert fewest_significant(int(fixed)) == needed
    for fixed, needed in cases["min_b_for_p05_one_sided"].items():
        assert fewest_significant(int(fixed), one_sided=True) == needed
    for each in cases["mde_mcnemar_n130_power80_alpha05_two_sided"]:
        assert smallest_rise(130, each["p01_fixed_rate"]) == pytest.approx(each["mde_exact_mcnemar_80pct"])
    tables = [(2, 5, 2, 121), (4, 1, 0, 125), (0, 0, 0, 130), (36, 12, 2, 0)]
    for table, each in zip(tables, cases["newcombe_paired"].values(), strict=True):
        assert paired_interval(*table) == pytest.approx((each["lo"], each["hi"]), abs=1e-12)
    for flaky, chance in (("p50", 0.5), ("p10", 0.1)):
        for m, expected in cases[f"hard_gate_false_alarm_flaky_{flaky}"].items():
            assert false_alarm([chance] * int(m)) == pytest.approx(expected, abs=1e-12)
    for m, expected in cases["hard_gate_true_bad_pass"].items():
        # One more that is always wrong passes where noise takes more than one away: the mirrored event.
        assert false_alarm([0.5] * int(m)) == pytest.approx(expected, abs=1e-12)
    for shares, n in (("130", 130), ("390", 390), ("1000", 1000)):
        for name, expected in cases["mde_normal_paired_mean"][shares].items():
            psi = float(name.partition("=")[2])
            assert smallest_mean(psi**0.5, n) == pytest.approx(expected, abs=1e-5)
    for name, expected in cases["mde_unpaired_n130"].items():
        share = float(name.partition("=")[2])
        assert smallest_mean((2 * share * (1 - share)) ** 0.5, 130) == pytest.approx(expected, abs=1e-5)
    for name, expected in cases["mde_refusal_quality"].items():
        refusals, deviation = (float(part.partition("=")[2]) for part in name.split(","))
        assert smallest_mean(deviation, int(refusals)) == pytest.approx(expected, abs=1e-5)
    for name, limits in cases["intervals95"].items():
        count, n = map(int, name.split("/"))
        assert wilson(count, n) == pytest.approx(limits["wilson"], abs=6e-5)
        assert clopper_pearson(count, n) == pytest.approx(limits["beta"], abs=6e-5)


def test_no_case_of_the_specification_is_left_out(cases: dict[str, Any]) -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    written = {
        name for name in cases if f'"{name}"' in text or name.startswith("hard_gate_false_alarm_flaky_")
    }
    # How many labels a calibrated rate needs is no matter of the gate.
    labels = {"labels_for_pm5", "half_width_all_130_labelled", "half_width_all_1000_labelled"}
    assert written | labels == cases.keys()


def test_the_epochs_of_the_specification(cases: dict[str, Any]) -> None:
    wrong = cases["epochs"]["wrong"]
    assert sum(map(flip_rate, wrong)) / len(wrong) == pytest.approx(cases["epochs"]["flip_rate"])


def test_the_cluster_bootstrap_has_the_clustered_standard_error(cases: dict[str, Any]) -> None:
    case = cases["clustered_se"]
    sums = [sum(s for s, c in zip(case["scores"], case["clusters"], strict=True) if c == k) for k in range(4)]
    # Fifty times the four clusters, so that the limits are those of a normal distribution.
    ((low, high),) = cluster_intervals([[each] for each in sums] * 50, [3] * 200)
    expected = case["se_clustered_sum_form"] / 50**0.5
    assert (high - low) / (2 * 1.96) == pytest.approx(expected, rel=0.06)
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


@given(st.lists(st.integers(-3, 3), max_size=12))
def test_flipped_signs_equal_every_way_to_flip_them(differences: list[int]) -> None:
    observed = abs(sum(differences))
    ways = [
        sum(s * d for s, d in zip(signs, differences, strict=True))
        for signs in product((-1, 1), repeat=len(differences))
    ]
    assert sign_flip(differences) == pytest.approx(sum(abs(way) >= observed for way in ways) / len(ways))


def test_flipped_signs_equal_scipy_and_are_never_zero() -> None:
    assert sign_flip([0, 1, 0, 0, 1, 0, 0, -1]) == 1.0
    drawn = random.Random(5)
    differences = [float(drawn.choice((-1, 0, 1, 1, 2))) for _ in range(60)]
    expected = stats.permutation_test(
        (np.array(differences),), np.mean, permutation_type="samples", n_resamples=20_000, rng=7
    )
    assert sign_flip(differences) == pytest.approx(expected.pvalue, abs=0.01)
    assert sign_flip([1.0] * 200) == pytest.approx(1 / 10_001)


def test_bootstrap_of_the_specification() -> None:
    ((low, high),) = cluster_intervals([[each] for each in (0, 1, 0, 0, 1, 0, 0, -1)], [1] * 8)
    assert (low, high) == (-0.25, 0.5)
    assert cluster_intervals([], []) == []
    sizes = [1, 2, 3, 10]
    assert cluster_intervals([[float(each)] for each in sizes], sizes) == [(1.0, 1.0)], (
        "a mean over questions"
    )


@pytest.mark.parametrize(("chance", "epochs", "expected"), [(0.1, 1, 0.34), (0.1, 3, 0.19), (0.1, 5, 0.076)])
def test_a_majority_of_epochs_calms_the_gate(chance: float, epochs: int, expected: float) -> None:
    assert false_alarm([majority_chance(chance, epochs)] * 10) == pytest.approx(expected, abs=0.005)
    assert majority_chance(0.3, 2) == pytest.approx(1 - 0.7**2), "a tie takes the worst"


def test_false_alarms_are_those_of_simulated_runs() -> None:
    drawn, chances = np.random.default_rng(1), [0.5, 0.1, 0.1, 0.3, 1.0, 0.0]
    one, other = (sum(drawn.random(20_000) < chance for chance in chances) for _ in range(2))
    assert false_alarm(chances) == pytest.approx(float(np.mean(one > other)), abs=0.015)


def test_looking_at_every_pair_keeps_the_promise_of_the_always_valid_p() -> None:
    drawn, naive, valid = random.Random(3), 0, 0
    for _ in range(200):
        worse = better = 0
        seen = []
        for _ in range(120):
            more = drawn.random() < 0.5
            worse, better = worse + more, better + (not more)
            seen.append(mcnemar(worse, better))
        naive += any(each.exact <= 0.05 for each in seen)
        valid += any(each.always_valid <= 0.05 for each in seen)
    assert valid / 200 <= 0.05
    assert naive / 200 > 0.1, "looking after every pair breaks the plain test"


def test_the_smallest_rise_is_shown_in_four_runs_of_five() -> None:
    rise = smallest_rise(130, 0.01)
    assert rise is not None
    drawn = np.random.default_rng(2)
    counts = drawn.multinomial(130, (rise + 0.01, 0.01, 1 - rise - 0.02), size=4000)
    shown = np.mean([mcnemar(int(worse), int(better)).exact <= 0.05 for worse, better, _ in counts])
    assert 0.78 <= shown <= 0.84
    assert smallest_rise(0) is None
    assert smallest_rise(4) is None
    assert smallest_rise(10_000, 0.01) == pytest.approx(0.0045, abs=0.001)


@pytest.mark.parametrize(("worse", "better"), [(0.05, 0.05), (0.03, 0.0), (0.12, 0.02), (0.3, 0.1)])
def test_the_paired_interval_covers(worse: float, better: float) -> None:
    drawn = np.random.default_rng(4)
    shares = (0.05, worse, better, 0.95 - worse - better)
    held = 0
    for table in drawn.multinomial(130, shares, size=2000):
        low, high = paired_interval(*map(int, table))
        held += low <= worse - better <= high
    assert held / 2000 >= 0.93


@pytest.mark.slow
def test_the_cluster_interval_covers_where_the_plain_one_does_not() -> None:
    """45 documents of three questions that rise or fall together."""
    drawn = np.random.default_rng(6)
    clustered = plain = 0
    for number in range(400):
        moved = np.repeat(drawn.choice((-1, 0, 0, 0, 1), size=45), 3) * (drawn.random(135) < 0.8)
        sums = moved.reshape(45, 3).sum(axis=1)
        ((low, high),) = cluster_intervals([[float(each)] for each in sums], [3] * 45, draws=600, seed=number)
        clustered += low <= 0 <= high
        ((low, high),) = cluster_intervals(
            [[float(each)] for each in moved], [1] * 135, draws=600, seed=number
        )
        plain += low <= 0 <= high
    assert clustered / 400 >= 0.91
    assert plain / 400 < 0.85
