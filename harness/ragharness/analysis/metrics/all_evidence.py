"""Recall of all gold spans: every one was retrieved."""

from ragharness.analysis.metrics import Metric, rate_of

METRIC = Metric(
    part="retrieval",
    label="all gold evidence {top}",
    short="all gold {top}",
    compute=rate_of("all_evidence_found"),
)
