"""Recall of any gold span: at least one was retrieved."""

from ragharness.analysis.metrics import Metric, rate_of

METRIC = Metric(
    part="retrieval", label="gold evidence {top}", short="gold {top}", compute=rate_of("evidence_found")
)
