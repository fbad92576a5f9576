"""Whether every citation of an answer names a passage that the answer was given."""

from ragharness.scores.metrics import Metric, graded
from ragharness.scores.values import YesNoAxis, yes_no

METRIC = Metric(
    name="citation_exists",
    part="axes",
    order=1,
    sentence="Every citation names a passage that the answer was given; null: nothing is cited.",
    label="citation exists",
    short="citation exists",
    place=1,
    absent="without citation",
    higher_is_better=True,
    source="the rubric, as settled in docs/scoring.md",
    type=YesNoAxis,
    compute=lambda outcomes, _: yes_no([each.citation_exists for each in graded(outcomes)]),
)
