"""Grades one labelled answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ragharness.buckets import decide, grade

if TYPE_CHECKING:
    from ragharness.calibration.labelled import Labelled
    from ragharness.graders import Grader
    from ragharness.records import Reading, Verdict


def judge(grader: Grader, each: Labelled) -> Verdict:
    """Return the verdict on a labelled answer; without passages on the answer alone."""
    if not each.judged_alone:
        return grade(grader, each.question, each.answer, each.passages, each.supporting)
    reading = grader.read(each.question, each.answer, (), frozenset())
    return decide(each.question, with_support_given(reading), grader=f"{grader.name}@{grader.version}")


def with_support_given(reading: Reading) -> Reading:
    """Return a reading as if the evidence was retrieved and cited, so that only the answer is judged."""
    return replace(reading, evidence_retrieved=True, any_valid_support=True)
