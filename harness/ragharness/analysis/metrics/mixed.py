"""Graded answers that are partly cited and partly, by their own account, general knowledge."""

from ragharness.analysis.metrics import Metric, flagged

METRIC = Metric(
    part="axes",
    label="mixed: partly from outside knowledge",
    short="mixed",
    remark="partly from outside knowledge",
    range=(0, None),
    higher_is_better=False,
    type=int,
    compute=flagged("mixed"),
)
