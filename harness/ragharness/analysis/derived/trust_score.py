"""The mean of grounded refusal, answer correctness and grounded citation (TRUST)."""

from __future__ import annotations

from typing import get_args

from ragharness.analysis.derived import Answerable, Derived, Figures, Items, MetricOptions, prefixed
from ragharness.analysis.derived.answer_correctness_f1 import answer_correctness
from ragharness.analysis.derived.grounded_citation_f1 import grounded_citation
from ragharness.analysis.derived.grounded_refusal_f1 import grounded_refusal


def _trust(items: Items, options: MetricOptions) -> Figures:
    cited = grounded_citation(items)["value"]
    readings: dict[str, Figures] = {}
    for where in get_args(Answerable):
        refused, correct = grounded_refusal(items, where)["f1_gr"], answer_correctness(items, where)["f1_ac"]
        parts = {"f1_gr": refused, "f1_ac": correct, "f1_gc": cited}
        known = [value for value in parts.values() if value is not None]
        readings[where] = {"trust": sum(known) / 3 if len(known) == 3 else None, **parts}
    return {"value": readings[options.answerable]["trust"], **prefixed(readings)}


METRIC = Derived(
    label="TRUST",
    formula="(F1_GR + F1_AC + F1_GC) / 3",
    source="Song et al. 2025, Trust-Score, arXiv 2409.11242",
    from_texts=True,
    remark="None where one of the three is. From 0 to 1; the paper has 0 to 100.",
    over=_trust,
)
