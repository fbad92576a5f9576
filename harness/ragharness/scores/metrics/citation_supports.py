"""Whether every citation of an answer supports the sentence in which it stands."""

from ragharness.scores.metrics import Metric, graded
from ragharness.scores.values import YesNoAxis, yes_no

METRIC = Metric(
    name="citation_supports",
    part="axes",
    order=2,
    sentence="Every citation supports the sentence in which it stands; null: nothing is cited.",
    label="citation supports",
    short="citation supports",
    place=2,
    absent="without",
    higher_is_better=True,
    source="the rubric, as settled in docs/scoring.md",
    type=YesNoAxis,
    compute=lambda outcomes, _: yes_no([each.citation_supports for each in graded(outcomes)]),
)
