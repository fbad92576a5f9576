"""Any passage of the document asked about was retrieved."""

from ragharness.scores.metrics import Metric, rate

METRIC = Metric(
    part="retrieval",
    places=(4, 4),
    label="right document",
    short="right document",
    higher_is_better=True,
    compute=lambda outcomes, _: rate(outcomes, lambda each: each.document_rank > 0),
)
