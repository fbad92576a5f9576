"""Answers to yes/no questions that stand on their own: each pair differs in the one thing that decides."""

from __future__ import annotations

import pytest

from ragharness.corpus.propositions import read
from ragharness.graders import load_grader
from ragharness.language.polarity import read_statement
from ragharness.questions.values import interrogative
from ragharness.records import Answer, Question

SALES = "Did net sales increase in 2022?"
EXPLAIN = "Did net sales increase in 2022? If not, explain why."
USEFUL = (
    "Does Corvane have positive working capital based on FY2022 data? "
    "If working capital is not a useful metric, state that and explain why."
)
CONTEXT = "The company did not pay a dividend in 2021. Did net sales increase in 2022?"
SUBLET = "May the tenant sublet the flat?"
RISK = "Is Corvane's business subject to cyclicality?"

PAIRS = [
    (SALES, "Net sales increased in 2022.", "yes"),
    (SALES, "Net sales did not increase in 2022.", "no"),
    (SALES, "Net sales decreased in 2022.", "no"),
    (SALES, "Net sales increased in 2020.", ""),
    (EXPLAIN, "Net sales did not increase.", "no"),
    (EXPLAIN, "Net sales increased.", "yes"),
    (USEFUL, "The company does not have positive working capital.", "no"),
    (USEFUL, "The company has positive working capital.", "yes"),
    (USEFUL, "Corvane has negative working capital.", "no"),
    (USEFUL, "If current assets exceed current liabilities, the company has positive working capital.", ""),
    (USEFUL, "Some companies do well with negative working capital.", ""),
    (CONTEXT, "Net sales increased in 2022.", "yes"),
    (CONTEXT, "Net sales did not increase in 2022.", "no"),
    (SALES, "To determine whether net sales increased in 2022, you would need the income statement.", ""),
    (SALES, "To find out if net sales increased in 2022, you would need to look at both years.", ""),
    (SALES, "It is unclear whether net sales increased in 2022.", ""),
    (SALES, "Net sales may have increased in 2022.", ""),
    (SALES, "So the answer is no, net sales did not increase in 2022.", "no"),
    (SALES, "So in summary, no the company did not increase its net sales in 2022.", "no"),
    (SALES, "Yes. Net sales did not increase in 2022.", "unreadable"),
    (SALES, "Yes. Net sales increased in 2022.", "yes"),
    (RISK, "Corvane's business is subject to cyclicality.", "yes"),
    (RISK, "Corvane's business is not subject to cyclicality.", "no"),
    (RISK, "No material portion of the business is seasonal.", ""),
    (RISK, "The discount rate assumed was", ""),
    (SUBLET, "The tenant may sublet the flat.", "yes"),
    (SUBLET, "The tenant may not sublet the flat.", "no"),
    (SUBLET, "Subletting is forbidden.", "no"),
]


def asking(text: str, proposition: str = "") -> Question:
    return Question(
        id="q",
        text=text,
        stratum="grounded",
        kind="yesno",
        answerable=True,
        answers=("yes",),
        proposition=proposition,
    )


@pytest.mark.parametrize("again", [False, True], ids=["no proposition", "the question again"])
@pytest.mark.parametrize(("asked", "said", "heard"), PAIRS)
def test_what_an_answer_commits_to(asked: str, said: str, heard: str, *, again: bool) -> None:
    question = asking(asked, asked.rstrip("?") if again else "")
    reading = load_grader().read(question, Answer(text=said), (), frozenset())
    if heard == "unreadable":
        assert reading.unreadable
        assert not reading.committed
    elif heard:
        assert (reading.value, reading.match) == (heard, "match" if heard == "yes" else "mismatch")
    else:
        assert not reading.committed


@pytest.mark.parametrize("said", ["Sí, aumentaron.", "Nein, der Umsatz ist gesunken.", "Non, il a baissé."])
def test_other_languages_are_left_to_a_person(said: str) -> None:
    reading = load_grader().read(asking(SALES), Answer(text=said), (), frozenset())
    assert (reading.status, reading.committed) == ("needs_review", False)


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        (EXPLAIN, SALES),
        (CONTEXT, SALES),
        ("Acme Inc. pays rent. Under the lease, may it sublet? Explain.", "Under the lease, may it sublet?"),
        ("Name the auditor.", "Name the auditor."),
    ],
)
def test_the_clause_that_asks(question: str, asks: str) -> None:
    assert interrogative(question).strip() == asks


def test_readers_of_corpora_come_first_and_know_only_their_propositions() -> None:
    kept = "The recipient must keep the existence of the talks secret."
    assert read("The existence of the talks is confidential", kept).polarity == "affirms"
    assert read_statement("The existence of the talks is confidential", kept).polarity != "affirms"
    fact = "Net sales increased."
    assert read("Net sales decreased", fact) == read_statement("Net sales decreased", fact)
