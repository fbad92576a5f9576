"""Answered, of the questions that should be refused."""

from ragharness.analysis.metrics import Metric, rate_of

METRIC = Metric(
    part="axes",
    label="under-refusal: answered where a refusal is desired",
    short="under-refusal",
    remark="answered instead of refusing",
    higher_is_better=False,
    compute=rate_of("answered", among="refusal_wanted"),
)
