"""The share of unanswerable questions that are refused, without asking back."""

from __future__ import annotations

from ragharness.analysis.derived import Derived, Figures, How, Items
from ragharness.analysis.metrics import mean


def _unanswered(found: Items, _: How) -> Figures:
    within = [each for each in found if not each.in_corpus]
    others = [each for each in found if each.in_corpus]
    return {
        "value": mean([each.refused and not each.clarifies for each in within]),
        "clarification_ratio": mean([each.refused and each.clarifies for each in within]),
        "acceptable_ratio": mean([each.refused for each in within]),
        "answerable_accuracy": mean([each.bucket == "correct" for each in others]),
    }


METRIC = Derived(
    label="UAEval4RAG unanswered ratio",
    formula="refused without asking back / unanswerable questions",
    source="Peng et al. 2024, UAEval4RAG, arXiv 2412.12300",
    remark="Our questions have no category of unanswerability: a refusal, a corrected premise and a question"
    " back are all acceptable.",
    over=_unanswered,
)
