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
