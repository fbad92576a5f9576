"""Graded answers that refuse the question and also answer it."""

from ragharness.analysis.metrics import Metric, flagged

METRIC = Metric(
    part="axes",
    label="hedged: refused and also answered",
    short="hedged",
    remark="refused and also answered",
    range=(0, None),
    higher_is_better=False,
    type=int,
    compute=flagged("hedged"),
)
