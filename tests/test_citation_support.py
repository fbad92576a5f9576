"""Whether a cited passage, read alone, states a sentence: yes, no, or undetermined."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import pairwise

import pytest

from ragharness.analysis.metrics import yes_no
from ragharness.graders import load_grader
from ragharness.graders.reading import support
from ragharness.graders.verdicts import grade
from ragharness.records import Answer, Passage, Question, Verdict
from ragharness.reports.text import yes_of

GRADER = load_grader("rules")
PASSAGE = (
    "Harbor Foods acquired the Pell Cannery from Ostrava Holdings on 4 May 2021 for $37.5 million. "
    "The cannery increased its output by 12 percent in fiscal 2022. "
    "Harbor Foods shall not sell the cannery before 2026. "
    "Net sales were $410.2 million in fiscal 2022, compared with $388.9 million in fiscal 2021."
)
FEES = "The yearly fee is $5 million. It is payable in advance."
TERM = "The contract runs for two years and may be renewed once."


def verdict(text: str, gold: str = "$37.5 million", **passages: str) -> Verdict:
    question = Question(
        id="q",
        text="What did the cannery cost?",
        stratum="grounded",
        kind="text",
        answerable=True,
        answers=(gold,),
    )
    given = [Passage(id_, id_, "", 0, len(body), body) for id_, body in (passages or {"a": PASSAGE}).items()]
    return grade(GRADER, question, Answer(text=text), given, frozenset({"a"}))


def stated(claim: str) -> str:
    (sentence,) = verdict(f"{claim} [a].").sentences
    return {True: "yes", False: "no", None: "undetermined"}[sentence.joint_support]


@pytest.mark.parametrize(
    ("claim", "supports"),
    [
        (
            "Harbor Foods acquired the Pell Cannery from Ostrava Holdings on 4 May 2021 for $37.5 million",
            "yes",
        ),
        ("On 4 May 2021, Harbor Foods acquired the Pell Cannery for $37.5 million", "yes"),
        ("Harbor Foods shall not sell the cannery before 2026", "yes"),
        ("Net sales were $388.9 million in fiscal 2021", "yes"),
        (
            "Brannock Foods acquired the Pell Cannery from Ostrava Holdings on 4 May 2021 for $37.5 million",
            "no",
        ),
        (
            "Harbor Foods acquired the Pell Cannery from Ostrava Holdings on 4 May 2021 for $39.5 million",
            "no",
        ),
        (
            "Harbor Foods acquired the Pell Cannery from Ostrava Holdings on 9 May 2021 for $37.5 million",
            "no",
        ),
        ("Harbor Foods shall sell the cannery before 2026", "no"),
        ("Net sales were $388.9 million in fiscal 2022", "no"),
        ("The orchards of the valley were sold to a farmer from the coast", "no"),
    ],
)
def test_names_figures_denials_and_years_are_read(claim: str, supports: str) -> None:
    assert stated(claim) == supports


@pytest.mark.parametrize(
    "claim",
    [
        "Ostrava Holdings acquired the Pell Cannery from Harbor Foods on 4 May 2021 for $37.5 million",
        "The cannery decreased its output by 12 percent in fiscal 2022",
        "Harbor Foods shall not sell the cannery after 2026",
    ],
)
def test_roles_and_directions_are_never_taken_for_support(claim: str) -> None:
    assert stated(claim) != "yes"


def test_support_does_not_look_at_the_gold() -> None:
    text = "Harbor Foods acquired the Pell Cannery for $37.5 million [a]."
    right, wrong = verdict(text), verdict(text, gold="$99.1 million")
    assert right.sentences[-1].citation_support == wrong.sentences[-1].citation_support == (True,)
    elsewhere = verdict("It cost $37.5 million [b].", a=PASSAGE, b=TERM)
    assert elsewhere.citation_supports == "no"


def test_each_citation_may_support_its_own_piece() -> None:
    text = "The yearly fee is $5 million [a], and the contract runs for two years [b]."
    (sentence,) = verdict(text, gold="$5 million", a=FEES, b=TERM).sentences
    assert sentence.citation_support == (True, True)
    assert sentence.joint_support is True
    assert sentence.leave_one_out_support == (False, False)
    (phantom,) = verdict(text.replace("[b]", "[zz]"), gold="$5 million", a=FEES, b=TERM).sentences
    assert phantom.citation_support[-1] is False


def test_what_is_undetermined_is_counted_and_never_a_yes() -> None:
    axis = yes_no(["yes", "undetermined", "no", None, "undetermined"])
    assert (axis.yes, axis.no, axis.undetermined, axis.null, axis.n) == (1, 1, 2, 1, 4)
    assert yes_of(axis).startswith("1/4 ")
    assert yes_of(axis).endswith("2 undetermined")


def test_the_trees_rise_with_what_the_passage_holds() -> None:
    said = support.read_line("Harbor Foods acquired the Pell Cannery for $37.5 million.")
    passage = Passage("a", "a", "", 0, len(PASSAGE), PASSAGE)
    measured = support.measures(said, [passage])
    assert set(support.weights().measures) == set(measured)
    scores = [support.score({**measured, "aligned": share}) for share in (0.2, 0.5, 0.8, 1.0)]
    assert all(low <= high for low, high in pairwise(scores))


def test_the_order_of_words_in_memory_decides_nothing() -> None:
    """A sum over a set of words rounds otherwise in another order, which each process chooses anew."""
    claim = "Subscription revenue was $918.2 million in fiscal 2024."
    program = (
        "from ragharness.graders.reading.support import measures, read_line\n"
        "from ragharness.records import Passage\n"
        f"text = {claim[:-1] + ', and services revenue $61.4 million.'!r}\n"
        f"print(measures(read_line({claim!r}), [Passage('a', 'a', 'Annual report', 0, len(text), text)]))"
    )
    measured = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in "123"
    }
    assert len(measured) == 1
    assert "'recall': 1.0," in measured.pop()
