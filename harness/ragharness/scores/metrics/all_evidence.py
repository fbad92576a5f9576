"""Recall of all gold spans: every one was retrieved."""

from ragharness.scores.metrics import Metric, rate

METRIC = Metric(
    part="retrieval",
    places=(2, 3),
    label="all gold evidence {top}",
    short="all gold {top}",
    higher_is_better=True,
    compute=lambda outcomes, _: rate(
        outcomes, lambda each: bool(each.evidence_ranks) and all(each.evidence_ranks)
    ),
)
