"""Pipelines in processes of their own: whatever they do to themselves, the run goes on."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from commands import PROGRAM, pipeline, process
from ragharness.errors import AccessRefused, PipelineNotUsable, TemporaryFailure, UsageError
from ragharness.pipelines import load_pipeline
from ragharness.records import Answer, Passage
from ragharness.runner import isolation as rooms
from ragharness.runner.isolation import Isolation
from ragharness.runner.limits import Reported
from ragharness.runner.run_folder import RunFolder
from ragharness.support.process import ProcessDied

PASSAGES = [Passage("d#1", "d", "Deed", 0, 4, "text")]

MANNERS = """
import asyncio, ctypes, os, sys, threading, time

class Busy(Exception):
    status_code = 503

class Refused(Exception):
    status_code = 401

def answer(question, passages):
    print("from Python")
    os.system("echo from a child")
    os.write(1, b"raw")
    if question == "exit": os._exit(3)
    if question == "crash": ctypes.string_at(0)
    if question == "hang": time.sleep(100)
    if question == "leave": sys.exit("enough")
    if question == "busy": raise Busy("later")
    if question == "refused": raise Refused("no such key")
    if question == "input": return repr(sys.stdin.read())
    if question == "grow": kept.append(bytearray(os.urandom(1)) * 60_000_000)
    if question in ("process", "grow"): return str(os.getpid())
    if question == "last": return open("/proc/self/oom_score_adj").read().strip()
    if question == "odd": return {"text": "yes", "citations": 5}
    return f"{question} {passages[0].id}"

kept = []

async def later(question):
    global loop
    loop = loop or asyncio.get_running_loop()
    await asyncio.sleep(0)
    return f"{question} {loop is asyncio.get_running_loop()}"

loop = None

def seeking(question, retrieve):
    if question == "wrong":
        retrieve(5, 1)
    if question == "late":
        threading.Timer(0.1, retrieve, (question, 1)).start()
    return " ".join(each.id for each in retrieve(question, 3))
"""


@pytest.fixture
def isolated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Make isolated pipelines of a file; their processes end with the test."""
    monkeypatch.chdir(tmp_path)
    pipeline(tmp_path, MANNERS, "manners.py")
    made = []

    def make(name: str = "answer") -> Isolation:
        made.append(Isolation(f"manners.py:{name}"))
        return made[-1]

    yield make
    for each in made:
        each.end_current()
        each.close()


def nothing(query: str, k: int) -> list[Passage]:
    raise AssertionError("nobody asked for this")


def test_answers_come_over_and_prints_do_not(isolated: Any, capfd: pytest.CaptureFixture[str]) -> None:
    room = isolated()
    told = room.ask("Which?", PASSAGES, nothing)
    assert (told.answer, told.problems) == (Answer(text="Which? d#1"), ())
    assert room.ask("input", PASSAGES, nothing).answer == Answer(text="''")
    odd = room.ask("odd", PASSAGES, nothing)
    assert odd.answer == Answer(text="yes", citations=("5",))
    assert "a single one, not a list" in odd.problems[0]
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err.count("from a child") == 3
    here = load_pipeline("manners.py:answer")
    there = room.pipeline
    assert (here.name, here.fingerprint, here.takes) == (there.name, there.fingerprint, there.takes)


@pytest.mark.parametrize(
    ("question", "how"),
    [("exit", "ended with exit status 3"), ("crash", "was ended by SIGSEGV")],
)
def test_a_death_is_said_and_the_next_question_has_a_new_process(
    isolated: Any, question: str, how: str
) -> None:
    room = isolated()
    before = room.ask("process", PASSAGES, nothing).answer
    with pytest.raises(ProcessDied, match=how):
        room.ask(question, PASSAGES, nothing)
    assert room.ask("process", PASSAGES, nothing).answer != before


