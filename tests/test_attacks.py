"""Input that broke the program once, each told in docs/security.md: values, texts, streams, servers, files."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commands import PROGRAM, pipeline, process
from ragharness import cli
from ragharness.graders.rules import read_alone
from ragharness.language.matching import compare_quantity
from ragharness.language.numbers import find_quantities
from ragharness.pipelines.adapters.fields import split_score
from ragharness.records import Answer
from ragharness.support import messages, resources
from ragharness.support.options import Options
from ragharness.traces.logs._spans import nested

if TYPE_CHECKING:
    from commands import Verb

SMALL = ("--questions", "few.jsonl", "--quiet", "--out", "r")
SOON = 20.0
"""Seconds that each of these may take on a slow machine; without its mend it takes minutes."""


@pytest.fixture(autouse=True)
def few(tmp_path: Path) -> list[dict[str, object]]:
    """Thirteen questions of the sample in the folder."""
    frozen = (resources.folder("questionsets", "sample") / "questions.jsonl").read_bytes()
    lines = frozen.splitlines(keepends=True)[::10]
    (tmp_path / "few.jsonl").write_bytes(b"".join(lines))
    return [json.loads(line) for line in lines]


# -- halves of characters, which JSON and Python can hold and no file can


@pytest.mark.parametrize(
    "source",
    [
        "def retrieve(query, k): return [{'text': 'a b', 'id': '\\ud800'}]",
        "def retrieve(query, k): return ['\\ud800']",
        "def retrieve(query, k): raise ValueError('\\ud800')",
    ],
)
def test_half_a_character_of_a_retriever_is_recorded(verb: Verb, tmp_path: Path, source: str) -> None:
    pipeline(tmp_path, source, "mine.py")
    done = verb("run", *SMALL, "--pipeline", "extractive", "--retriever", "mine.py:retrieve")
    assert done.code in {0, 2}, done
    assert len((tmp_path / "r" / "records.jsonl").read_text(encoding="utf-8").splitlines()) == 13


def test_half_a_character_of_a_grader_is_recorded(verb: Verb, tmp_path: Path) -> None:
    source = "def read(*_): return {'status': 'needs_review', 'unreadable': 'a \\ud800 b'}"
    pipeline(tmp_path, source, "mine.py")
    assert verb("run", *SMALL, "--pipeline", "refuse", "--grader", "mine.py:read").code == 2
    assert "a ? b" in (tmp_path / "r" / "records.jsonl").read_text(encoding="utf-8")


def test_half_a_character_may_be_looked_for_in_a_process_of_its_own(verb: Verb, tmp_path: Path) -> None:
    source = """
        def answer(question, retrieve):
            return "I could not find it." if len(retrieve(question + "\\ud800")) else "Nothing came."
        """
    spec = pipeline(tmp_path, source)
    done = verb("run", *SMALL, "--pipeline", spec, "--isolate", "--retriever", "bm25", "--only", "q001")
    assert done.code == 0, done
    (line,) = (tmp_path / "r" / "records.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["answer"]["text"] == "I could not find it."


def test_half_a_character_in_traces_is_printed(verb: Verb, tmp_path: Path) -> None:
    (tmp_path / "gold.jsonl").write_text('{"qid": "\\ud800", "answerable": true}')
    done = verb("score", "--gold", "gold.jsonl", "--trace", "gold.jsonl", "--json")
    assert (done.code, json.loads(done.output)["unread"]) == (2, ["?"])


def test_bytes_that_are_no_text_may_be_a_tag(tmp_path: Path) -> None:
    done = process(tmp_path, "run", *SMALL, "--pipeline", "refuse", "--tag", "\udcff")
    assert done.returncode == 0, done.stderr


# -- numbers beyond all numbers


def test_a_gold_number_of_a_billion_digits_is_refused(
    verb: Verb, tmp_path: Path, few: list[dict[str, object]]
) -> None:
    (tmp_path / "far.jsonl").write_text(json.dumps({**few[0], "kind": "number", "answers": ["1e999999999"]}))
    done = verb("run", "--questions", "far.jsonl", "--pipeline", "refuse")
    assert (done.code, done.output) == (3, "")
    assert "found '1e999999999'" in done.errors
    (quantity,) = find_quantities("It is 5.")
    assert compare_quantity("1e999999999", "", quantity) == ("mismatch", False)


def test_a_pace_that_no_clock_can_keep_is_refused(verb: Verb) -> None:
    done = verb("run", *SMALL, "--pipeline", "refuse", "--rpm", "1e-300")
    assert (done.code, "--rpm must be a number above 1e-06" in done.errors) == (3, True)


def test_numbers_that_no_computer_reads_are_refused() -> None:
    with pytest.raises(Exception, match="a whole number from 0"):
        Options({"n": "9" * 5000}).whole("n", 1)
    assert split_score(("a", 10**400)) == ("a", 0.0)
    assert nested({"a.²": 1, "b." + "9" * 5000: 2})["a"] == {"²": 1}


# -- what the user's own code and the environment do


def test_a_grader_that_raises_costs_verdicts_not_the_run(verb: Verb, tmp_path: Path) -> None:
    pipeline(tmp_path, "def read(*_): raise ValueError('not today')", "mine.py")
    done = verb("run", *SMALL, "--pipeline", "extractive", "--grader", "mine.py:read")
    assert done.code == 2, done
    assert "not today" in done.output


@pytest.mark.parametrize("proxy", ["http://[::1", "foo://127.0.0.1:1", "socks5://127.0.0.1:1"])
def test_a_proxy_that_is_none_is_told_once(verb: Verb, monkeypatch: pytest.MonkeyPatch, proxy: str) -> None:
    if proxy.startswith("socks"):
        monkeypatch.setitem(sys.modules, "socksio", None)
    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.setenv(name, proxy)
    done = verb("run", *SMALL, "--pipeline", "http://203.0.113.1/answer")
    assert (done.code, done.output) == (3, "")
    assert "does not hold the URL of a proxy" in done.errors
    fetched = verb("corpus", "fetch", "contractnli", "--from", "http://203.0.113.1/x.zip")
    assert (fetched.code, "proxy" in fetched.errors) == (3, True)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="shells of other systems close no streams")
@pytest.mark.parametrize("closed", ["0<&-", "1>&-", "2>&-", "0<&- 1>&- 2>&-"])
def test_streams_that_are_closed_take_no_part(tmp_path: Path, closed: str) -> None:
    program = f"{sys.executable} -c '{PROGRAM}' run {' '.join(SMALL)} --pipeline refuse {closed}"
    done = subprocess.run(["bash", "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    for line in (tmp_path / "r" / "records.jsonl").read_text(encoding="utf-8").splitlines():
        json.loads(line)


def test_a_working_folder_that_is_gone_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    monkeypatch.setattr(sys, "argv", ["ragharness", "doctor"])
    assert cli._run() == 3
    assert "expected to work in a folder that is there" in capfd.readouterr().err


# -- files of the user's


def test_a_rubric_that_cannot_be_read_hides_no_other(verb: Verb, tmp_path: Path) -> None:
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "bad.yaml").write_text("a: [\x1b[2J")
    (tmp_path / "rubrics" / "folder.yaml").mkdir()
    done = verb("rubric", "list")
    assert done.code == 0
    assert "rag-answer-1.0" in done.output
    assert done.errors.startswith("left out: rubrics/bad.yaml, line 1")
    assert "\x1b" not in done.errors


def test_nobodys_home_is_no_rubric(verb: Verb) -> None:
    done = verb("rubric", "show", "~nobody-at-all/x.yaml")
    assert (done.code, "no rubric is named" in done.errors) == (3, True)


def test_a_name_of_many_parts_is_refused_soon(verb: Verb, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text(f"{'.'.join('a' * 40_000)} = 1")
    began = time.monotonic()
    done = verb("matrix", "bad.toml", "--dry-run")
    assert (done.code, "a line of more than 10,000 characters" in done.errors) == (3, True)
    assert time.monotonic() - began < SOON


def test_equal_rows_of_a_table_are_looked_for_once(verb: Verb, tmp_path: Path) -> None:
    (tmp_path / "same.csv").write_text(
        "question,answer\n" + "When did the tenancy of the mill end?,2024\n" * 3000
    )
    began = time.monotonic()
    done = verb("questions", "check", "--questions", "same.csv")
    assert done.code in {1, 3}
    assert time.monotonic() - began < SOON


def test_equal_lines_are_told_in_few_words(verb: Verb, tmp_path: Path, few: list[dict[str, object]]) -> None:
    (tmp_path / "same.jsonl").write_text(f"{json.dumps(few[0])}\n" * 3000)
    done = verb("run", "--questions", "same.jsonl", "--pipeline", "refuse")
    assert (done.code, "18, 19 and 2981 more" in done.errors) == (3, True), done.errors[:500]


@pytest.mark.parametrize("name", ["../../escaped", "/escaped", "a/b", "..", "\x1b[2J", "\ud800", "x" * 300])
def test_a_baseline_stays_in_its_folder(verb: Verb, tmp_path: Path, name: str) -> None:
    assert verb("run", "--pipeline", "refuse", "--quiet", "--out", "r").code == 0
    done = verb("baseline", "add", "r", "--id", name)
    assert (done.code, "has other signs than letters" in done.errors) == (3, True)
    assert not (tmp_path / "baselines").exists()


def test_a_baseline_that_was_not_written_whole_is_none(
    verb: Verb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert verb("run", "--pipeline", "refuse", "--quiet", "--out", "r").code == 0

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_bytes", full)
    assert verb("baseline", "add", "r", "--id", "half").code == 3
    assert not (tmp_path / "baselines" / "half" / "baseline.toml").exists()


def test_a_run_that_may_not_be_read_hides_no_other(
    verb: Verb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("runs/mine", "runs/theirs"):
        assert (
            verb("run", "--questions", "few.jsonl", "--quiet", "--pipeline", "refuse", "--out", name).code
            == 0
        )
    theirs, real = tmp_path / "runs" / "theirs" / "run.json", Path.read_bytes

    def read(path: Path) -> bytes:
        if path.absolute() == theirs:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(Path, "read_bytes", read)
    done = verb("runs")
    assert (done.code, "mine" in done.output, "theirs" in done.output) == (0, True, False)
    refused = verb("report", "runs/theirs")
    assert (refused.code, "help:  ls -l runs/theirs" in refused.errors) == (3, True)


def test_an_answer_of_megabytes_in_a_log_is_not_read() -> None:
    began = time.monotonic()
    assert read_alone("What is it?", Answer(text="a\n" * 2_000_000), ()).declines is None
    assert time.monotonic() - began < SOON


@pytest.mark.parametrize("name", ["random", "typing", "ragharness"])
def test_code_named_like_a_library_runs_in_a_process_of_its_own(
    verb: Verb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    source = (
        "def answer(question, passages): return 'I could not find it.'\ndef retrieve(query, k): return []\n"
    )
    pipeline(tmp_path, source, f"{name}.py")
    mine = ("--pipeline", f"{name}.py:answer", "--retriever", f"{name}.py:retrieve")
    done = verb("run", *SMALL, *mine, "--isolate", "--only", "q001")
    assert done.code == 0, done


@pytest.mark.parametrize(
    "password",
    ["question", "document", "settings", "retrieved", "needs_review", '"status":', 'format": 1', "nthe-rest"],
)
def test_a_password_of_our_own_words_breaks_no_run(
    verb: Verb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, password: str
) -> None:
    spec = pipeline(tmp_path, f"def answer(question, passages): return 'It is\\\\nthe-rest, ' + {password!r}")
    # What was secret once stays so in a process: the other tests of this one shall forget it.
    monkeypatch.setattr(messages, "_environment", messages._environment)
    monkeypatch.setenv('A"DB_PASSWORD', password)
    done = verb("run", *SMALL, "--pipeline", spec)
    assert done.code in {0, 2}, done
    assert verb("report", "r").code == done.code
    records = (tmp_path / "r" / "records.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [json.loads(line)["answer"]["text"] for line in records]
    assert len(texts) == 13
    assert all('[A"DB_PASSWORD]' in text and password not in text for text in texts)
    assert any(json.loads(line)["retrieved"] for line in records)
