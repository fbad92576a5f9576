"""Answers in the bucket correct, of all graded answers."""

from ragharness.analysis.derived import Derived

METRIC = Derived(
    label="plain accuracy",
    formula="correct / graded",
    source="harbour-rag",
    of=lambda item, _: float(item.bucket == "correct"),
)
