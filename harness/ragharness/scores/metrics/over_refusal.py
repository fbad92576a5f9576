"""Refused although the evidence was retrieved."""

from ragharness.scores.metrics import Metric, rate

METRIC = Metric(
    part="axes",
    places=(5, 6),
    label="over-refusal: refused with the evidence retrieved",
    short="over-refusal",
    remark="with the evidence retrieved",
    higher_is_better=False,
    compute=lambda outcomes, _: rate(
        [each for each in outcomes if each.question.wanted == "correct" and each.evidence_found],
        lambda each: each.bucket == "refused",
    ),
)
