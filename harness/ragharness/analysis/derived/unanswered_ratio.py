"""The share of unanswerable questions that are refused, without asking back."""

from __future__ import annotations

from ragharness.analysis.derived import Derived, Figures, Items, MetricOptions
from ragharness.analysis.metrics import mean


def _unanswered(items: Items, _: MetricOptions) -> Figures:
    within = [item for item in items if not item.in_corpus]
    others = [item for item in items if item.in_corpus]
    return {
        "value": mean([item.refused and not item.clarifies for item in within]),
        "clarification_ratio": mean([item.refused and item.clarifies for item in within]),
        "acceptable_ratio": mean([item.refused for item in within]),
        "answerable_accuracy": mean([item.bucket == "correct" for item in others]),
    }


METRIC = Derived(
    label="UAEval4RAG unanswered ratio",
    formula="refused without asking back / unanswerable questions",
    source="Peng et al. 2024, UAEval4RAG, arXiv 2412.12300",
    remark="Our questions have no category of unanswerability: a refusal, a corrected premise and a question"
    " back are all acceptable.",
    over=_unanswered,
)
