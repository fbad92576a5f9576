"""What a package publishes by entry points is found and used by name, as a file in our folders is."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from commands import process
from conftest import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SOURCE = ROOT / "tests" / "plugin_package"
QUESTION = {
    "id": "q1",
    "text": "To how many metres was the harbour of Ostermark dredged?",
    "stratum": "grounded",
    "target": "correct",
    "answerable": True,
    "kind": "number",
    "answers": ["14"],
    "unit": "metres",
    "document": "depth",
    "evidence": [{"document": "depth", "start": 0, "end": 106}],
}


class Site(NamedTuple):
    """A folder of installed packages, and one to work in."""

    packages: Path
    work: Path

    def run(self, *arguments: str, code: int = 0, environment: Mapping[str, str] | None = None) -> str:
        """Return what a command prints."""
        path = os.pathsep.join((str(self.packages), str(ROOT / "harness")))
        done = process(self.work, *arguments, PYTHONPATH=path, COLUMNS="100", **(environment or {}))
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr


def install(packages: Path) -> None:
    """Put the package where an installer would: its modules, and the folder that describes it."""
    shutil.copytree(
        SOURCE / "harbour_rag", packages / "harbour_rag", ignore=shutil.ignore_patterns("__pycache__")
    )
    project: dict[str, Any] = tomllib.loads((SOURCE / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]
    about = packages / f"harbour_rag-{project['version']}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n", encoding="utf-8"
    )
    groups = [
        f"[{group}]\n" + "".join(f"{name} = {module}\n" for name, module in entries.items())
        for group, entries in project["entry-points"].items()
    ]
    (about / "entry_points.txt").write_text("\n".join(groups), encoding="utf-8")


@pytest.fixture
def site(tmp_path: Path) -> Site:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "questions.jsonl").write_text(json.dumps(QUESTION) + "\n", encoding="utf-8")
    install(tmp_path / "packages")
    return Site(tmp_path / "packages", tmp_path / "work")


ASKED = ("run", "--corpus", "harbour", "--questions", "questions.jsonl", "--pipeline", "refuse")
RUN = (*ASKED[:-1], "shout", "--retriever", "longest")


def test_everything_that_a_package_publishes_is_used_by_name(site: Site) -> None:
    scores = json.loads(site.run(*RUN, "--grader", "lenient", "--out", "first", "--json"))
    assert scores["buckets"]["correct"] == 1
    assert scores["retriever"] == "longest"
    assert scores["versions"]["grader"] == "lenient@1"
    assert list(scores["axes"].items())[-1][0] == "long_answers"
    assert scores["axes"]["long_answers"]["count"] == 1
    assert "answers wanted" in site.run("report", "first", "--all")
    assert site.run("report", "first", "--format", "tally") == "1 correct 0 wrong 0 unsupported 0 refused\n"
    assert "plain accuracy" in site.run("score", "first", "--metrics", "plain_accuracy")
    assert "harbour" in site.run("corpus", "list")
    site.run(*RUN, "--gates", "long_answers>=90%", "--out", "second")


def test_names_are_offered_and_listed_where_ours_are(site: Site) -> None:
    assert "tally" in site.run("report", "--help")
    assert "longest" in site.run("run", "--retriever", "longst", code=3)
    assert "lenient" in site.run("run", "--grader", "leniet", code=3)
    site.run(*RUN, "--out", "first")
    assert "plain_accuracy" in site.run("score", "first", "--metrics", "plain_acuracy", code=3)
    assert "harbour" in site.run("run", "--corpus", "harbor", code=3)
    for option, name in (("retriever", "longest"), ("grader", "lenient"), ("corpus", "harbour")):
        line = f"ragharness run --{option} {name[:2]}"
        words = {"COMP_WORDS": line, "COMP_CWORD": "3", "_RAGHARNESS_COMPLETE": "complete_bash"}
        assert name in site.run(environment=words)


def test_our_own_name_wins(site: Site) -> None:
    command = [each.replace("longest", "bm25") for each in RUN]
    scores = json.loads(site.run(*command, "--out", "own", "--json"))
    assert scores["retriever"] == "bm25"
    assert json.loads((site.work / "own" / "run.json").read_bytes())["settings"]["retriever_settings"]


def test_a_result_is_read_where_the_package_is_no_longer_installed(site: Site) -> None:
    site.run(*RUN, "--grader", "lenient", "--out", "first")
    stored = json.loads((site.work / "first" / "scores.json").read_bytes())
    assert "long_answers" in stored["axes"]
    shutil.rmtree(next(site.packages.glob("*.dist-info")))
    assert "long_answers" not in site.run("report", "first", "--all")
    assert "answers wanted" not in site.run("report", "first", "--all")


@pytest.mark.parametrize("source", ["raise RuntimeError('no such harbour')", ""])
def test_a_package_that_fails_is_one_sentence(site: Site, source: str) -> None:
    for path in (site.packages / "harbour_rag").glob("*.py"):
        if path.stem != "__init__":
            path.write_text(source, encoding="utf-8")
    why = "RuntimeError: no such harbour" if source else "AttributeError: module 'harbour_rag"
    told = " ".join(site.run(*ASKED, "--out", "ours").split())
    assert "'long_answers' of metrics, published by the package harbour-rag, cannot be used" in told
    assert why in told
    for command in (
        (*ASKED, "--retriever", "longest"),
        (*ASKED, "--grader", "lenient"),
        ("report", "ours", "--format", "tally"),
        ("score", "ours", "--metrics", "plain_accuracy"),
    ):
        told = site.run(*command, code=3)
        assert "Traceback" not in told
        assert "published by the package harbour-rag, cannot be used" in told
        assert why in told


def test_a_metric_that_fails_is_a_note_and_the_run_is_scored(site: Site) -> None:
    for name in ("long_answers", "plain_accuracy"):
        path = site.packages / "harbour_rag" / f"{name}.py"
        source = path.read_text(encoding="utf-8").replace('rate_of("answer_wanted")', "lambda *_: 1 / 0")
        path.write_text(source.replace('float(item.bucket == "correct")', "1 / 0"), encoding="utf-8")
    scores = json.loads(site.run(*RUN, "--out", "first", "--json"))
    assert "long_answers" not in scores["axes"]
    assert scores["notes"][-1] == (
        "'long_answers' of metrics, published by the package harbour-rag, cannot be used:"
        " ZeroDivisionError: division by zero"
    )
    told = site.run("score", "first", "--metrics", "plain_accuracy", code=3)
    assert "'plain_accuracy' of derived" in told
    assert "Traceback" not in told
