"""Run folders that somebody else made: read as data, refused with a sentence, shown without their tricks."""

from __future__ import annotations

import errno
import json
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from commands import process
from ragharness.reports.text import clean, printable
from ragharness.support import resources

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from commands import Verb

    Change = Callable[[dict[str, Any]], None]

ESCAPES = "\x1b]0;title\x07\x9b2J\u202e\u061c\u200b\U000e0041<img src=x>; touch PWNED #"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small run ``runs/r`` and what it left in the cache."""
    folder = tmp_path_factory.mktemp("made")
    frozen = (resources.folder("questionsets", "sample") / "questions.jsonl").read_bytes()
    (folder / "few.jsonl").write_bytes(b"".join(frozen.splitlines(keepends=True)[::10]))
    options = ("--questions", "few.jsonl", "--pipeline", "extractive", "--quiet", "--out", "runs/r")
    done = process(folder, "run", *options)
    assert done.returncode in {0, 2}, done.stderr
    return folder


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    """The run's folder, for one test alone."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path / "runs" / "r"


def doctored(run: Path, file: str, change: Change, *, every: bool = False) -> None:
    """Change the first line of a file, or all of them; of run.json, its value."""
    whole = file == "run.json"
    text = (run / file).read_text(encoding="utf-8")
    values = [json.loads(line) for line in ([text] if whole else text.splitlines())]
    for value in values if every else values[:1]:
        change(value)
    (run / file).write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")


def setting(**values: Any) -> Change:
    return lambda run: run["settings"].update(values)


def field(**values: Any) -> Change:
    return lambda record: record.update(values)


