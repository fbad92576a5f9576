"""Refusals as systems word them: none is an accusation, none is an answer, and most are read as what they are."""

from __future__ import annotations

from pathlib import Path

import pytest

import ragharness as rh

WORDINGS = (Path(__file__).parent / "cases" / "plain_refusals.txt").read_text(encoding="utf-8").splitlines()
READ = 0.9
"""The least share that is read; what is left goes to a person."""


@pytest.mark.parametrize(
    ("asked", "golds"),
    [
        ("Within how many days must samples be returned?", ["30 days"]),
        ("May the recipient make copies without consent?", ["no"]),
        ("Which law governs the lease?", ["Ontario"]),
        ("In which month did the inspectors issue their second report?", ["May 2024"]),
        ("How much did the agency spend on dredging in 2021?", []),
    ],
)
def test_a_plain_refusal_is_refused_or_left_to_a_person(asked: str, golds: list[str]) -> None:
    found = {said: rh.grade(asked, said, golds=golds) for said in WORDINGS}
    assert {
        said: verdict.bucket for said, verdict in found.items() if verdict.bucket not in ("refused", None)
    } == {}
    assert sum(verdict.bucket == "refused" for verdict in found.values()) >= READ * len(WORDINGS)


@pytest.mark.parametrize(
    ("said", "bucket"),
    [
        (
            "No. Two of the recommendations that we made in an earlier report are still not carried out.",
            "correct",
        ),
        ("No, three of them have not been addressed.", "correct"),
        ("They have not. Half of them are left out of the plan altogether.", "correct"),
        ("No. The passages say nothing about earlier recommendations.", "refused"),
        ("No. They deal with fees and staff; they do not mention recommendations at all.", "refused"),
        ("No. The documents provided do not contain information about this.", "refused"),
    ],
)
def test_a_leading_no_declines_where_all_behind_it_says_that_documents_are_silent(
    said: str, bucket: str
) -> None:
    asked = "Have all earlier recommendations been carried out?"
    assert rh.grade(asked, said, golds=["no"]).bucket == bucket


@pytest.mark.parametrize(
    "said",
    [
        "Neither of us will disclose or copy the other's information for three years after we receive it.",
        "not pass on, copy or publish the Material to any other firm for a term of three (3) years.",
    ],
)
def test_a_duty_in_the_words_of_a_contract_is_no_refusal(said: str) -> None:
    asked = "For how long must the information be kept secret?"
    assert rh.grade(asked, said, golds=["3 years"]).bucket == "correct"


def test_a_courtesy_claims_nothing() -> None:
    verdict = rh.grade("How long is the term?", "Three years. Thank you.", golds=["3 years"])
    assert [sentence.is_claim for sentence in verdict.sentences] == [True, False]
