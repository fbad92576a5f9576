"""Refused, of all questions whose answer is in reach (rag-eval's figure)."""

from ragharness.scores.metrics import Metric, rate

METRIC = Metric(
    part="axes",
    places=(6, 0),
    label="over-refusal of all whose answer is in reach",
    higher_is_better=False,
    source="rag-eval",
    compute=lambda outcomes, _: rate(
        [each for each in outcomes if each.question.wanted == "correct"],
        lambda each: each.bucket == "refused",
    ),
)