def test_what_is_raised_keeps_its_type_and_its_fate(isolated: Any) -> None:
    room = isolated()
    with pytest.raises(Reported) as left:
        room.ask("leave", PASSAGES, nothing)
    assert (left.value.failure.type, left.value.failure.message) == ("SystemExit", "enough")
    with pytest.raises(Reported) as busy:
        room.ask("busy", PASSAGES, nothing)
    assert busy.value.failure.type == "Busy"
    assert isinstance(busy.value.__cause__, TemporaryFailure)
    with pytest.raises(AccessRefused, match=r"found 401 \(Refused: no such key\)"):
        room.ask("refused", PASSAGES, nothing)


def test_asynchronous_pipelines_keep_their_loop(isolated: Any) -> None:
    room = isolated("later")
    assert [room.ask(str(i), [], nothing).answer.text for i in range(3)] == ["0 True", "1 True", "2 True"]


def test_retrieving_goes_over_and_back(isolated: Any) -> None:
    asked: list[tuple[str, int]] = []

    def retrieve(query: str, k: int) -> list[Passage]:
        asked.append((query, k))
        return PASSAGES

    room = isolated("seeking")
    assert room.ask("Which?", [], retrieve).answer.text == "d#1"
    with pytest.raises(Reported) as wrong:
        room.ask("wrong", [], retrieve)
    assert wrong.value.failure.type == "TypeError"
    room.ask("late", [], retrieve)
    time.sleep(0.3)
    assert room.ask("after", [], retrieve).answer.text == "d#1"
    assert asked == [("Which?", 3), ("late", 3), ("after", 3)]

    def broken(query: str, k: int) -> list[Passage]:
        raise OSError("index gone")

    with pytest.raises(Reported) as gone:
        room.ask("Which?", [], broken)
    assert (gone.value.failure.type, gone.value.failure.message) == ("OSError", "index gone")


def test_a_process_that_grows_is_replaced(isolated: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rooms, "_GROWTH", 100_000_000)
    room = isolated()
    first = room.ask("process", PASSAGES, nothing).answer
    room.ask("grow", PASSAGES, nothing)
    assert room.ask("process", PASSAGES, nothing).answer == first
    room.ask("grow", PASSAGES, nothing)
    assert room.ask("process", PASSAGES, nothing).answer != first


def test_what_the_first_answer_loads_is_no_growth(isolated: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rooms, "_GROWTH", 30_000_000)
    room = isolated()
    loaded = room.ask("grow", PASSAGES, nothing).answer
    assert room.ask("grow", PASSAGES, nothing).answer == loaded
    assert room.ask("process", PASSAGES, nothing).answer != loaded


@pytest.mark.skipif(sys.platform != "linux", reason="Linux chooses by this number whom it ends for memory")
def test_where_memory_runs_out_it_is_the_first_to_go(isolated: Any) -> None:
    assert isolated().ask("last", PASSAGES, nothing).answer == Answer(text="1000")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            "import os\nos._exit(7)\ndef answer(question): pass",
            "found: the pipeline's process ended with exit",
        ),
        ("def answer(question, strange): pass", "a required parameter 'strange'"),
        ("raise ValueError('at import')", "ValueError: at import"),
    ],
)
def test_what_cannot_be_loaded_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.py").write_text(source)
    with pytest.raises(PipelineNotUsable, match=message):
        Isolation("broken.py:answer")


def test_reference_pipelines_need_no_process() -> None:
    with pytest.raises(UsageError, match="expected your own pipeline"):
        Isolation("extractive")


WILD = """
import ctypes, os, subprocess, time

def answer(question, passages):
    print("noise")
    kind = len(question) % 7
    if kind == 0: os._exit(3)
    if kind == 1: ctypes.string_at(0)
    if kind == 2:
        subprocess.Popen(["sleep", "1234.5"])
        time.sleep(100)
    return "I could not find that."
"""


