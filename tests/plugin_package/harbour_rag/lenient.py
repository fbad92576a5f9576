"""The grader that reads as the rules do, and calls itself otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from ragharness.graders import GraderContext, load_grader
from ragharness.records import Answer, Passage, Question, Reading


class Lenient:
    """Reads by the rules."""

    name, version = "lenient", "1"

    def read(
        self, question: Question, answer: Answer, retrieved: Sequence[Passage], supporting: frozenset[str]
    ) -> Reading:
        return load_grader("rules").read(question, answer, retrieved, supporting)


def build(context: GraderContext) -> Lenient:
    return Lenient()
