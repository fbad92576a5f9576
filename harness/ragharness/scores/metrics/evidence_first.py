"""Precision at 1: the first passage holds a gold span."""

from ragharness.scores.metrics import Metric, rate

METRIC = Metric(
    part="retrieval",
    places=(3, 2),
    label="gold evidence first",
    short="gold first",
    higher_is_better=True,
    compute=lambda outcomes, _: rate(outcomes, lambda each: 1 in each.evidence_ranks),
)
