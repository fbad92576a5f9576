"""The share of the passages with gold evidence that were retrieved."""

from ragharness.analysis.derived import Derived

METRIC = Derived(
    label="RAGAS id context recall",
    formula="relevant passages retrieved / passages that hold gold evidence",
    source="Es et al. 2024, RAGAS, arXiv 2309.15217; its collections of metrics",
    remark="Over answerable questions. A passage is relevant if it is the first to hold a gold span, so that"
    " a second passage with the same span counts as not retrieved.",
    of=lambda item, _: (
        sum(item.relevant) / item.gold_passages if item.gold_passages and item.in_corpus else None
    ),
)
