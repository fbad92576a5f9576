"""Mean reciprocal rank; a question whose evidence was not retrieved counts as 0."""

from ragharness.scores.metrics import Metric, mean

METRIC = Metric(
    name="mrr",
    part="retrieval",
    order=6,
    sentence="Mean of 1 / rank of the first passage with a gold span.",
    label="mean 1/rank of gold evidence (MRR)",
    short="mean 1/rank (MRR)",
    place=5,
    higher_is_better=True,
    source="Voorhees 1999",
    type=float | None,
    compute=lambda outcomes, _: mean(
        [1 / each.first_evidence if each.first_evidence else 0 for each in outcomes]
    ),
)
