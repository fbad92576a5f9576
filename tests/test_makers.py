"""The makers of question sets are apart: nothing needs them to read a corpus, or to run on questions that are there."""

from __future__ import annotations

import ast
import csv
import json
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from conftest import ROOT
from ragharness.corpus.loading import load_corpus
from ragharness.errors import QuestionsNotUsable
from ragharness.questions import makers
from ragharness.questions.loading import load_questions
from ragharness.questions.questionset import frozen_in, frozen_set

HARNESS = ROOT / "harness" / "ragharness"
DOOR = HARNESS / "questions" / "makers.py"
WITHOUT_MAKERS = """
import sys
sys.modules["ragquestions"] = None
from ragharness.cli import script
sys.argv = ["ragharness", *sys.argv[1:]]
script()
"""


def imported(path: Path) -> set[str]:
    """Packages that a file imports anywhere, by their first names; one of its own folder has an empty name."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add("" if node.level else str(node.module).partition(".")[0])
    return names


def own_files(path: Path) -> set[Path]:
    """A file of a corpus with all files of its folder that it imports, and they."""
    reached: set[Path] = set()
    waiting = [path]
    while waiting:
        file = waiting.pop()
        reached.add(file)
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.ImportFrom) and node.level:
                stems = [node.module] if node.module else [name.name for name in node.names]
                files = {file.parent / f"{str(stem).partition('.')[0]}.py" for stem in stems}
                assert all(each.is_file() for each in files), (file, stems)
                waiting += files - reached
    return reached


def test_the_harness_knows_the_makers_by_one_door() -> None:
    files = [path for path in HARNESS.rglob("*.py") if path != DOOR]
    assert len(files) > 100
    assert [path for path in files if "ragquestions" in imported(path)] == []
    assert "ragquestions" not in imported(DOOR), "they are imported when a set is made"


@pytest.mark.parametrize("parser", sorted(ROOT.glob("corpora/*/parse.py")), ids=lambda path: path.parent.name)
def test_a_parser_imports_the_harness_alone(parser: Path) -> None:
    packages = set().union(*(imported(path) for path in own_files(parser)))
    assert packages - set(sys.stdlib_module_names) <= {"", "ragharness", "msgspec"}


def without_makers(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WITHOUT_MAKERS, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_frozen_set_is_run_without_the_makers(tmp_path: Path) -> None:
    done = without_makers(
        tmp_path, "run", "--corpus", "sample", "--pipeline", "blind", "--limit", "12", "--json"
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)


def written(name: str, folder: Path) -> None:
    """Write questions of the sample: complete ones, or a table of questions, answers and quotes."""
    questions = [each for each in frozen_set("sample").questions if each.kind == "number" and each.evidence]
    path = folder / name
    if path.suffix == ".jsonl":
        path.write_bytes(b"\n".join(map(msgspec.json.encode, questions[:5])))
        return
    corpus = load_corpus("sample")
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(("question", "answer", "unit", "document", "evidence"))
        for each in questions[:5]:
            span = each.evidence[0]
            quote = corpus.document(span.document).text[span.start : span.end]
            table.writerow((each.text, each.answers[0], each.unit, span.document, quote))


@pytest.mark.parametrize("name", ["mine.jsonl", "mine.csv"])
def test_questions_of_a_file_are_run_without_the_makers(tmp_path: Path, name: str) -> None:
    written(name, tmp_path)
    done = without_makers(
        tmp_path, "run", "--corpus", "sample", "--questions", name, "--pipeline", "extractive"
    )
    assert done.returncode == 0, done.stderr
    assert "5 questions" in done.stdout


@pytest.mark.parametrize("verb", ["build", "check", "freeze"])
def test_making_and_checking_says_what_is_missing(tmp_path: Path, verb: str) -> None:
    done = without_makers(tmp_path, "questions", verb, "--corpus", "sample")
    assert done.returncode == 3
    assert "ragquestions, which is not installed" in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_a_folder_without_questions_needs_the_makers(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "one.md").write_text("# One\n\nThe mill opened in 1901.\n", encoding="utf-8")
    done = without_makers(tmp_path, "run", "--corpus", "docs", "--pipeline", "refuse")
    assert done.returncode == 3
    assert "--questions FILE" in done.stderr


def test_a_corpus_is_shown_without_the_makers(tmp_path: Path) -> None:
    done = without_makers(tmp_path, "corpus", "check", "sample", "--json")
    assert done.returncode == 0, done.stderr
    assert "42 documents" in done.stdout


def test_what_blind_may_guess_is_kept_with_the_set_and_goes_with_a_file_of_questions(tmp_path: Path) -> None:
    corpus = load_corpus("sample")
    frozen = frozen_set("sample")
    written("mine.jsonl", tmp_path)
    assert len(frozen.priors) > 10
    assert load_questions(corpus, path=tmp_path / "mine.jsonl").priors == frozen.priors
    folder = tmp_path / "set"
    makers.freeze(frozen, folder, corpus)
    assert frozen_in(folder).priors == frozen.priors
    (folder / "priors.json").write_text('["yes"]', encoding="utf-8")
    with pytest.raises(QuestionsNotUsable, match="cannot read the usual answers"):
        frozen_in(folder)
    (folder / "priors.json").unlink()
    assert frozen_in(folder).priors == {}
