"""Recall of all: every gold span is held by a retrieved passage."""

from ragharness.scores.metrics import Metric, rate

METRIC = Metric(
    name="all_evidence",
    part="retrieval",
    order=2,
    sentence="Recall of every gold span.",
    label="all gold evidence {top}",
    short="all gold {top}",
    place=3,
    higher_is_better=True,
    source="this project",
    compute=lambda outcomes, _: rate(
        outcomes, lambda each: bool(each.evidence_ranks) and all(each.evidence_ranks)
    ),
)
