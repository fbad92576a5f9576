"""Every citation supports the sentence it is in; null: nothing is cited."""

from ragharness.analysis.metrics import Metric, YesNoAxis, axis_of

METRIC = Metric(
    part="axes",
    label="citation supports",
    short="citation supports",
    absent="without",
    source="the rubric, as settled in docs/scoring.md",
    type=YesNoAxis,
    compute=axis_of("citation_supports"),
)
