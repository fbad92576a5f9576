"""Recall within the right document: it tells a wrong document from a wrong place in the right one."""

from ragharness.scores.metrics import Metric, rate

METRIC = Metric(
    name="evidence_in_document",
    part="retrieval",
    order=5,
    sentence="Of the questions with some passage of that document: any gold span.",
    label="gold evidence {top} where the right document is",
    short="gold within it",
    place=6,
    higher_is_better=True,
    source="this project",
    compute=lambda outcomes, _: rate(
        [each for each in outcomes if each.document_rank], lambda each: each.evidence_found
    ),
)
