"""The Python interface: what its page shows runs, and what it returns is what the command line prints."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import ragharness as rh
from conftest import ROOT
from ragharness.records import Passage
from ragharness.reports.formats import load_format

if TYPE_CHECKING:
    from commands import Verb

PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")


def later(question: str) -> str:
    time.sleep(0.02)
    return "I could not find it."


def answer(question: str, passages: list[Passage]) -> str:
    return f"{passages[0].text.split('. ')[0]} [{passages[0].id}]" if passages else "I could not find it."


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAGHARNESS_CACHE", str(tmp_path / "cache"))
    return tmp_path


def test_the_examples_of_the_page_run(tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "page.py").write_text("\n".join(blocks))
    done = subprocess.run(
        [sys.executable, "page.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "correct SUPPORTED" in done.stdout
    assert "no retriever is named 'bm52'; did you mean bm25?" in done.stdout


def test_every_public_name_is_on_the_page() -> None:
    table = PAGE[PAGE.index("| name |") :]
    named = set(re.findall(r"`(\w+)`", table))
    assert set(rh.__all__) - {"__version__"} <= named
    assert set(dir(rh)) == set(rh.__all__)


def test_a_run_equals_that_of_the_command_line(here: Path, verb: Verb) -> None:
    run = rh.run("extractive", limit=13, progress=False)
    shown = json.loads(verb("score", str(run.path), "--json").output)
    assert json.loads(load_format("json")(run.scores)) == shown
    assert run.scores.rows["tempting"].n == shown["rows"]["tempting"]["n"]
    assert run.verdict.unacceptable.count == run.scores.buckets["wrong"] + run.scores.buckets["unsupported"]
    assert repr(run) == verb("report").output


def test_a_question_is_explained_as_by_show(here: Path, verb: Verb) -> None:
    run = rh.run("extractive", limit=13, progress=False)
    first = next(iter(run))
    assert first.explain() == verb("show", first.question.id, str(run.path)).output
    assert run[first.question.id].records == first.records
    assert len(run) == len(run.questions) == 13
    with pytest.raises(rh.RagharnessError, match="no question of"):
        run["nope"]


def test_a_function_that_is_handed_over_is_asked(here: Path) -> None:
    run = rh.run(answer, limit=13, progress=False)
    assert run.settings.pipeline == "test_python:answer"
    assert {each.records[0].status for each in run} <= {"ok", "needs_review"}
    again = rh.run(answer, limit=13, progress=False, retry_errors=True)
    assert again.verdict == run.verdict
    assert rh.load_run(run.path).scores == run.scores


def test_a_changed_function_begins_another_run(here: Path) -> None:
    functions = []
    for text in ("I do not know.", "I could not find it."):
        space: dict[str, object] = {"__name__": "typed"}
        exec(f"def answer(question):\n    return {text!r}", space)
        functions.append(space["answer"])
    fingerprints = {rh.run(each, limit=7, progress=False).settings.pipeline_fingerprint for each in functions}  # type: ignore[arg-type]
    assert len(fingerprints) == 2


def test_beside_a_running_event_loop(here: Path) -> None:
    async def asked(question: str) -> str:
        await asyncio.sleep(0)
        return "I could not find it."

    async def notebook() -> tuple[rh.Run, rh.Run]:
        return rh.run(asked, limit=7, progress=False), await rh.arun(answer, limit=7, progress=False)

    plain, awaited = asyncio.run(notebook())
    assert plain.scores.asked == awaited.scores.asked == 7


def test_an_object_may_retrieve(here: Path) -> None:
    class Nothing:
        def retrieve(self, query: str, k: int) -> list[str]:
            return []

    run = rh.run(answer, retriever=Nothing(), limit=7, progress=False)
    assert run.scores.buckets["refused"] == 7


def test_a_notebook_shows_tables_and_no_markup_of_answers(here: Path) -> None:
    run = rh.run("refuse", limit=7, progress=False, tag="<script>alert(1)</script>")
    shown = run._repr_html_()
    assert '<table class="matrix">' in shown
    assert run.verdict.sentence in shown
    assert "<script" not in shown
    assert "href=" not in shown


def test_progress_goes_to_standard_error_alone(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragharness.reports.progress._EVERY_PIPED", 0.0)
    rh.run(later, limit=7)
    caught = capsys.readouterr()
    assert caught.out == ""
    assert "/7  " in caught.err
    rh.run(later, limit=7, fresh=True, progress=False)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"retreiver": "bm25"}, "no option of a run is named 'retreiver'; did you mean"),
        ({"pipeline": 3}, "expected something callable at builtins:int"),
        ({"k": 0}, "--k must be at least 1, not 0"),
        (
            {"pipeline": answer, "isolate": True},
            "expected an importable pipeline with --isolate",
        ),
        ({"max_time": "soon"}, "--max-time is written as 90s, 30m or 2h, not 'soon'"),
        ({"retriever": 3}, "expected a function, or an object with retrieve"),
    ],
)
def test_mistakes_are_said_in_a_sentence(here: Path, options: dict[str, object], told: str) -> None:
    with pytest.raises(rh.RagharnessError, match=re.escape(told)):
        rh.run(**options)  # type: ignore[arg-type]


def test_one_answer_is_graded() -> None:
    asked = "Who wrote the report?"
    assert rh.grade(asked, "Ann Lee wrote it.", golds=["Ann Lee"]).bucket == "correct"
    assert (
        rh.grade(asked, "Bo Ray wrote it [p1].", ["Ann Lee wrote it."], golds=["Ann Lee"]).bucket == "wrong"
    )
    assert (
        rh.grade(asked, "Ann Lee wrote it.", ["Ann Lee wrote it."], golds=["Ann Lee"]).bucket == "unsupported"
    )
    assert rh.grade(asked, "I could not find who wrote the report.").bucket == "refused"
    question = rh.Question(
        id="q", text=asked, stratum="grounded", kind="text", answerable=True, answers=("Ann Lee",)
    )
    assert rh.grade(question, rh.Answer(text="Ann Lee wrote it.")).bucket == "correct"
    passages = ["Ann Lee wrote it.", "Bo Ray drew it."]
    for cited, evidence, bucket in (
        ("p1", ["p1"], "correct"),
        ("p2", ["p1"], "unsupported"),
        ("p2", None, "correct"),
        ("p1", [], "unsupported"),
    ):
        returned = {"text": "Ann Lee wrote it.", "citations": [cited]}
        found = rh.grade(asked, returned, passages, golds=["Ann Lee"], evidence=evidence)
        assert found.bucket == bucket
    assert rh.grade(asked, "Ann Lee wrote it.", golds=["Ann Lee"], evidence=[]).bucket == "unsupported"
    own = {"answer": "Ann Lee wrote it [a].", "passages": [{"id": "a", "text": "Ann Lee wrote it."}]}
    assert rh.grade(asked, own, golds=["Ann Lee"]).bucket == "correct"
    with pytest.raises(rh.RagharnessError, match="expected an answer, found: expected a string, a dict"):
        rh.grade(asked, {"citations": ["p1"]})
    with pytest.raises(rh.RagharnessError, match="expected a question"):
        rh.grade(" ", "Ann Lee")


@pytest.mark.parametrize(
    "verb",
    [
        "disclose",
        "share",
        "give",
        "provide",
        "quote",
        "print",
        "report",
        "record",
        "describe",
        "reach",
        "state",
    ],
)
def test_a_plain_no_is_an_answer(verb: str) -> None:
    """Verbs of documents, too: "it is not reported" declines, "No, it is not reported" does not."""
    done = {"give": "given"}.get(verb, f"{verb.removesuffix('e')}ed")
    for said in (
        f"No, it cannot be {done} without prior consent.",
        f"No. The information may not be {done} to third parties.",
        f"No, the information is not {done} to third parties.",
        f"No. The Recipient cannot {verb} the information.",
        f"No, they could not be {done}.",
    ):
        verdict = rh.grade(f"May the Recipient {verb} the information to third parties?", said, golds=["no"])
        assert verdict.bucket != "refused", said


def test_the_module_runs_as_a_command(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ragharness", "--version"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout == f"ragharness {rh.__version__}\n"
