"""The shell offers commands, options, and the values that have names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ragharness.analysis.derived import derived
from ragharness.graders import grader_names
from ragharness.pipelines import pipeline_kinds
from ragharness.reports.formats import format_names
from ragharness.retrievers import retriever_names
from ragharness.support import resources

if TYPE_CHECKING:
    from commands import Verb


@pytest.fixture
def offered(
    verb: Verb, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> Callable[[str], list[str]]:
    """Return what bash offers for the last word of a line, in a folder with two runs."""
    for name in ("20260102-030405_sample", "20260102-030406_sample"):
        (tmp_path / "runs" / name).mkdir(parents=True)
        (tmp_path / "runs" / name / "run.json").touch()

    def complete(line: str) -> list[str]:
        words = line.split(" ")
        monkeypatch.setenv("_RAGHARNESS_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
        with pytest.raises(SystemExit, match="0"):
            verb()
        return capfd.readouterr().out.split()

    return complete


RUNS = ["20260102-030406_sample", "20260102-030405_sample"]


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("run --corpus ", resources.names("corpora")),
        ("run --corpus con", ["contractnli"]),
        ("run --retriever ", retriever_names()),
        ("run --pipeline ", pipeline_kinds()),
        ("run --grader ", grader_names()),
        ("run --grader rules,ju", ["rules,judge"]),
        ("run --rubric four", ["four-bucket-1.0"]),
        ("run --retriever-o", ["--retriever-option"]),
        ("questions build --corpus ed", ["edgar"]),
        ("corpus fetch gov", ["govreport"]),
        ("report --format ", format_names()),
        ("score --metrics utility,tr", ["utility,trust_score"]),
        ("score --metrics ", ["all", *derived()]),
        ("baseline ver", ["verify"]),
        ("baseline run ", resources.names("baselines")),
        ("baseline verify sample-refuse", ["sample-refuse-null"]),
        ("baseline list --corpus sa", ["sample"]),
        ("rubric show rag", ["rag-answer-1.0"]),
        ("gate ", RUNS),
        ("compare a ", RUNS),
        ("view ", RUNS),
        ("show q001 ", RUNS),
        ("calibrate ", RUNS),
        ("run --corpus ./path", []),
    ],
)
def test_what_is_offered(offered: Callable[[str], list[str]], line: str, values: list[str]) -> None:
    assert sorted(offered(f"ragharness {line}")) == sorted(values)


def test_the_script_for_the_shell_is_printed(
    verb: Verb, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    with pytest.raises(SystemExit, match="0"):
        verb("--show-completion", "bash")
    assert "complete -o default -F _ragharness_completion ragharness" in capfd.readouterr().out
