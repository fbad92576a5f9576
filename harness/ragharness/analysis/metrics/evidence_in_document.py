"""Recall of any gold span, over questions with a passage of the right document."""

from ragharness.analysis.metrics import Metric, rate_of

METRIC = Metric(
    part="retrieval",
    label="gold evidence {top}, given the right document",
    short="gold if right doc",
    compute=rate_of("evidence_found", among="document_found"),
)
