"""The harmonic mean of correct answers of all questions and of those attempted."""

from __future__ import annotations

from collections.abc import Callable

from ragharness.analysis.derived import (
    Derived,
    Figures,
    Item,
    Items,
    MetricOptions,
    harmonic,
    prefixed,
    ratio,
)


def _simpleqa(items: Items, right: Callable[[Item], bool]) -> Figures:
    n, attempted = len(items), sum(not item.refused for item in items)
    correct = sum(right(item) and not item.refused for item in items)
    return {
        "f1": harmonic(ratio(correct, n), ratio(correct, attempted)),
        "correct": ratio(correct, n),
        "incorrect": ratio(attempted - correct, n),
        "not_attempted": ratio(n - attempted, n),
        "correct_given_attempted": ratio(correct, attempted),
    }


def _both(items: Items, _: MetricOptions) -> Figures:
    grounded = _simpleqa(items, lambda item: item.bucket == "correct")
    world = _simpleqa(items, lambda item: item.matched)
    return {"value": grounded["f1"], **prefixed({"grounded": grounded, "world": world})}


METRIC = Derived(
    label="SimpleQA F1",
    formula="harmonic mean of correct / n and correct / attempted; 0/0 is 0",
    source="Wei et al. 2024, SimpleQA, arXiv 2411.04368",
    remark="`grounded` counts the bucket *correct*; `world` counts right answers, grounded or not.",
    over=_both,
)
