"""A right value that is said of something else is no right answer; said of what was asked, it is."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

import ragharness as rh
from conftest import ROOT
from ragharness.records import Passage

ASKED = "What was Northwind's interest expense in fiscal 2023, in millions of US dollars?"
TABLE = Passage(
    "nw#7",
    "nw",
    "Northwind Corp. annual report for fiscal 2023",
    0,
    0,
    "Fiscal year ended December 31 | 2023 | 2022\nInterest expense | 19.7 | 17.2\nInterest income | 4.1 | 3.9",
)


def bucket(answer: str, question: str = ASKED, gold: str = "19.7", passage: Passage = TABLE) -> str:
    """Bucket of an answer that cites its passage."""
    verdict = rh.grade(question, f"{answer} [{passage.id}]", [passage], golds=[gold])
    return verdict.bucket or "review"


@pytest.mark.parametrize(
    "answer",
    [
        "$19.7 million",
        "Interest expense came to $19.7 million in fiscal 2023, up from $17.2 million a year earlier.",
        "Northwind paid $19.7 million of interest expense in 2023.",
        "It was $19.7 million (2022: $17.2 million).",
        "It was first put at $17.2 million, but the right figure is $19.7 million.",
    ],
)
def test_a_value_said_of_what_was_asked_is_correct(answer: str) -> None:
    assert bucket(answer) == "correct"


@pytest.mark.parametrize(
    "answer",
    [
        "Revenue was $19.7 million.",
        "Google's interest expense was $19.7 million.",
        "Interest expense in fiscal 2022 was $19.7 million.",
        "Interest income in 2023 was $19.7 million.",
        "For Wexford Holdings, an unrelated company, it was $19.7 million.",
        "It changed by $19.7 million against the year before.",
        "The number of parking lots was 19.7 million.",
        "It was at most $19.7 million.",
        "It was expected to be $19.7 million.",
        "It is $17.2 million; for the other party it is $19.7 million.",
        "It was first put at $19.7 million, but the right figure is $17.2 million.",
    ],
)
def test_a_value_said_of_something_else_is_not_correct(answer: str) -> None:
    assert bucket(answer) in ("review", "wrong")


def test_a_longer_name_is_another_one() -> None:
    passage = Passage("c#1", "c", "Lease", 0, 0, "This lease is governed by the laws of Virginia.")
    asked = "Which state's law governs the lease?"
    assert bucket("The law of Virginia.", asked, "Virginia", passage) == "correct"
    assert bucket("The law of West Virginia.", asked, "Virginia", passage) != "correct"


def test_the_committed_wordings_hold_on_the_sample() -> None:
    sys.path.insert(0, str(Path(ROOT) / "benchmarks"))
    import wrong_slot

    cases = list(wrong_slot.cases("sample", ""))
    counts: Counter[tuple[str, bool]] = Counter()
    for wording in wrong_slot.wordings("ours"):
        for case in cases[::3]:
            if wording.fits(case):
                for side, frame in (("wrong", wording.wrong), ("control", wording.control)):
                    counts[side, wrong_slot.judged(case, frame)[1].bucket == "correct"] += 1
    assert counts["wrong", True] <= 0.03 * (counts["wrong", True] + counts["wrong", False])
    assert counts["control", True] >= 0.98 * (counts["control", True] + counts["control", False])
