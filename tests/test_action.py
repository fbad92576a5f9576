"""The action and what ``init`` writes: their steps run here as a runner runs them."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from conftest import ROOT

if TYPE_CHECKING:
    from commands import Verb

WRITTEN = (
    "pipeline.py",
    "gate.toml",
    ".github/workflows/ragharness.yml",
    ".github/actions/ragharness/action.yml",
)
WRONG = "def answer(question, passages):\n    return f'Certainly 7 percent [{passages[0].id}].' if passages else 'No.'\n"


class Runner:
    """Runs the steps of a composite action that are commands, in a project and with a runner's files."""

    def __init__(self, project: Path, scratch: Path) -> None:
        yaml: Any = pytest.importorskip("yaml", reason="needs a reader of YAML: pip install pyyaml")
        self.action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
        (job,) = yaml.safe_load((project / WRITTEN[2]).read_text(encoding="utf-8"))["jobs"].values()
        (used,) = [each for each in job["steps"] if each.get("uses", "").startswith("./")]
        assert (project / used["uses"] / "action.yml").read_bytes() == (ROOT / "action.yml").read_bytes()
        self.inputs = {name: told.get("default", "") for name, told in self.action["inputs"].items()} | used[
            "with"
        ]
        self.project, self.scratch = project, scratch
        for name, command in (
            ("ragharness", f'exec "{sys.executable}" -c "from ragharness.cli import main; main()" "$@"'),
            ("python", f'exec "{sys.executable}" "$@"'),
            ("pip", f'echo "$@" >> "{scratch}/installed"'),
        ):
            path = scratch / name
            path.write_text(f"#!/bin/sh\n{command}\n")
            path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def job(self, event: str, **inputs: str) -> tuple[int, str, dict[str, str]]:
        """Return the exit code of the first step that fails, the job summary, and the outputs of the gate."""
        (self.scratch / "summary").write_text("")
        shutil.rmtree(self.project / ".ragharness" / "candidate", ignore_errors=True)
        (self.project / ".ragharness" / "report.html").unlink(missing_ok=True)
        outputs: dict[str, dict[str, str]] = {}
        for step in self.action["runs"]["steps"]:
            if "run" in step and step.get("if") in {None, f"github.event_name == '{event}'"}:
                code, told = self._step(step, {**self.inputs, **inputs}, outputs)
                outputs[step.get("id", "")] = told
                if code:
                    break
        return code, (self.scratch / "summary").read_text(encoding="utf-8"), outputs.get("gate", {})

    def _step(self, step: Any, inputs: dict[str, str], outputs: Any) -> tuple[int, dict[str, str]]:
        def valued(found: re.Match[str]) -> str:
            kind, _, rest = found[1].partition(".")
            if kind == "steps":
                name, _, key = rest.partition(".outputs.")
                return str(outputs[name][key])
            return str(inputs[rest] if kind == "inputs" else self.project / ".github/actions/ragharness")

        told = self.scratch / "output"
        told.write_text("")
        assert "${{" not in step["run"]
        named = {
            name: re.sub(r"\$\{\{ (.*?) \}\}", valued, text) for name, text in step.get("env", {}).items()
        }
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.project,
            env={
                **os.environ,
                **named,
                "PATH": f"{self.scratch}:{os.environ['PATH']}",
                "GITHUB_OUTPUT": str(told),
                "GITHUB_STEP_SUMMARY": str(self.scratch / "summary"),
                "RAGHARNESS_CACHE": str(self.scratch / "cache"),
            },
            check=False,
            timeout=300,
        )
        return done.returncode, dict(line.split("=", 1) for line in told.read_text().splitlines())


@pytest.fixture
def runner(tmp_path: Path, verb: Verb) -> Runner:
    project = tmp_path / "project"
    assert verb("init", str(project)).code == 0
    (tmp_path / "scratch").mkdir()
    return Runner(project, tmp_path / "scratch")


def test_init_writes_what_runs_and_never_overwrites(tmp_path: Path, verb: Verb) -> None:
    done = verb("init", str(tmp_path / "new"))
    assert done.output.splitlines() == [
        *(f"written {tmp_path / 'new' / name}" for name in WRITTEN),
        "",
        "next   ragharness run --pipeline pipeline.py:answer",
    ]
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "gate.toml").write_text("mine")
    again = verb("init", str(tmp_path / "old"))
    assert again.code == 3
    assert again.errors.startswith(
        f"error: expected none of these files in {tmp_path / 'old'}, found gate.toml\nhelp:"
    )
    assert [each.name for each in (tmp_path / "old").iterdir()] == ["gate.toml"]
    assert (tmp_path / "old" / "gate.toml").read_text() == "mine"


@pytest.mark.slow
def test_the_workflow_stores_a_run_then_lets_the_same_pass_and_stops_a_worse_one(runner: Runner) -> None:
    code, summary, outputs = runner.job("push")
    assert (code, outputs["verdict"]) == (0, "stored")
    assert "No stored run of the base branch yet" in summary
    assert (runner.scratch / "installed").read_text() == "install --quiet ragharness\n"
    assert (runner.project / ".ragharness" / "base" / "run.json").is_file()

    code, summary, outputs = runner.job("pull_request")
    assert (code, outputs["verdict"]) == (0, "ship")
    assert "SHIP" in summary

    (runner.project / "pipeline.py").write_text(WRONG)
    code, summary, outputs = runner.job("pull_request")
    assert (code, outputs["verdict"]) == (1, "reject")
    assert "REJECT" in summary
    assert "flips, worse first" in summary
    page = (runner.project / ".ragharness" / "report.html").read_text(encoding="utf-8")
    assert "B against A" in page


def test_arguments_are_words_and_never_commands(runner: Runner) -> None:
    touched = runner.project / "touched"
    code, _, outputs = runner.job(
        "pull_request", arguments=f"--limit 20 --tag '; touch {touched} $(touch {touched})'"
    )
    assert (code, outputs["verdict"]) == (0, "stored")
    assert not touched.exists()
    assert runner.job("pull_request", arguments="--nonsense")[0] == 3
