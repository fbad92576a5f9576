"""Answers to questions that should be answered, of all questions."""

from ragharness.analysis.metrics import Metric, rate_of

METRIC = Metric(
    part="axes",
    label="answers wanted",
    short="answers wanted",
    higher_is_better=True,
    source="harbour-rag",
    compute=rate_of("answer_wanted"),
)
