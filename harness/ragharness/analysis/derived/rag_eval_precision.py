"""Correct answers of those given, beside the rates of answering and refusing amiss."""

from __future__ import annotations

from ragharness.analysis.derived import Derived, Figures, Items, MetricOptions
from ragharness.analysis.metrics import mean


def _rates(items: Items, _: MetricOptions) -> Figures:
    return {
        "value": mean([item.bucket == "correct" for item in items if not item.refused]),
        "under_refusal": mean([not item.refused for item in items if not item.in_corpus]),
        "over_refusal": mean([item.refused for item in items if item.in_corpus]),
    }


METRIC = Derived(
    label="precision of answers",
    formula="correct / answered; under-refusal = answered / unanswerable; over-refusal = refused /"
    " answerable",
    source="WFGY, rag-eval: the rates of [traces](traces.md)",
    remark="Unanswerable is what the corpus does not state.",
    over=_rates,
)
