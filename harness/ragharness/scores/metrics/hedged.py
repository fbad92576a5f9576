"""Answers that decline the question and answer it."""

from ragharness.scores.metrics import Metric, flagged

METRIC = Metric(
    name="hedged",
    part="axes",
    order=8,
    sentence="Graded answers that decline the question and answer it.",
    label="hedged: declined and answered at once",
    short="hedged",
    place=8,
    remark="declined and answered at once",
    range=(0, None),
    higher_is_better=False,
    source="this project",
    type=int,
    compute=lambda outcomes, _: flagged(outcomes, "hedged"),
)
