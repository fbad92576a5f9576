"""Mean reciprocal rank of the first passage with a gold span."""

from ragharness.analysis.metrics import Metric, mean_by

METRIC = Metric(
    part="retrieval",
    label="mean 1/rank of gold evidence (MRR)",
    short="mean 1/rank (MRR)",
    source="Voorhees 1999",
    type=float | None,
    compute=mean_by("reciprocal_rank"),
)
