"""Answers to questions that want a refusal."""

from ragharness.scores.metrics import Metric, rate

METRIC = Metric(
    name="under_refusal",
    part="axes",
    order=7,
    sentence="Answered, of the questions that want a refusal.",
    label="under-refusal: answered where a refusal is wanted",
    short="under-refusal",
    place=7,
    remark="that want a refusal were answered",
    higher_is_better=False,
    source="this project",
    compute=lambda outcomes, _: rate(
        [each for each in outcomes if each.question.wanted != "correct"],
        lambda each: each.bucket not in {None, "refused"},
    ),
)
