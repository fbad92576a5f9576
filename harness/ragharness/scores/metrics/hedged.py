"""Graded answers that decline the question and answer it."""

from ragharness.scores.metrics import Metric, flagged

METRIC = Metric(
    part="axes",
    places=(8, 8),
    label="hedged: declined and answered at once",
    short="hedged",
    remark="declined and answered at once",
    range=(0, None),
    higher_is_better=False,
    type=int,
    compute=lambda outcomes, _: flagged(outcomes, "hedged"),
)
