"""Recall of any gold span: at least one was retrieved."""

from ragharness.analysis.metrics import Metric, rate_of

METRIC = Metric(
    part="retrieval",
    label="gold evidence {top}",
    short="gold {top}",
    higher_is_better=True,
    compute=rate_of("evidence_found"),
)
