"""Refused, of all questions that should be answered (as rag-eval counts it)."""

from ragharness.scores.metrics import Metric, rate

METRIC = Metric(
    part="axes",
    places=(6, 0),
    label="over-refusal of all answerable questions",
    higher_is_better=False,
    source="rag-eval",
    compute=lambda outcomes, _: rate(
        outcomes, lambda each: each.bucket == "refused", lambda each: each.wanted == "correct"
    ),
)
