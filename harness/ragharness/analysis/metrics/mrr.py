"""Mean reciprocal rank of the first passage with a gold span."""

from ragharness.analysis.metrics import Metric, mean_of

METRIC = Metric(
    part="retrieval",
    label="mean 1/rank of gold evidence (MRR)",
    short="mean 1/rank (MRR)",
    source="Voorhees 1999",
    type=float | None,
    compute=lambda outcomes, _: mean_of(outcomes, lambda outcome: outcome.reciprocal_rank),
)