REFUSED: dict[str, tuple[str, Change, str]] = {
    "no epochs": ("run.json", setting(epochs=0), ">= 1"),
    "fewer epochs": ("run.json", setting(epochs=-5), ">= 1"),
    "endless epochs": ("run.json", setting(epochs=10**9), "<= 10000"),
    "a rank below the first": ("records.jsonl", field(evidence_ranks=[-1]), ">= 0"),
    "a document's rank below the first": ("records.jsonl", field(document_rank=-7), ">= 0"),
    "an epoch before the first": ("records.jsonl", field(epoch=-1), ">= 0"),
    "a question twice": ("questions.jsonl", field(id="q011"), "expected 13 questions"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_run_can_hold_is_refused(run: Path, verb: Verb, name: str) -> None:
    file, change, sentence = REFUSED[name]
    doctored(run, file, change)
    for arguments in (["report", "runs/r"], ["grade", "runs/r"]):
        done = verb(*arguments)
        assert (done.code, done.output) == (3, ""), done
        assert sentence in done.errors


@pytest.mark.parametrize("file", ["run.json", "records.jsonl", "questions.jsonl"])
def test_endless_nesting_is_refused(run: Path, verb: Verb, file: str) -> None:
    path = run / file
    deep = b"[" * 100_000 + b"]" * 100_000
    path.write_bytes(path.read_bytes().rstrip().replace(b"{", b'{"x":' + deep + b",", 1) + b"\n")
    for arguments in (["report", "runs/r"], ["grade", "runs/r"]):
        done = verb(*arguments)
        assert done.code == 3
        assert "recursion" in done.errors


def test_an_answer_to_no_question_is_named(run: Path, verb: Verb) -> None:
    doctored(run, "records.jsonl", field(question="nobody"))
    done = verb("grade", "r")
    assert done.code == 3
    assert "found one to nobody" in done.errors


@pytest.mark.parametrize("written", ["yesterday", "2026-01-01T00:00:00", "0001-01-01T00:00:00+14:00"])
def test_times_that_are_none_cost_only_the_times(run: Path, verb: Verb, written: str) -> None:
    doctored(run, "run.json", field(created=written))
    doctored(run, "sessions.jsonl", field(started=written))
    doctored(run, "records.jsonl", field(started=written), every=True)
    assert verb("report", "r").code in {0, 2}
    assert " old)" in verb("runs").output


@pytest.mark.parametrize("corpus", ["~nobody-at-all/x", f"./{'a' * 5000}"])
def test_a_corpus_that_cannot_be_is_a_sentence(run: Path, verb: Verb, corpus: str) -> None:
    doctored(run, "run.json", setting(corpus=corpus))
    done = verb("grade", "r")
    assert done.code == 3
    assert done.errors.startswith("error: expected ")


# -- the screen


@pytest.mark.parametrize("form", ["terminal", "markdown"])
def test_nothing_in_a_run_steers_a_terminal(run: Path, verb: Verb, form: str) -> None:
    names = ("ragharness", "python", "platform", "pipeline_name")
    doctored(run, "run.json", field(**dict.fromkeys(names, ESCAPES), tags=[ESCAPES], notes=[ESCAPES]))
    doctored(run, "questions.jsonl", lambda value: value.update(id=value["id"] + ESCAPES), every=True)
    doctored(
        run, "records.jsonl", lambda value: value.update(question=value["question"] + ESCAPES), every=True
    )
    done = verb("report", "r", "--format", form)
    assert done.code in {0, 2}, done.errors
    assert "touch PWNED" in done.output
    assert printable(done.output) == done.output
    if form == "markdown":
        assert "<img" not in done.output.replace("\\<img", "")
    else:
        (step,) = (line for line in done.output.splitlines() if "ragharness show" in line)
        assert "show 'q" in step


def test_an_error_steers_no_terminal(verb: Verb, tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text(f"raise ImportError({ESCAPES!r})", encoding="utf-8")
    done = verb("run", "--pipeline", "loud.py:answer")
    assert done.code == 3
    assert "touch PWNED" in done.errors
    assert printable(done.errors) == done.errors


def test_what_is_printed_keeps_our_colours_alone() -> None:
    assert printable("\x1b[1;32mgood\x1b[0m \x1b[2Jbad\x07\tx\n") == "\x1b[1;32mgood\x1b[0m [2Jbad\tx\n"
    assert clean("a\u061c\u200b\xad\U000e0041b") == "ab"


# -- the output


@pytest.mark.parametrize(
    "arguments", [("report", "r" * 300), ("show", "q001", "r" * 5000), ("report", "~nobody/x")]
)
def test_paths_that_cannot_be_are_a_sentence(verb: Verb, arguments: tuple[str, ...]) -> None:
    done = verb(*arguments)
    assert done.code == 3
    assert done.errors.startswith("error: expected ")


def test_runs_and_caches_are_for_their_user_alone(made: Path) -> None:
    folders = [made / "runs", made / "runs" / "r", *(path.parent for path in (made / "cache").rglob("*.*"))]
    assert len(folders) > 3
    assert {path.stat().st_mode & 0o777 for path in folders} == {0o700}


def test_a_report_that_fails_to_be_written_leaves_the_old_one(
    run: Path, verb: Verb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "old.md"
    old.write_text("the last one", encoding="utf-8")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    def cut(path: Path, _: bytes) -> None:
        path.open("wb").close()
        full()

    monkeypatch.setattr("pathlib.Path.replace", full)
    monkeypatch.setattr("pathlib.Path.write_bytes", cut)
    assert verb("report", "r", "--format", "markdown", "-o", "old.md").code == 3
    assert old.read_text(encoding="utf-8") == "the last one"
    monkeypatch.undo()
    assert old.stat().st_size == len("the last one")


@pytest.mark.parametrize(
    "content",
    [f"x = {'[' * 20_000}", f"x = {'9' * 5000}", "x = 9999-99-99", "x = 1\nx = 2"],
    ids=["nested", "long", "date", "twice"],
)
def test_settings_that_cannot_be_read_are_a_sentence(
    run: Path, verb: Verb, tmp_path: Path, content: str
) -> None:
    (tmp_path / "bad.toml").write_text(content, encoding="utf-8")
    for arguments in (["gate", "r", "r", "--gates", "bad.toml"], ["matrix", "bad.toml", "--dry-run"]):
        done = verb(*arguments)
        assert (done.code, done.output) == (3, "")
        assert done.errors.startswith("error: cannot read bad.toml")


def test_questions_that_nest_endlessly_are_named(verb: Verb, tmp_path: Path) -> None:
    (tmp_path / "deep.jsonl").write_text(f'{{"id": "1", "x": {"[" * 100_000}\n', encoding="utf-8")
    done = verb("questions", "check", "--questions", "deep.jsonl")
    assert done.code == 3
    assert done.errors.startswith("error: expected ")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize(("name", "verb"), [("scores.json", "report"), ("gate.jsonl", "gate")])
def test_a_pipe_among_the_files_is_not_waited_for(run: Path, tmp_path: Path, name: str, verb: str) -> None:
    (run / name).unlink(missing_ok=True)
    os.mkfifo(run / name)
    done = process(tmp_path, verb, *(["runs/r"] if verb == "report" else ["runs/r", "runs/r"]))
    assert "Traceback" not in done.stderr
    assert done.returncode in {0, 2, 3}


@pytest.mark.parametrize("option", ["--passage-words", "--epochs", "--k"])
def test_numbers_beyond_all_sums_are_refused(verb: Verb, option: str) -> None:
    done = verb("run", "--pipeline", "refuse", option, "9" * 400)
    assert (done.code, done.output) == (3, "")
    assert f"{option} must be at most " in done.errors
