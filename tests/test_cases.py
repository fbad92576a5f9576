"""Files of labelled cases: loading them, comparing, and the command that prints the differences."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ragharness.cli import build_app
from ragharness.errors import UsageError
from ragharness.graders import load_grader
from ragharness.graders.verdicts import check_cases, load_cases

CASE: dict[str, Any] = {
    "id": "one",
    "question": {
        "text": "How long does it last?", "kind": "text", "stratum": "grounded", "answerable": True,
        "answers": ["three years"], "gold_evidence": ["a#1"], "distractors": ["five years", {"value": "six years", "about": "x"}],
    },
    "retrieved": [{"id": "a#1", "text": "It lasts three years."}],
    "answer": {"status": "ok", "text": "Three years [a#1].", "citations": None},
    "expected": {"bucket": "correct", "flags": [], "extra_claim_count": 0},
}  # fmt: skip


def write(folder: Path, *cases: object) -> Path:
    path = folder / "cases.json"
    path.write_text(json.dumps({"about": "", "cases": cases}), encoding="utf-8")
    return path


def test_a_case_is_loaded_whole(tmp_path: Path) -> None:
    (case,) = load_cases(write(tmp_path, CASE))
    assert case.question.distractors[1].about == "x"
    assert case.retrieved[0].document == "a"
    assert case.supporting == {"a#1"}


def test_only_the_expected_keys_are_compared(tmp_path: Path) -> None:
    other = CASE | {"id": "two", "expected": {"bucket": "wrong", "reason": "MISMATCH"}}
    first, second = check_cases(write(tmp_path, CASE, other), load_grader())
    assert first.differences == {}
    assert second.differences == {"bucket": ("wrong", "correct"), "reason": ("MISMATCH", "SUPPORTED")}


@pytest.mark.parametrize(
    "content", ["", "{}", '{"cases": []}', '{"cases": [{"id": "x"}]}', '{"cases": [3]}', "\x00"]
)
def test_other_files_get_a_sentence(tmp_path: Path, content: str) -> None:
    path = tmp_path / "cases.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match="expected"):
        load_cases(path)


def test_a_missing_file_gets_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no file of cases"):
        load_cases(tmp_path / "nowhere.json")


def run(*arguments: str) -> Any:
    return CliRunner().invoke(build_app(), ["grade", *arguments], standalone_mode=False)


def test_the_command_prints_expected_against_got(tmp_path: Path) -> None:
    good = run("--cases", str(write(tmp_path, CASE)))
    assert (good.return_value, good.output) == (0, "1 of 1 cases as expected, 0 different\n")
    bad = run("--cases", str(write(tmp_path, CASE | {"expected": {"bucket": "refused"}})))
    assert bad.return_value == 1
    assert "bucket: expected refused, got correct" in bad.output
    assert "Three years [a#1]." in bad.output


def test_the_command_as_json(tmp_path: Path) -> None:
    result = run("--cases", str(write(tmp_path, CASE)), "--json")
    (row,) = json.loads(result.output)
    assert row["as_expected"] is True
    assert row["verdict"]["bucket"] == "correct"
