"""Every citation names a passage that the pipeline was given; null: nothing is cited."""

from ragharness.analysis.metrics import Metric, YesNoAxis, axis_of

METRIC = Metric(
    part="axes",
    label="citation exists",
    short="citation exists",
    absent="without citation",
    source="the rubric, as settled in docs/scoring.md",
    type=YesNoAxis,
    compute=axis_of("citation_exists"),
)
