"""Answers partly from outside the passages."""

from ragharness.scores.metrics import Metric, flagged

METRIC = Metric(
    name="mixed",
    part="axes",
    order=9,
    sentence="Graded answers partly cited, partly from general knowledge by their own account.",
    label="mixed: partly from outside knowledge",
    short="mixed",
    place=9,
    remark="partly from outside knowledge",
    range=(0, None),
    higher_is_better=False,
    source="this project",
    type=int,
    compute=lambda outcomes, _: flagged(outcomes, "mixed"),
)
