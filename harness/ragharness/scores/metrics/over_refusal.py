"""Refusals of questions whose evidence was retrieved."""

from ragharness.scores.metrics import Metric, rate

METRIC = Metric(
    name="over_refusal",
    part="axes",
    order=5,
    sentence="Refused although the evidence was retrieved.",
    label="over-refusal: refused with the evidence retrieved",
    short="over-refusal",
    place=6,
    remark="with the evidence retrieved",
    higher_is_better=False,
    source="this project",
    compute=lambda outcomes, _: rate(
        [each for each in outcomes if each.question.wanted == "correct" and each.evidence_found],
        lambda each: each.bucket == "refused",
    ),
)
