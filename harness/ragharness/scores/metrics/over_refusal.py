"""Refused although the evidence was retrieved."""

from ragharness.scores.metrics import Metric, rate

METRIC = Metric(
    part="axes",
    places=(5, 6),
    label="over-refusal: refused although the evidence was retrieved",
    short="over-refusal",
    remark="refused despite retrieved evidence",
    higher_is_better=False,
    compute=lambda outcomes, _: rate(
        outcomes,
        lambda each: each.bucket == "refused",
        lambda each: each.bucket and each.wanted == "correct" and each.evidence_found,
    ),
)
