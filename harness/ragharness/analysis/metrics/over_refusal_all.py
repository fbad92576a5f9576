"""Refused, of all questions that should be answered (as rag-eval counts it)."""

from ragharness.analysis.metrics import Metric, rate_of

METRIC = Metric(
    part="axes",
    label="over-refusal of all answerable questions",
    higher_is_better=False,
    source="rag-eval",
    compute=rate_of("refused", among="answer_wanted"),
)
