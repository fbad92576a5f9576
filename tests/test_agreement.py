"""Agreement, corrected rates and labels needed: against the specification's cases, libraries and simulation.

The cases come from scikit-learn 1.9.1, statsmodels 0.15.0, krippendorff 0.9.0, irrCAC 0.4.4 and ppi-python
0.2.3; the libraries that are installed are asked again.
"""

from __future__ import annotations

import json
import random
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import ABSENT, SHARED
from ragharness.analysis.agreement import (
    Part,
    ac1,
    alpha,
    correlation,
    difference,
    kappa,
    labels_needed,
    neyman,
    ppi,
    tuned_weight,
)

TABLE = [[22, 1, 2, 0], [1, 9, 2, 0], [2, 1, 8, 1], [0, 0, 0, 11]]
LABELS = ("correct", "wrong", "unsupported", "refused")
tables = st.lists(st.lists(st.integers(0, 12), min_size=4, max_size=4), min_size=4, max_size=4)


@pytest.fixture(scope="module")
def cases() -> dict[str, Any]:
    path = SHARED / "spec" / "cases" / "stats_cases.json"
    if not path.is_file():
        pytest.skip(ABSENT)
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["calibration"]
    return found


def rated(table: list[list[int]]) -> list[tuple[int, int]]:
    return [(i, j) for i, j in product(range(len(table)), repeat=2) for _ in range(table[i][j])]


def worked() -> Part:
    """60 of 130 labelled: 12 wrong by people, 11 by the grader, 9 by both; 8 of the others by the grader."""
    return Part(130, 19, [1] * 12 + [0] * 48, [1] * 9 + [0] * 3 + [1] * 2 + [0] * 46)


def test_agreement_of_the_specification(cases: dict[str, Any]) -> None:
    expected = cases["agreement"]
    table = expected["confusion_rows_gold_cols_grader"]
    assert table == TABLE
    cohen, gwet = kappa(table), ac1(table)
    assert cohen is not None
    assert gwet is not None
    assert cohen.value == pytest.approx(expected["cohen_kappa"], abs=1e-12)
    assert cohen[1:] == pytest.approx(expected["statsmodels_ci"], abs=1e-9)
    assert gwet.value == pytest.approx(expected["gwet_ac1"], abs=1e-12)
    assert gwet[1:] == pytest.approx(expected["irrCAC"]["gwet"]["confidence_interval"], abs=1e-5)
    assert alpha(rated(table)) == pytest.approx(expected["alpha_by_hand"], abs=1e-12)


def test_agreement_at_its_edges(cases: dict[str, Any]) -> None:
    paradox = cases["kappa_paradox"]
    assert kappa(paradox["matrix"])[0] == pytest.approx(paradox["kappa"])  # type: ignore[index]
    assert ac1(paradox["matrix"])[0] == pytest.approx(paradox["ac1"])  # type: ignore[index]
    alone = cases["one_class_only"]["matrix"]
    assert kappa(alone) is None
    assert ac1(alone)[0] == 1.0  # type: ignore[index]
    assert alpha(rated(alone)) is None
    assert kappa([[0, 0], [0, 0]]) is None
    assert ac1([[0, 0], [0, 0]]) is None
    assert alpha([("a",), ("b",)]) is None
    with pytest.raises(ValueError, match="square"):
        kappa([[1, 2], [3]])


