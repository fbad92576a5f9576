"""Refusals of questions whose answer is in reach."""

from ragharness.scores.metrics import Metric, rate

METRIC = Metric(
    name="over_refusal_all",
    part="axes",
    order=6,
    sentence="Refused, of all questions whose answer is in reach (rag-eval's figure).",
    label="over-refusal of all whose answer is in reach",
    higher_is_better=False,
    source="rag-eval",
    compute=lambda outcomes, _: rate(
        [each for each in outcomes if each.question.wanted == "correct"],
        lambda each: each.bucket == "refused",
    ),
)
