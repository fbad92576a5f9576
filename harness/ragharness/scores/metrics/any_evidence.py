"""Recall of any: some gold span is held by a retrieved passage."""

from ragharness.scores.metrics import Metric, rate

METRIC = Metric(
    name="any_evidence",
    part="retrieval",
    order=1,
    sentence="Recall of any gold span.",
    label="gold evidence {top}",
    short="gold {top}",
    place=1,
    higher_is_better=True,
    source="this project",
    compute=lambda outcomes, _: rate(outcomes, lambda each: each.evidence_found),
)
