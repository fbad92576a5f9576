"""The share of the retrieved passages that hold gold evidence."""

from ragharness.analysis.derived import Derived

METRIC = Derived(
    label="RAGAS id context precision",
    formula="relevant passages retrieved / passages retrieved",
    source="Es et al. 2024, RAGAS, arXiv 2309.15217; its collections of metrics",
    remark="Over answerable questions with passages. A passage is relevant if it is the first to hold a gold"
    " span.",
    of=lambda item, _: (
        sum(item.relevant) / len(item.relevant)
        if item.relevant and item.gold_passages and item.in_corpus
        else None
    ),
)
