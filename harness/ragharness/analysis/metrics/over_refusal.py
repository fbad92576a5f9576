"""Refused although the evidence was retrieved."""

from ragharness.analysis.metrics import Metric, rate_of

METRIC = Metric(
    part="axes",
    label="over-refusal: refused although the evidence was retrieved",
    short="over-refusal",
    remark="refused despite retrieved evidence",
    higher_is_better=False,
    compute=rate_of("refused", among="answer_in_reach"),
)
