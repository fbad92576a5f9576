"""The benchmark on people's labels: the sources are read as they were published."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT
from ragharness.graders import load_grader


@pytest.fixture
def people(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])
    import people

    return people


def test_every_judge_of_the_matrix_can_be_built(people: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    cells = people.judges()
    names = {load_grader(name, settings=options, dry_run=True).version for name, options in cells}
    assert len(names) == len(cells) >= 5


def test_a_person_agrees_whose_judgement_was_accepted(people: Any, tmp_path: Path) -> None:
    (tmp_path / "model_outputs").mkdir()
    gold = {"question": "Who wrote it", "answer": ["Ann Lee"]}
    (tmp_path / "model_outputs" / "NQ_a.jsonl").write_text(json.dumps(gold), encoding="utf-8")
    rows = [
        ("1", "Who wrote it?", "Ann Lee", "Yes", "Yes", "No", ""),
        ("2", "Who wrote it?", "Bo", "No", "No", "No", "No"),
        ("3", "Who wrote it?", "Cy", "unclear", "Yes", "No", "No"),
        ("4", "Who sang it?", "Di", "Yes", "Yes", "Yes", ""),
    ]
    names = ("id", "Question", "Model answer", "Acceptable?", "annotator1", "annotator2", "annotator3")
    with (tmp_path / "NQ301_human.tsv").open("w", encoding="utf-8") as file:
        csv.writer(file, delimiter="\t").writerows([names, *rows])
    answers, agreement = people.judged_by_several(tmp_path)
    assert [answer.label for answer in answers] == ["correct", "incorrect"]
    assert agreement == {True: 4, False: 1}


def test_a_claim_of_its_own_passage_is_supported_and_one_of_another_is_not(people: Any) -> None:
    fact = "The board met on 4 May 2021 in Leeds to approve the budget of the port."
    claims = [
        ("When did the board meet?", "The board met on 4 May 2021 in Leeds.", [fact], "attributable"),
        ("When did it meet?", "The board met on 9 July 2019 in York.", [fact], "not attributable"),
    ]
    result = people.support(lambda folder: iter(claims), load_grader(), Path())
    assert result["n"] == 2
    assert result["accuracy"][:2] == [2, 2]
    assert result["said_supported"]["attributable"][:2] == [1, 1]
