"""The benchmark of the grader: risk against coverage, the plain reader, and rules that are knocked out."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT
from ragharness.analysis.labelled import Labelled, judge, read_labelled
from ragharness.graders import load_grader
from ragharness.language.polarity import find_cues

np = pytest.importorskip("numpy")
pytest.importorskip("rapidfuzz")


@pytest.fixture(scope="module", autouse=True)
def benchmarks() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])
        yield


def column(errs: list[float], confidence: list[float], graded: list[bool] | None = None) -> Any:
    from grading import Column

    return Column(np.array(errs), np.array(confidence), np.array(graded or [True] * len(errs)))


def test_risk_grows_from_the_surest_answers_and_ties_share_their_errors() -> None:
    import grading as risk

    surest_right = column([0, 0, 1, 1], [0.9, 0.8, 0.2, 0.1])
    assert risk.risks(surest_right).tolist() == [0, 0, pytest.approx(1 / 3), 0.5]
    assert surest_right.area == pytest.approx((0 + 0 + 1 / 3 + 1 / 2) / 4)
    alike = column([0, 0, 1, 1], [1, 1, 1, 1])
    assert risk.risks(alike).tolist() == [0.5] * 4
    assert risk.risk_at(surest_right, 0.5) == 0
    assert risk.behind(alike, surest_right) == (0.5, 0.25)
    assert risk.behind(surest_right, alike) == (0.0, 1.0)


def test_what_is_left_to_review_comes_last() -> None:
    import grading as risk

    held_back = column([1, 0, 0], [0.9, 0.5, 0.4], [False, True, True])
    assert risk.risks(held_back).tolist() == [0, 0, pytest.approx(1 / 3)]
    assert held_back.coverage == pytest.approx(2 / 3)


def labelled(tmp_path: Path, *rows: tuple[str, str, str]) -> list[Labelled]:
    path = tmp_path / "a.jsonl"
    lines = [
        json.dumps({"question": question, "answers": [gold], "answer": answer, "label": "correct"})
        for question, gold, answer in rows
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    return read_labelled(path)


def test_the_baselines(tmp_path: Path) -> None:
    from grading_baselines import SYSTEMS

    (each,) = labelled(tmp_path, ("Who wrote it?", "Ann Lee", "It was Ann Lee, I think, who wrote the book."))
    said = {name: system(each).outcome for name, system in SYSTEMS.items()}
    assert said == {
        "exact match": "wrong",
        "gold contained": "correct",
        "token F1": "wrong",
        "token_set_ratio": "correct",
        "partial_ratio": "correct",
        "plain reader": "correct",
    }


def test_the_plain_reader(tmp_path: Path) -> None:
    from grading_baselines import plain

    rows = [
        ("What is its debt, in USD millions?", "$1577.00", "It was $1.577 billion.", "correct"),
        ("What is its margin, in percent?", "6.2%", "The margin is 6.17%.", "correct"),
        ("What is its debt, in USD millions?", "$1577.00", "It was $1.2 billion.", "wrong"),
        ("Is it long?", "Yes, it is.", "No, it is short.", "wrong"),
        ("Is it long?", "Yes, it is.", "It has 900 pages.", "needs_review"),
        ("Who wrote it?", "Ann Lee", "The text does not say; I could not find the answer.", "refused"),
        ("Why did it sell?", "It sold well because it was short and cheap.", "It was good.", "needs_review"),
        ("Who wrote it?", "Ann Lee", "...", "no_answer"),
    ]
    answers = labelled(tmp_path, *(row[:3] for row in rows))
    assert [plain(each).outcome for each in answers] == [row[3] for row in rows]


def test_the_plain_reader_is_short() -> None:
    text = (ROOT / "benchmarks" / "grading_baselines.py").read_text(encoding="utf-8")
    reader = text[text.index("_DECLINES = ") : text.index("SYSTEMS: ")]
    lines = sum(bool(line.strip()) for line in reader.splitlines())
    assert lines <= 60
    told = (ROOT / "docs" / "calibration.md").read_text(encoding="utf-8")
    assert f"a plain reader of {lines} lines" in told


def test_a_rule_is_knocked_out_everywhere_and_put_back(tmp_path: Path) -> None:
    import grading_knockouts as knockouts

    rules = knockouts.rules()
    function = next(iter(rules.values()))
    code = function.__code__
    with knockouts.without(function):
        assert function() is False
    assert function.__code__ is code
    answers = labelled(tmp_path, ("What did it cost?", "$5", "It cost $5."))
    before = judge(load_grader(), answers[0])
    for rule in list(rules.values())[:5]:
        with knockouts.without(rule):
            judge(load_grader(), answers[0])
    assert judge(load_grader(), answers[0]) == before


def test_a_rule_behind_a_cache_is_knocked_out() -> None:
    import grading_knockouts as knockouts

    text = "No tenant is required to paint."
    before = find_cues(text)
    with knockouts.without(knockouts.rules()["language.polarity.is_negated"]):
        assert find_cues(text) != before
    assert find_cues(text) == before


def test_the_split_is_that_of_the_digest() -> None:
    from bench import is_unseen

    assert [text for text in "abcdefghijklmnop" if is_unseen(text)] == ["f", "l"]


def test_the_committed_result_holds_no_text() -> None:
    found = json.loads((ROOT / "benchmarks" / "grading.json").read_text(encoding="utf-8"))

    def texts(value: Any) -> list[str]:
        if isinstance(value, dict):
            return [text for each in value.values() for text in texts(each)]
        if isinstance(value, list):
            return [text for each in value for text in texts(each)]
        return [value] if isinstance(value, str) else []

    assert all(len(text) < 100 and " " not in text for text in texts(found))
