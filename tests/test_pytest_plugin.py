"""The pytest plugin, in a suite of its own."""

from __future__ import annotations

import re

import pytest

pytest_plugins = ["pytester"]

SUITE = """
import pytest

pytestmark = pytest.mark.ragharness(limit=13, corpus="sample")

def answer(question, passages):
    return "I could not find it."

def test_none_misleads(ragharness):
    run = ragharness(answer)
    assert run.verdict.result
    assert run.verdict.unacceptable.most == 0

@pytest.mark.ragharness(limit=26)
def test_the_nearest_marker_counts_and_the_call_before_it(ragharness):
    assert len(ragharness(answer)) == 26
    assert len(ragharness("refuse", limit=7)) == 7

def test_that_fails(ragharness):
    run = ragharness(answer)
    assert run.verdict.desired.count == run.verdict.desired.n, run
"""


def test_a_run_is_a_fixture(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(SUITE)
    done = pytester.runpytest_subprocess(
        "-p", "ragharness.pytest_plugin", "-p", "no:xdist", "--strict-markers"
    )
    done.assert_outcomes(passed=2, failed=1)
    assert re.search(
        r"Not better than refusing everything: \d+ against \d+ of 13 as desired", done.stdout.str()
    )
    marker = pytester.runpytest_subprocess("-p", "ragharness.pytest_plugin", "--markers")
    assert "@pytest.mark.ragharness(**options): options of the runs of this test" in marker.stdout.str()
