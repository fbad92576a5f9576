"""Of the questions with some passage of that document: any gold span."""

from ragharness.scores.metrics import Metric, rate

METRIC = Metric(
    part="retrieval",
    places=(5, 6),
    label="gold evidence {top} where the right document is",
    short="gold within it",
    higher_is_better=True,
    compute=lambda outcomes, _: rate(
        [each for each in outcomes if each.document_rank], lambda each: each.evidence_found
    ),
)
