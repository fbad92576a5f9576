"""Any passage of the document asked about was retrieved."""

from ragharness.analysis.metrics import Metric, rate_of

METRIC = Metric(
    part="retrieval", label="right document", short="right document", compute=rate_of("document_found")
)
