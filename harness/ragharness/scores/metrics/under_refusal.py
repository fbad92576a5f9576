"""Answered, of the questions that want a refusal."""

from ragharness.scores.metrics import Metric, rate

METRIC = Metric(
    part="axes",
    places=(7, 7),
    label="under-refusal: answered where a refusal is wanted",
    short="under-refusal",
    remark="that want a refusal were answered",
    higher_is_better=False,
    compute=lambda outcomes, _: rate(
        [each for each in outcomes if each.question.wanted != "correct"],
        lambda each: each.bucket not in {None, "refused"},
    ),
)
