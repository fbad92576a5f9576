"""Precision at 1: the first passage holds a gold span."""

from ragharness.analysis.metrics import Metric, rate_of

METRIC = Metric(
    part="retrieval", label="gold evidence first", short="gold first", compute=rate_of("evidence_is_first")
)
