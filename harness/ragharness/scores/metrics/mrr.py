"""Mean reciprocal rank of the first passage with a gold span."""

from ragharness.scores.metrics import Metric, mean_of

METRIC = Metric(
    part="retrieval",
    places=(6, 5),
    label="mean 1/rank of gold evidence (MRR)",
    short="mean 1/rank (MRR)",
    higher_is_better=True,
    source="Voorhees 1999",
    type=float | None,
    compute=lambda outcomes, _: mean_of(
        outcomes, lambda each: 1 / each.first_evidence if each.first_evidence else 0
    ),
)
