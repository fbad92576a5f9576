"""The first retrieved passage holds a gold span."""

from ragharness.scores.metrics import Metric, rate

METRIC = Metric(
    name="evidence_first",
    part="retrieval",
    order=3,
    sentence="The first passage holds a gold span.",
    label="gold evidence first",
    short="gold first",
    place=2,
    higher_is_better=True,
    source="this project",
    compute=lambda outcomes, _: rate(outcomes, lambda each: 1 in each.evidence_ranks),
)
