"""Any passage of the document asked about was retrieved."""

from ragharness.analysis.metrics import Metric, rate_of

METRIC = Metric(
    part="retrieval",
    places=(4, 4),
    label="right document",
    short="right document",
    higher_is_better=True,
    compute=rate_of("document_found"),
)