def test_declared_labels_count_for_ac1_also_where_nobody_gave_them() -> None:
    two = ac1([[9, 1], [2, 8]])
    four = ac1([[9, 1, 0, 0], [2, 8, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
    assert two is not None
    assert four is not None
    assert four.value > two.value


@given(tables)
def test_agreement_does_not_depend_on_the_order_of_labels_or_raters(table: list[list[int]]) -> None:
    turned = [list(row) for row in zip(*table, strict=True)]
    mixed = [[table[i][j] for j in (2, 0, 3, 1)] for i in (2, 0, 3, 1)]
    for measure in (kappa, ac1):
        found = measure(table)
        for other in (measure(turned), measure(mixed)):
            assert (found is None) == (other is None)
            if found is not None and other is not None:
                assert other == pytest.approx(found, abs=1e-9)
                assert -1.0001 <= found.value <= 1.0001
                assert found.low <= found.value <= found.high


@given(tables)
def test_agreement_equals_the_libraries_that_are_installed(table: list[list[int]]) -> None:
    sklearn: Any = pytest.importorskip("sklearn.metrics", reason="pip install scikit-learn")
    pairs = rated(table)
    found = kappa(table)
    if found is not None and len(pairs) > 1:
        people, grader = zip(*pairs, strict=True)
        assert found.value == pytest.approx(
            sklearn.cohen_kappa_score(people, grader, labels=[0, 1, 2, 3]), abs=1e-9
        )


@pytest.mark.parametrize("seed", range(20))
def test_intervals_and_alpha_equal_the_libraries_that_are_installed(seed: int) -> None:
    raters: Any = pytest.importorskip("statsmodels.stats.inter_rater", reason="pip install statsmodels")
    krippendorff: Any = pytest.importorskip("krippendorff", reason="pip install krippendorff")
    drawn = random.Random(seed)
    table = [[drawn.randrange(1, 15) + 10 * (i == j) for j in range(4)] for i in range(4)]
    expected = raters.cohens_kappa(table)
    assert kappa(table) == pytest.approx((expected.kappa, expected.kappa_low, expected.kappa_upp), abs=1e-9)
    columns = [list(each) for each in zip(*rated(table), strict=True)]
    theirs = krippendorff.alpha(reliability_data=columns, level_of_measurement="nominal")
    assert alpha(rated(table)) == pytest.approx(theirs, abs=1e-9)


def test_alpha_of_three_raters_with_gaps_equals_the_published_value() -> None:
    # Krippendorff 2011, Computing Krippendorff's alpha-reliability, section C: 12 units, 4 observers.
    observers = (
        (1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0),
        (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3),
        (0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0),
        (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0),
    )
    units = [[label for label in unit if label] for unit in zip(*observers, strict=True)]
    assert alpha(units) == pytest.approx(0.743, abs=5e-4)


def test_corrected_rates_of_the_specification(cases: dict[str, Any]) -> None:
    expected, part = cases["ppi"], worked()
    for name, weight in (("classical", 0.0), ("ppi_lambda1", 1.0), ("ppi_plus_plus", None)):
        found = ppi([part], weight)
        assert found.value == pytest.approx(expected[name]["theta"], abs=1e-12), name
        assert found.error == pytest.approx(expected[name]["se"], abs=1e-12), name
        assert found[2:] == pytest.approx(expected[name]["ci"], abs=1e-8), name
    assert tuned_weight(part) == pytest.approx(expected["ppi_plus_plus"]["lambda"], abs=1e-12)
    finite = difference([part])
    assert finite.value == pytest.approx(cases["finite_population_difference"]["est"], abs=1e-12)
    assert finite[2:] == pytest.approx(cases["finite_population_difference"]["ci95"], abs=1e-8)


def test_ppi_equals_the_library_where_it_is_installed() -> None:
    theirs: Any = pytest.importorskip("ppi_py", reason="pip install ppi-python")
    np: Any = pytest.importorskip("numpy")
    part = worked()
    unseen = np.array([1.0] * 8 + [0.0] * 62)
    low, high = theirs.ppi_mean_ci(
        np.array(part.people, float), np.array(part.grader, float), unseen, alpha=0.05
    )
    assert ppi([part])[2:] == pytest.approx((float(low[0]), float(high[0])), abs=1e-6)


def test_no_disagreement_leaves_the_exact_bound(cases: dict[str, Any]) -> None:
    same = Part(1000, 200, [1] * 12 + [0] * 48, [1] * 12 + [0] * 48)
    found = difference([same])
    assert found.value == pytest.approx(0.2)
    assert found.high - found.value == pytest.approx(cases["clopper_upper_disagreement_0_of_60"])
    nearly_all = Part(62, 13, same.people, same.grader)
    assert difference([nearly_all]).high - 13 / 62 == pytest.approx(2 / 62)


def test_everything_labelled_leaves_no_doubt() -> None:
    people = [1, 1, 0, 0, 0, 1, 0, 0]
    found = difference([Part(8, 2, people, [1, 0, 0, 0, 0, 1, 0, 0])])
    assert found.value == pytest.approx(3 / 8)
    assert found.error == 0


@given(st.integers(0, 4), st.integers(0, 4))
def test_labels_that_equal_the_grader_change_no_rate(wrong: int, right: int) -> None:
    said = [1] * (wrong + 1) + [0] * (right + 1)
    part = Part(100, 30, said, said)
    assert difference([part]).value == pytest.approx(0.3)


def sampled(drawn: random.Random, *, stratified: bool) -> tuple[float, list[Part]]:
    """Return the true rate of a made-up run, and a sample of it as parts."""
    size, labelled, rate = 200, 60, 0.2
    truth = [int(drawn.random() < rate) for _ in range(size)]
    grader = [y if drawn.random() < 0.9 else 1 - y for y in truth]
    groups = [
        [i for i in range(size) if not stratified or grader[i] == f] for f in ((0, 1) if stratified else (0,))
    ]
    counts = neyman([len(group) for group in groups], [0.3] * len(groups), labelled)
    parts = []
    for group, n in zip(groups, counts, strict=True):
        chosen = drawn.sample(group, n)
        parts.append(
            Part(
                len(group),
                sum(grader[i] for i in group),
                [truth[i] for i in chosen],
                [grader[i] for i in chosen],
            )
        )
    return sum(truth) / size, parts


@pytest.mark.parametrize("stratified", [False, True])
def test_intervals_cover_the_truth_as_often_as_they_promise(stratified: bool) -> None:
    drawn = random.Random(7)
    draws, covered, covered_far, bias = 1500, 0, 0, 0.0
    for _ in range(draws):
        truth, parts = sampled(drawn, stratified=stratified)
        near, far = difference(parts), ppi(parts)
        covered += near.low <= truth <= near.high
        covered_far += far.low <= 0.2 <= far.high
        bias += (near.value - truth) / draws
    # Six errors in sixty labels: the normal interval falls a point or two short of 95 %.
    assert 0.92 <= covered / draws <= 0.975
    assert 0.92 <= covered_far / draws <= 0.975
    assert abs(bias) < 0.004


def test_rare_errors_in_some_strata_are_covered_too() -> None:
    drawn = random.Random(3)
    covered = 0
    for _ in range(1000):
        parts, truth = [], 0.0
        for size, error in ((120, 0.02), (40, 0.02), (40, 0.15)):
            grader = [int(drawn.random() < 0.5) for _ in range(size)]
            people = [f if drawn.random() > error else 1 - f for f in grader]
            chosen = drawn.sample(range(size), size // 4)
            parts.append(Part(size, sum(grader), [people[i] for i in chosen], [grader[i] for i in chosen]))
            truth += sum(people) / 200
        found = difference(parts)
        covered += found.low <= truth <= found.high
    assert covered / 1000 >= 0.93


NEEDED = {
    0.05: ((73, 47), (42, 22), (26, 13), (73, 69), (28, 26), (15, 14)),
    0.10: ((None, 68), (None, 36), (None, 22), (139, 122), (55, 48), (30, 26)),
    0.20: ((None, 86), (None, 53), (None, 35), (246, 198), (106, 82), (59, 45)),
    0.50: ((None, 98), (None, 68), (None, 47), (385, 278), (184, 122), (106, 69)),
}
"""Table 4.2 of the specification: rate -> for 130 and 1,000 answers and correlations 0, .8, .9."""


@pytest.mark.parametrize("rate", NEEDED)
def test_labels_needed_are_those_of_the_specification(rate: float) -> None:
    found = tuple(
        (labels_needed(rate, likeness, size, finite=False), labels_needed(rate, likeness, size))
        for size in (130, 1000)
        for likeness in (0.0, 0.8, 0.9)
    )
    assert found == NEEDED[rate]


@given(
    st.lists(st.tuples(st.integers(1, 60), st.floats(0, 0.5)), min_size=1, max_size=7), st.integers(0, 200)
)
def test_neyman_gives_what_there_is_and_favours_the_uncertain(
    strata: list[tuple[int, float]], n: int
) -> None:
    sizes, spreads = [size for size, _ in strata], [spread for _, spread in strata]
    found = neyman(sizes, spreads, n)
    assert all(min(5, size) <= count <= size for size, count in zip(sizes, found, strict=True))
    assert sum(found) == max(min(n, sum(sizes)), sum(min(5, size) for size in sizes))
    if len(strata) > 1 and sizes[0] == sizes[1] and spreads[0] > spreads[1] > 0:
        assert found[0] >= found[1]


def test_neyman_is_in_proportion_to_size_and_deviation() -> None:
    assert neyman([1000, 1000, 500], [0.4, 0.2, 0.4], 200) == [100, 50, 50]


def test_correlation_is_one_where_equal_and_none_where_constant() -> None:
    assert correlation([1, 0, 1], [1, 0, 1], [1, 1, 1]) == 1
    assert correlation([0, 0], [0, 0], [1, 1]) == 1
    assert correlation([1, 0, 1], [0, 0, 0], [1, 1, 1]) == 0
    assert correlation([1, 1, 0, 0], [1, 0, 0, 0], [1, 1, 1, 1]) == pytest.approx(0.57735, abs=1e-5)
