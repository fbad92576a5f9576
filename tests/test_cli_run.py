"""The main verb and those that read its runs, as a user meets them."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from commands import PROGRAM, pipeline, process
from ragharness.runner.run_folder import RunFolder

if TYPE_CHECKING:
    from commands import Verb


# -- the main job


def test_a_new_user_s_command_prints_the_report(tmp_path: Path, verb: Verb) -> None:
    done = verb("run")
    assert done.code == 0, done.errors
    assert done.output.isascii()
    assert max(map(len, done.output.splitlines())) <= 80
    assert re.search(r"^unacceptable \d+(?: to \d+)? of 130", done.output, re.MULTILINE)
    assert re.search(r"^total +130 ", done.output, re.MULTILINE)
    (folder,) = (tmp_path / "runs").glob("2*")
    assert re.fullmatch(r"\d{8}-\d{6}_sample_extractive_fields", folder.name)
    run = RunFolder.open(folder)
    assert len(list(run.records())) == len(run.questions()) == 130


def test_the_json_is_the_whole_output(verb: Verb) -> None:
    done = verb("run", "--pipeline", "refuse", "--json")
    scores = json.loads(done.output)
    assert scores["buckets"] == {"correct": 0, "wrong": 0, "unsupported": 0, "refused": 130}
    row = scores["rows"]["plain"]
    assert (row.pop("desired")["count"], row) == (
        0, {"n": 40, "correct": 0, "wrong": 0, "unsupported": 0, "refused": 40, "ungraded": 0},
    )  # fmt: skip
    assert scores["references"]["refuse"] == scores["desired"]["total"]["count"] == 70
    assert scores["references"]["blind"] is not None


def test_what_a_pipeline_prints_stays_out_of_the_result(tmp_path: Path) -> None:
    spec = pipeline(
        tmp_path,
        """
        import os, sys
        print("while importing")

        def answer(question, passages):
            print("from Python")
            os.system("echo from a child")
            sys.stdout.write("raw")
            return "I could not find it."
        """,
    )
    done = process(tmp_path, "run", "--pipeline", spec, "--json", "--size", "13")
    assert json.loads(done.stdout)["questions"] == 13
    for text in ("while importing", "from Python", "from a child"):
        assert text in done.stderr


def test_an_asynchronous_pipeline_that_retrieves_for_itself(tmp_path: Path, verb: Verb) -> None:
    spec = pipeline(
        tmp_path,
        """
        async def answer(question, retrieve):
            found = retrieve(question, 2)
            return f"I cannot say [{found[0].id}]." if found else "I cannot say."
        """,
        "own_search.py",
    )
    scores = json.loads(verb("run", "--pipeline", spec, "--json").output)
    assert scores["takes"] == "retrieve"
    assert scores["retrieval"]["k"] is None
    (folder,) = (tmp_path / "runs").glob("2*")
    for record in RunFolder.open(folder).records():
        assert len(record.retrieved) == (0 if record.row == "null_retrieval" else 2)


def test_errors_are_counted_and_strict_says_so(tmp_path: Path, verb: Verb) -> None:
    spec = pipeline(
        tmp_path,
        """
        def answer(question, passages):
            raise SystemExit("[c1#3] is gone")
        """,
        "broken.py",
    )
    done = verb("run", "--pipeline", spec, "--out", "r", "--max-failures", "0")
    assert done.code == 2
    assert "0 graded, 130 errors" in done.output
    assert (
        "130x SystemExit: [c1#3] is gone (broken.py:3)\n              q001, q002, q003, q004, q005 and 125"
        in done.output
    )
    assert done.output.startswith(
        "Not a result: every call failed with SystemExit: [c1#3] is gone (broken.py:3)\n"
    )
    again = verb("run", "--pipeline", spec, "--out", "r", "--strict")
    assert again.code == 2
    assert "r is finished: nothing left to ask" in again.errors
    assert len(RunFolder.open(tmp_path / "r").sessions()) == 1
    assert verb("run", "--pipeline", "refuse", "--strict").code == 0


def test_a_stuck_pipeline_does_not_hold_the_process(tmp_path: Path) -> None:
    spec = pipeline(
        tmp_path,
        """
        import threading, time
        from concurrent.futures import ThreadPoolExecutor
        pool = ThreadPoolExecutor()

        def answer(question, passages):
            if question.endswith("never"):
                return "x"
            return pool.submit(time.sleep, 100).result()
        """,
    )
    done = process(
        tmp_path,
        "run",
        "--pipeline",
        spec,
        "--size",
        "13",
        "--timeout",
        "0.2",
        "--concurrency",
        "13",
        "--strict",
    )
    assert done.returncode == 2
    assert "0 graded, 13 time-outs" in done.stdout


def test_fresh_starts_anew_and_a_finished_run_is_not_continued(tmp_path: Path, verb: Verb) -> None:
    for options in ([], [], ["--fresh"]):
        assert verb("run", "--pipeline", "refuse", "--size", "13", *options).code == 0
    assert len(list((tmp_path / "runs").glob("2*"))) == 3


def test_an_unfinished_run_is_continued_and_said(tmp_path: Path, verb: Verb) -> None:
    verb("run", "--pipeline", "refuse", "--out", "runs/first")
    records = tmp_path / "runs" / "first" / "records.jsonl"
    whole = records.read_bytes().splitlines(keepends=True)
    records.write_bytes(b"".join(whole[:40]))
    done = verb("run", "--pipeline", "refuse", "--concurrency", "3", "--timeout", "5")
    assert "continuing runs/first: 40 of 130 are answered (--fresh starts a new run)" in done.errors
    assert records.read_bytes().count(b"\n") == 130
    assert records.read_bytes().splitlines(keepends=True)[:40] == whole[:40]


def test_two_runs_have_equal_records_but_for_the_time(tmp_path: Path, verb: Verb) -> None:
    def run(name: str, workers: int) -> list[dict[str, Any]]:
        verb("run", "--out", name, "--concurrency", str(workers))
        lines = (tmp_path / name / "records.jsonl").read_text(encoding="utf-8").splitlines()
        records = [json.loads(line) for line in lines]
        for record in records:
            del record["seconds"], record["started"]
        return sorted(records, key=lambda record: str(record["question"]))

    assert run("a", 1) == run("b", 16)


# -- reading runs


def test_a_run_is_reported_again_in_every_form(tmp_path: Path, verb: Verb) -> None:
    first = verb("run", "--pipeline", "refuse").output
    again = verb("report")
    assert again.output == first
    assert verb("report", "--markdown").output.startswith("# 20")
    assert json.loads(verb("report", "--json").output)["questions"] == 130
    assert verb("report", "-o", "out.txt").output == ""
    assert (tmp_path / "out.txt").read_text() == first
    (folder,) = (tmp_path / "runs").glob("2*")
    (folder / "scores.json").unlink()
    assert "blind (no documents) n/a" in verb("score", folder.name[:13]).output
    assert (folder / "scores.json").exists()
    assert verb("report", "--json", "--markdown").code == 3


def test_one_question_is_shown_whole(tmp_path: Path, verb: Verb) -> None:
    verb("run", "--pipeline", "extractive")
    done = verb("show", "q001")
    for word in ("question", "gold", "evidence", "retrieved", "GOLD", "CITED", "answer", "verdict", "axes"):
        assert word in done.output, word
    assert max(map(len, done.output.splitlines())) <= 80
    wrong = verb("show", "q0001")
    assert wrong.code == 3
    assert "did you mean q001" in wrong.errors
    assert "did you mean q001 or q010" in verb("show", "q01").errors, "of the equally near ones the first"
    several = verb("run", "--pipeline", "llm:x", "--pipeline-option", "temprature=1")
    assert several.errors.count("temperature") == 1


def test_an_answer_that_waits_to_be_graded_is_shown(tmp_path: Path, verb: Verb) -> None:
    verb("run", "--pipeline", "extractive", "--size", "13", "--out", "run")
    path = tmp_path / "run" / "records.jsonl"
    (first, *others) = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(others))
    record = json.loads(first)
    del record["verdict"]
    (tmp_path / "run" / "answers.jsonl").write_text(json.dumps({**record, "status": "needs_review"}) + "\n")
    done = verb("show", record["question"], "run")
    assert (done.code, done.errors) == (0, "")
    assert "not graded yet" in done.output
    assert record["answer"]["text"][:20] in " ".join(done.output.split())
    assert "on its way" not in done.output
    (tmp_path / "run" / "answers.jsonl").unlink()
    assert "none yet: not asked, or still running" in verb("show", record["question"], "run").output


# -- bad input


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["run", "--k", "0"], "--k must be at least 1, not 0"),
        (["run", "--concurrency", "0"], "--concurrency must be at least 1, not 0"),
        (["run", "--timeout", "0"], "--timeout must be a number of seconds above 0, not 0"),
        (["run", "--timeout", "inf"], "--timeout must be a number of seconds above 0, not inf"),
        (["run", "--timeout", "nan"], "--timeout must be a number of seconds above 0, not nan"),
        (["run", "--passage-words", "0"], "--passage-words must be at least 1, not 0"),
        (["run", "--size", "-4"], "--size must be at least 1, not -4"),
        (["run", "--corpus", "sampel"], "did you mean sample"),
        (["run", "--retriever", "bm52"], "did you mean bm25"),
        (["run", "--pipeline", "extractiv"], "did you mean extractive"),
        (["run", "--pipeline", "nomodule.at.all:x"], "nomodule"),
        (["run", "--pipeline", "missing.py:x"], "missing.py"),
        (["run", "--questions", "missing.jsonl"], "missing.jsonl"),
        (["rnu"], "rnu"),
        (["run", "--k", "many"], "expected a whole number for --k, found 'many'"),
        (["run", "--rpm", "many"], "expected a number for --rpm, found 'many'"),
        (["run", "--nonsense"], "--nonsense"),
        (["report"], "expected a run in the folder runs, found none"),
        (["show", "q001", "nowhere"], "expected a run named 'nowhere'"),
    ],
)
def test_a_mistake_is_a_sentence(verb: Verb, arguments: list[str], sentence: str) -> None:
    done = verb(*arguments)
    assert (done.code, done.output) == (3, "")
    assert done.errors.startswith("error: ")
    assert sentence in done.errors
    assert "Traceback" not in done.errors


def test_other_settings_and_other_versions_of_a_folder_are_refused(tmp_path: Path, verb: Verb) -> None:
    verb("run", "--pipeline", "refuse", "--out", "r")
    done = verb("run", "--pipeline", "refuse", "--out", "r", "--k", "3")
    assert done.code == 3
    assert "expected a run of the same settings in r, found k 3 instead of 5" in done.errors
    assert verb("run", "--pipeline", "refuse", "--out", "r", "--fresh").code == 3
    path = tmp_path / "r" / "run.json"
    path.write_text(path.read_text().replace('"format": 1', '"format": 99'))
    assert "found format 99" in verb("run", "--pipeline", "refuse", "--out", "r").errors
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("mine")
    assert "found letter.txt and no run.json" in verb("run", "--out", "full").errors


def test_a_place_that_cannot_be_written_is_a_sentence(tmp_path: Path, verb: Verb) -> None:
    (tmp_path / "file").write_text("")
    for place in ("file", "file/below", "/proc/none"):
        done = verb("run", "--pipeline", "refuse", "--out", place)
        assert done.code == 3
        assert re.match(r"error: expected .*, found:? \w+", done.errors), done.errors


# -- screens


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    command = f"{sys.executable} -c '{PROGRAM}' run --pipeline refuse | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.splitlines()[0].startswith("Not better than refusing everything")
    assert done.stdout.splitlines()[1] == "0"
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_under_the_output_is_a_sentence(tmp_path: Path, verb: Verb) -> None:
    verb("run", "--pipeline", "refuse")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, "report"],
            cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 3
    assert done.stderr.startswith("error: expected to write the result, found: No space left")


def on_terminal(folder: Path, *arguments: str, columns: int = 80, **environment: str) -> str:
    """Return what a command writes to a terminal of that width."""
    import fcntl
    import struct
    import termios

    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    values = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "NO_COLOR"}}
    values |= {"TERM": "xterm-256color", "RAGHARNESS_CACHE": str(folder / "cache"), **environment}
    started = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments],
        cwd=folder, stdin=child, stdout=child, stderr=child, env=values, close_fds=True,
    )  # fmt: skip
    os.close(child)
    text = b""
    while True:
        try:
            block = os.read(parent, 65536)
        except OSError:
            break
        if not block:
            break
        text += block
    os.close(parent)
    assert started.wait(timeout=60) == 0
    return text.decode().replace("\r\n", "\n")


def test_on_a_terminal_there_is_a_live_line_and_one_accent(tmp_path: Path) -> None:
    spec = pipeline(
        tmp_path,
        """
        import time

        def answer(question, passages):
            time.sleep(0.1)
            return "I could not find it."
        """,
    )
    text = on_terminal(tmp_path, "run", "--pipeline", spec, "--size", "65", "--concurrency", "4")
    assert re.search(
        r"\r\d+/65  \d+ as desired  0 ungraded  [\d.]+s  ~[\d.]+s left  Ctrl-C stops and saves", text
    )
    assert text.count("\x1b[1;32m") == 5  # the desired outcomes
    assert text.count("\x1b[1;31m") == 2  # the verdict, first and last
    assert "\x1b[1;3" not in on_terminal(tmp_path, "report", NO_COLOR="1")
    assert "\x1b[1;3" not in on_terminal(tmp_path, "report", TERM="dumb")
    narrow = on_terminal(tmp_path, "report", columns=60, NO_COLOR="1")
    assert max(map(len, narrow.splitlines())) <= 60
    assert "does-not-say" in narrow


def test_a_narrow_window_may_be_said_to_a_pipe_too(tmp_path: Path, verb: Verb) -> None:
    verb("run", "--pipeline", "refuse", "--size", "13")
    done = process(tmp_path, "report", COLUMNS="60")
    assert max(map(len, done.stdout.splitlines())) <= 60
    assert "\x1b" not in done.stdout


def test_a_run_is_graded_again_without_asking(tmp_path: Path, verb: Verb) -> None:
    verb("run", "--pipeline", "refuse", "--out", "r")
    path = tmp_path / "r" / "records.jsonl"
    first = path.read_text(encoding="utf-8")
    spoiled = first.replace('"bucket":"refused"', '"bucket":"wrong"', 3)
    path.write_text(spoiled, encoding="utf-8")
    done = verb("grade", "r", "--json")
    assert done.code == 0, done.errors
    assert "3 verdicts changed" in done.errors
    assert done.errors.count("wrong -> refused") == 3
    assert path.read_text(encoding="utf-8") == first
    scores = json.loads(done.output)
    assert scores == json.loads((tmp_path / "r" / "scores.json").read_text())
    assert scores["references"]["blind"] is not None
    assert verb("grade", "r", "--cases", "x.json").code == 3


def test_colours_are_for_the_terminal_that_shows_the_result(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", PROGRAM, "run", "--limit", "13"]
    environment = {**os.environ, "TERM": "xterm", "RAGHARNESS_CACHE": str(tmp_path / "cache")}
    environment.pop("NO_COLOR", None)
    with (tmp_path / "report.txt").open("wb") as file:
        subprocess.run(command, cwd=tmp_path, env=environment, stdout=file, stderr=theirs, check=False)
    assert b"\x1b[" not in (tmp_path / "report.txt").read_bytes()
    os.read(ours, 1 << 16)
    with (tmp_path / "errors.txt").open("wb") as file:
        subprocess.run(command, cwd=tmp_path, env=environment, stdout=theirs, stderr=file, check=False)
    assert b"\x1b[1;3" in os.read(ours, 1 << 16)
    os.close(ours)
    os.close(theirs)