def test_a_wild_pipeline_harms_its_own_records_only(tmp_path: Path) -> None:
    spec = pipeline(tmp_path, WILD)
    arguments = ("--timeout", "0.5", "--limit", "40", "--concurrency", "4", "--out", "r", "--json")
    done = process(tmp_path, "run", "--pipeline", spec, "--isolate", *arguments)
    assert done.returncode == 2, done.stderr
    scores = json.loads(done.stdout)
    texts = {each.id: each.text for each in RunFolder.open(tmp_path / "r").questions()}
    for record in RunFolder.open(tmp_path / "r").records():
        expected = {0: "ProcessDied", 1: "ProcessDied", 2: "TimeoutError"}.get(
            len(texts[record.question]) % 7
        )
        assert (record.failure and record.failure.type) == expected
    assert scores["statuses"]["error"] > 5
    assert scores["statuses"]["timeout"] > 2
    assert scores["buckets"]["refused"] > 15
    sleeping = subprocess.run(["pgrep", "-f", "sleep 1234.5"], capture_output=True, text=True, check=False)
    assert sleeping.stdout == ""
    again = process(tmp_path, "run", "--pipeline", spec, *arguments)
    assert "r is finished" in again.stderr


FORKING = """
import os, sys

count = 0
{0}
def answer(question, passages):
    global count
    count += 1
    if count == 3 and os.fork() == 0:
        {1}
    return f"I could not find it. {{question}}"

async def later(question):
    return answer(question, [])

def seeking(question, retrieve):
    global count
    count += 1
    if count == 3:
        os.fork()
    return " ".join(["Kestrel", *(each.id for each in retrieve(question, 1))])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a process cannot be copied here")
@pytest.mark.parametrize(
    ("name", "loading", "child"),
    [
        ("answer", "", "sys.exit(0)"),
        ("answer", "", "print('a child', flush=True)"),
        ("answer", "", "raise ValueError('in the child')"),
        ("answer", "", "return 'from the child'"),
        ("answer", "", "print('a child', flush=True); os._exit(0)"),
        ("answer", "os.fork()", "pass"),
        ("later", "", "sys.exit(0)"),
        ("seeking", "", "pass"),
    ],
)
def test_a_pipeline_that_forks_answers_each_question_once(
    tmp_path: Path, name: str, loading: str, child: str
) -> None:
    pipeline(tmp_path, FORKING.format(loading, child), "forking.py")
    arguments = ("--pipeline", f"forking.py:{name}", "--isolate", "--concurrency", "1")
    done = process(tmp_path, "run", *arguments, "--limit", "26", "--out", "r")
    assert done.returncode == 0, done.stderr
    texts = {each.id: each.text for each in RunFolder.open(tmp_path / "r").questions()}
    for record in RunFolder.open(tmp_path / "r").records():
        assert record.failure is None
        assert record.answer is not None
        found = " ".join(["Kestrel", *(each.id for each in record.retrieved)])
        expected = found if name == "seeking" else f"I could not find it. {texts[record.question]}"
        assert record.answer.text == expected


@pytest.mark.parametrize("status", ["0", "7", "'enough'"])
def test_a_copy_ends_with_the_status_that_it_chose(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: str
) -> None:
    monkeypatch.chdir(tmp_path)
    source = f"""
        import os, sys
        def answer(question):
            if not (child := os.fork()): sys.exit({status})
            return str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """
    room = Isolation(pipeline(tmp_path, source))
    try:
        assert room.ask("Which?", [], nothing).answer == Answer(text="1" if "e" in status else status)
    finally:
        room.end_current()
        room.close()


LOUD = """
import gc
from ragharness.runner import isolation

def answer(question):
    (line,) = (each for each in gc.get_objects() if type(each).__name__ == "_Pipes")
    if question.startswith("twice"):
        line.send(2, isolation.Result(None, ("a second reply",), 0))
        line.send(99, isolation.Result(None, ("to no question",), 0))
        line.send(2, isolation.RetrieveRequest("for nobody", 1))
    if question == "noise":
        line._outgoing.write(b"loading weights: 100%\\n" * 9)
        line._outgoing.flush()
    return question
