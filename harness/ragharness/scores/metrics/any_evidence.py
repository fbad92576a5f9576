"""Recall of any gold span: at least one was retrieved."""

from ragharness.scores.metrics import Metric, rate

METRIC = Metric(
    part="retrieval",
    places=(1, 1),
    label="gold evidence {top}",
    short="gold {top}",
    higher_is_better=True,
    compute=lambda outcomes, _: rate(outcomes, lambda each: each.evidence_found),
)
