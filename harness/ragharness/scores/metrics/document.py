"""Some retrieved passage is from the document asked about."""

from ragharness.scores.metrics import Metric, rate

METRIC = Metric(
    name="document",
    part="retrieval",
    order=4,
    sentence="Some passage of the document asked about.",
    label="right document",
    short="right document",
    place=4,
    higher_is_better=True,
    source="this project",
    compute=lambda outcomes, _: rate(outcomes, lambda each: each.document_rank > 0),
)