"""


def test_replies_to_other_questions_are_nobody_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    room = Isolation(pipeline(tmp_path, LOUD))
    try:
        assert room.ask("first", [], nothing).answer == Answer(text="first")
        assert room.ask("twice", [], nothing).answer == Answer(text="twice")
        assert room.ask("third", [], nothing).answer == Answer(text="third")
        with pytest.raises(ProcessDied, match="wrote between its messages"):
            room.ask("noise", [], nothing)
        assert room.ask("after", [], nothing).answer == Answer(text="after")
    finally:
        room.end_current()
        room.close()


STUCK = """
import os, re, subprocess, sys

def answer(question, passages):
    subprocess.Popen(["sleep", "1234"])
    subprocess.Popen(["sleep", "1234"], start_new_session=True)
    open(f"asked-{os.getpid()}", "w").close()
    re.match("(a|a)*b", "a" * 99)

if __name__ == "__main__": answer(sys.stdin.readline(), [])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="what detached itself is found on Linux")
@pytest.mark.parametrize("isolated", [True, False])
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGHUP, signal.SIGTERM, signal.SIGINT])
def test_what_was_started_ends_with_the_harness(tmp_path: Path, isolated: bool, how: signal.Signals) -> None:
    spec = pipeline(tmp_path, STUCK)
    kind = (spec, "--isolate") if isolated else (f"cmd:{sys.executable} {tmp_path / 'mine.py'}",)
    command = [sys.executable, "-c", PROGRAM, "run", "--pipeline", *kind, "--out", "r", "--concurrency", "2"]
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123
        harness = psutil.Popen(command, cwd=tmp_path, stdout=nowhere, stderr=nowhere)
    until = time.monotonic() + 30
    while len(list(tmp_path.glob("asked-*"))) < 2 and time.monotonic() < until:
        time.sleep(0.05)
    started = harness.children(recursive=True)
    assert sum("1234" in each.cmdline() for each in started) == 4
    harness.send_signal(how)
    harness.wait(10)
    _, alive = psutil.wait_procs(started, timeout=10)
    assert alive == []


def test_a_process_is_guarded_from_a_copy_of_the_harness_too(tmp_path: Path) -> None:
    source = """
    import os, subprocess, sys
    from ragharness.support.process import Program
    mine = Program(["sleep", "1234"])
    if not os.fork():
        theirs = Program(["sleep", "1235"])
        sys.stdout.write(f"{theirs._process.pid}\\n")
        sys.stdout.flush()
        os._exit(0)
    os.wait()
    sys.stdout.write(f"{mine._process.pid}\\n")
    sys.stdout.flush()
    sys.stdin.read()
    """
    main = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(source)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert main.stdout
    theirs, mine = (psutil.Process(int(main.stdout.readline())) for _ in range(2))
    _, alive = psutil.wait_procs([theirs], timeout=10)
    assert alive == []
    assert mine.is_running()
    main.kill()
    main.communicate()
    _, alive = psutil.wait_procs([mine], timeout=10)
    assert alive == []


CRAMPED = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))
from ragharness.cli import main
main()
"""


@pytest.mark.parametrize("isolated", [True, False])
def test_no_question_fails_for_want_of_room(tmp_path: Path, isolated: bool) -> None:
    spec = pipeline(
        tmp_path, "import sys, time\ndef answer(question, passages): time.sleep(1)\nsys.stdin.read()"
    )
    kind = (spec, "--isolate") if isolated else (f"cmd:{sys.executable} {tmp_path / 'mine.py'}",)
    done = subprocess.run(
        [sys.executable, "-c", CRAMPED, "run", "--pipeline", *kind, "--out", "r", "--concurrency", "24"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert re.search(r"Too many open files; \d+ of 130 are answered and kept in r", done.stderr)
    assert "help:  choose a smaller --concurrency" in done.stderr
    assert not RunFolder.open(tmp_path / "r").failed()
