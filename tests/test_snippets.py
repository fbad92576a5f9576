"""Every program in the documentation is run by a test: those that no other test runs are run here, as they stand."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import ragharness as rh
from conftest import ROOT

if TYPE_CHECKING:
    from commands import Verb

FENCE = re.compile(r"^```(python|sh|csv)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PAGES = {
    page.name: FENCE.findall(page.read_text(encoding="utf-8"))
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
}
ELSEWHERE = {
    "README.md": ("test_docs.py", 3),
    "formats.md": ("test_file_formats.py", 1),
    "pipelines.md": ("test_pipeline_kinds.py, frameworks/test_recipes.py", 6),
    "python.md": ("test_python.py", 6),
    "questions.md": ("test_docs.py", 1),
    "retrieval.md": ("test_own_retriever.py", 1),
}
"""Page -> the tests that run its programs, and how many they run."""

HERE = {"calibration.md": 2, "gate.md": 1, "graders.md": 1, "matrix.md": 1, "metrics.md": 1, "own.md": 1}
"""Page -> how many are run below."""


def snippet(page: str) -> str:
    """Return the first program of a page."""
    return str(PAGES[page][0][1])


def test_every_program_of_the_documentation_is_run_by_a_test() -> None:
    for names, _ in ELSEWHERE.values():
        assert all((ROOT / "tests" / name).is_file() for name in names.split(", "))
    found = {page: len(programs) for page, programs in PAGES.items() if programs}
    claimed = {page: number for page, (_, number) in ELSEWHERE.items()}
    assert found == claimed | HERE, "run the new one in a test, and count it here"


def test_every_recipe_of_a_framework_has_its_test() -> None:
    tests = (ROOT / "tests" / "frameworks" / "test_recipes.py").read_text(encoding="utf-8")
    recipes = sorted((ROOT / "docs" / "recipes").glob("*.py"))
    shown = [code for _, code in PAGES["pipelines.md"] if "--pipeline docs/recipes/" in code]
    assert len(recipes) == len(shown) == 3
    for recipe in recipes:
        assert recipe.read_text(encoding="utf-8").rstrip() in [code.rstrip() for code in shown]
        assert f"{recipe.stem}" in tests


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the working folder one with two runs, ``before`` and ``after``."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAGHARNESS_CACHE", str(tmp_path / "cache"))
    for name, words in (("before", 60), ("after", 120)):
        rh.run("extractive", passage_words=words, out=f"runs/{name}", progress=False)
    return tmp_path


def test_gate(runs: Path, capfd: pytest.CaptureFixture[str]) -> None:
    exec(snippet("gate.md"), {})
    assert capfd.readouterr().out.startswith("False reject ['q")


def test_metrics(runs: Path) -> None:
    scope: dict[str, Any] = {"rh": rh}
    exec(snippet("metrics.md"), scope)
    assert isinstance(scope["found"]["utility"].value, float)


def test_graders(runs: Path, verb: Verb) -> None:
    (runs / "mine.py").write_text(snippet("graders.md"), encoding="utf-8")
    done = verb("grade", "after", "--grader", "rules,mine.py:read")
    assert (done.code, "verdicts changed" in done.errors) == (0, True), done.errors


def test_matrix(runs: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (runs / "matrix.toml").write_text("[run]\nlimit = 26\n[axes]\nk = [1, 5]\n", encoding="utf-8")
    exec(snippet("matrix.md"), {})
    assert capfd.readouterr().out.startswith("k ")


def test_calibration(runs: Path, capfd: pytest.CaptureFixture[str]) -> None:
    exec(snippet("calibration.md"), {})
    assert "labelled" in capfd.readouterr().out


def test_labels_of_others(verb: Verb, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "calibration.md").read_text(encoding="utf-8")
    (tmp_path / "theirs.csv").write_text(PAGES["calibration.md"][1][1], encoding="utf-8")
    (command,) = re.findall(r"^    ragharness (calibrate --answers theirs\.csv .*)$", page, re.MULTILINE)
    done = verb(*command.split(), "--json")
    assert (done.code, json.loads(done.output)["n"]) == (0, 2), done.errors


def test_a_table_of_questions_of_one_s_own(verb: Verb, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    texts = {
        "staff-report.md": "# Staff report\n\nThe office employs 57 inspectors.\n",
        "bridge.md": "# The bridge\n\nThe bridge was opened in March 1994.\n",
        "rules.md": "# House rules\n\nSmoking is forbidden in all rooms.\n",
    }
    for name, text in texts.items():
        (tmp_path / "docs" / name).write_text(text, encoding="utf-8")
    (tmp_path / "mine.csv").write_text(snippet("own.md"), encoding="utf-8")
    done = verb("run", "--corpus", "docs", "--questions", "mine.csv", "--out", "run")
    assert "4 questions" in done.output, done.errors
    assert {each.question.id: each.bucket for each in rh.load_run(tmp_path / "run")}
