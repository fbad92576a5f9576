"""Correct answers of those given, beside the rates of answering and refusing amiss."""

from __future__ import annotations

from ragharness.analysis.derived import Derived, Figures, How, Items
from ragharness.analysis.metrics import mean


def _rates(found: Items, _: How) -> Figures:
    return {
        "value": mean([each.bucket == "correct" for each in found if not each.refused]),
        "under_refusal": mean([not each.refused for each in found if not each.in_corpus]),
        "over_refusal": mean([each.refused for each in found if each.in_corpus]),
    }


METRIC = Derived(
    label="precision of answers",
    formula="correct / answered; under-refusal = answered / unanswerable; over-refusal = refused /"
    " answerable",
    source="WFGY, rag-eval: the rates of [traces](traces.md)",
    remark="Unanswerable is what the corpus does not state.",
    over=_rates,
)
