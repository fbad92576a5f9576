"""Pipelines that are commands, as real processes: what they are told, what is read, how they misbehave."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Event, Timer, get_ident
from typing import Any, cast

import psutil
import pytest

from commands import PROGRAM, process
from ragharness.errors import PipelineNotUsable, UnknownName, UnusableReply
from ragharness.pipelines import Context, Pipeline, load_pipeline
from ragharness.records import Passage
from ragharness.support import guard
from ragharness.support.options import Options

PASSAGES = (Passage("nda#1", "nda", "Acme NDA", 0, 6, "Never."),)

LOOP = """
    import json, os, sys, time
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(reply(asked)))
"""
ECHO = "def reply(asked): return {'text': asked['question'], 'pid': os.getpid(), **asked}\n"


def load(spec: str, **chosen: str) -> Pipeline:
    nothing = cast("Any", None)
    return load_pipeline(spec, Context(nothing, nothing, nothing, Options(chosen)))


def script(folder: Path, source: str, name: str = "answer.py") -> str:
    """Write a Python program; returns how a pipeline names it."""
    (folder / name).write_text(textwrap.dedent(source), encoding="utf-8")
    return f"cmd:{shlex.quote(sys.executable)} {shlex.quote(str(folder / name))}"


def loop(folder: Path, reply: str) -> str:
    """Write a program that answers each line with what ``reply(asked)`` returns."""
    return script(folder, textwrap.dedent(reply) + textwrap.dedent(LOOP))


def asked_in_turn(pipeline: Pipeline, *questions: str, limit: float = 20, pause: float = 0) -> list[Any]:
    """Ask one question after the other; a failure stands in the place of its reply."""
    assert pipeline.processes
    replies: list[Any] = []
    for question in questions:
        cut, kill = Event(), partial(pipeline.processes.kill, get_ident())
        patience = Timer(limit, lambda cut=cut, kill=kill: (cut.set(), kill()))
        patience.start()
        try:
            replies.append(pipeline.call(question, PASSAGES))
        except UnusableReply as error:
            replies.append(TimeoutError() if cut.is_set() else error)
        patience.cancel()
        time.sleep(pause)
    pipeline.processes.end_current()
    return replies


@pytest.fixture(autouse=True)
def no_process_is_left() -> Iterator[None]:
    before = set(psutil.Process().children(recursive=True))
    yield
    left = [each for each in psutil.Process().children(recursive=True) if each not in before]
    _, alive = psutil.wait_procs(left, timeout=2)
    alive = [each for each in alive if each.status() != psutil.STATUS_ZOMBIE]
    assert [each for each in alive if guard.__file__ not in each.cmdline()] == []


# -- in order


def test_one_process_answers_line_by_line(tmp_path: Path) -> None:
    pipeline = load(loop(tmp_path, ECHO))
    assert (pipeline.takes, pipeline.is_async, pipeline.name) == ("passages", False, "answer.py")
    questions = ('Is "it"\nso?', "Ünïcödé \u2028 🙂", "plain")
    replies = asked_in_turn(pipeline, *questions)
    assert [each["text"] for each in replies] == list(questions)
    assert len({each["pid"] for each in replies}) == 1
    assert replies[0]["passages"] == [
        {"id": "nda#1", "document": "nda", "title": "Acme NDA", "start": 0, "end": 6, "text": "Never."}
    ]


def test_processes_are_as_many_as_questions_at_once(tmp_path: Path) -> None:
    pipeline = load(loop(tmp_path, "def reply(asked): time.sleep(.3); return {'text': str(os.getpid())}\n"))

    with ThreadPoolExecutor(4) as pool:
        replies = list(pool.map(lambda _: asked_in_turn(pipeline, "first", "second"), range(4)))
    assert len({first["text"] for first, _ in replies}) == 4
    assert all(first == second for first, second in replies)


def test_a_command_may_bring_its_own_passages(tmp_path: Path) -> None:
    pipeline = load(loop(tmp_path, ECHO), takes="own")
    assert pipeline.takes == "own"
    (reply,) = asked_in_turn(pipeline, "Why?")
    assert "passages" not in reply


def test_a_program_that_is_no_loop_is_started_for_each_question(tmp_path: Path) -> None:
    (tmp_path / "shout.sh").write_text("#!/bin/sh\ntr a-z A-Z\n")
    (tmp_path / "shout.sh").chmod(0o755)
    pipeline = load(f"cmd:{shlex.quote(str(tmp_path / 'shout.sh'))}", mode="once")
    assert pipeline.takes == "own"
    assert asked_in_turn(pipeline, "why?", "who?") == ["WHY?", "WHO?"]
    source = "import json, sys; a = json.load(sys.stdin); print(json.dumps({'text': a['passages'][0]['id']}))"
    pipeline = load(script(tmp_path, source), mode="once", takes="passages")
    assert asked_in_turn(pipeline, "Why?") == [{"text": "nda#1"}]


def test_a_script_that_ends_in_peace_after_its_answer_is_started_again(tmp_path: Path) -> None:
    source = ECHO + "import json, os, sys\nprint(json.dumps(reply(json.loads(sys.stdin.readline()))))\n"
    replies = asked_in_turn(load(script(tmp_path, source)), *"abcdef")
    assert [each["text"] for each in replies] == list("abcdef")


def test_the_scripts_on_the_line_are_the_source(tmp_path: Path) -> None:
    spec = loop(tmp_path, ECHO)
    first = load(spec).fingerprint
    assert load(spec).fingerprint == first
    loop(tmp_path, ECHO + "# changed\n")
    assert load(spec).fingerprint != first


# -- out of order


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ("sys.exit(3)", "ended with exit status 3"),
        ("raise ValueError('by \\x1b[31mme')", "status 1; its standard error ends: .*ValueError: by me"),
        ("os.kill(os.getpid(), 11)", "was ended by SIGSEGV"),
        ("print('Loading weights')", "'Loading weights' as its line on standard output"),
        ("sys.stdout.buffer.write(b'{\"text\": \"Gr\\xf6\\xdfe\"}\\n')", "it has the bytes f6 df 65"),
        ("return {'id': '99', 'text': 'of another question'}", "the reply to 2, found the one to '99'"),
        ("sys.stdout.write('x' * 17 * 2**20); time.sleep(60)", "longer than 16 MiB"),
        ("os.close(1); os.close(2); time.sleep(60)", "closed its output"),
        ("time.sleep(60)", None),
        ("os.system('sleep 60')", None),
    ],
)  # fmt: skip
def test_a_process_that_misbehaves_harms_only_its_question(
    tmp_path: Path, reply: str, message: str | None
) -> None:
    source = "def reply(asked):\n    if 'bad' in asked['question']: " + reply
    source += "\n    return {'text': str(os.getpid())}\n"
    pipeline = load(loop(tmp_path, source))
    before, failed, after = asked_in_turn(pipeline, "good", "bad", "good", limit=20 if message else 0.5)
    if message is None:
        assert isinstance(failed, TimeoutError)
    else:
        with pytest.raises(UnusableReply, match=message):
            raise failed
        assert "\x1b" not in str(failed)
    assert after["text"] != before["text"]


def test_a_program_that_answers_in_plain_text_is_told_of_the_mode_for_that(tmp_path: Path) -> None:
    pipeline = load(loop(tmp_path, "def reply(asked): print('Yes.'); return {'text': 'Yes.'}"))
    with pytest.raises(UnusableReply, match=r"'Yes\.' as its first line .* takes mode=once$"):
        raise asked_in_turn(pipeline, "good")[0]


def test_what_a_process_says_without_being_asked_is_nobodys_answer(tmp_path: Path) -> None:
    twice = "def reply(asked): print(json.dumps({'text': 'too early'})); return {'text': asked['question']}\n"

    # The second line of the first question is not taken for the reply to the second.
    replies = asked_in_turn(load(loop(tmp_path, twice)), "a", "b", pause=0.3)
    assert replies == [{"text": "too early"}, {"text": "too early"}]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("cmd:", "no command stands after 'cmd:'"),
        ("cmd:no-such-command --flag", "'no-such-command' is no command here"),
        ("cmd:{folder}/plain.txt", "may not be executed"),
        ("cmd:echo 'half", "No closing quotation"),
    ],
)
def test_a_command_that_cannot_be_started_is_refused_at_once(tmp_path: Path, spec: str, message: str) -> None:
    (tmp_path / "plain.txt").write_text("")
    with pytest.raises(PipelineNotUsable, match=message) as caught:
        load(spec.format(folder=shlex.quote(str(tmp_path))))
    assert caught.value.help
    with pytest.raises(UnknownName, match="no mode is named 'twice'"):
        load("cmd:cat", mode="twice")


@pytest.mark.parametrize(
    "words", ["cat --api-key={key}", "cat --token {key}", "env API_KEY={key} cat", "cat -password {key} -v"]
)
def test_a_key_on_the_command_line_is_refused(words: str) -> None:
    with pytest.raises(
        PipelineNotUsable, match="the command, which is kept with the run, holds the secret"
    ) as caught:
        load(f"cmd:{words.format(key='sk-planted-0123456789')}")
    assert "planted" not in str(caught.value) + caught.value.help
    assert load("cmd:cat --max-tokens 100000000 --key-file place-of-the-key --token -verbose").name == "cat"


def test_no_shell_reads_the_line(tmp_path: Path) -> None:
    pipeline = load(f"cmd:echo '$HOME; touch {tmp_path}/made'", mode="once")
    assert asked_in_turn(pipeline, "Why?") == [f"$HOME; touch {tmp_path}/made"]
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("line", ["cat | head -1", "cat > out", "cat; true", "cat && true", "cat $(ls)"])
def test_words_for_a_shell_are_refused_with_the_line_that_works(line: str) -> None:
    with pytest.raises(PipelineNotUsable, match="no shell runs the command") as caught:
        load(f"cmd:{line}")
    (_, spec) = shlex.split(caught.value.help.removeprefix("wrap it: "))
    assert load(spec, mode="once").name == "bash"


def test_words_in_quotes_are_the_command_s_own() -> None:
    assert load("cmd:bash -c 'cat; true;' ';'", mode="once").name == "bash"
    assert load('cmd:grep -c "|"', mode="once").name == "grep"


def test_a_module_without_its_function_tells_which_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mymod.py").write_text(
        "raise SystemExit\ndef answer(q): ...\nasync def search(q): ...\ndef _own(): ...\n"
    )
    for spec in ("mymod", "mymod.py"):
        with pytest.raises(PipelineNotUsable, match=f"write {spec}:FUNCTION; mymod.py has answer, search"):
            load(spec)
    with pytest.raises(UnknownName):
        load("yourmod")


@pytest.mark.parametrize("content", [b"import this\n", b"", b"#!/no/such/python\n", b"#!/bin/sh\r\necho\r\n"])
def test_a_script_that_no_interpreter_reads_stops_the_run(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bare.py").write_bytes(content)
    (tmp_path / "bare.py").chmod(0o755)
    done = process(tmp_path, "run", "--pipeline", "cmd:./bare.py --fast", "--size", "13")
    assert done.returncode == 3
    assert done.stderr.startswith("error: the command cannot be started: ")
    assert "help:  name its interpreter, like cmd:python ./bare.py --fast" in done.stderr


@pytest.mark.parametrize("mode", ["lines", "once"])
def test_a_command_that_ends_before_it_is_asked_stops_the_run_at_once(tmp_path: Path, mode: str) -> None:
    (tmp_path / "answer.py").write_text("import no_such_package\n")
    command = ["run", "--pipeline", f"cmd:{sys.executable} answer.py", "--size", "13", "--quiet"]
    done = process(tmp_path, *command, "--pipeline-option", f"mode={mode}")
    assert done.returncode == 3
    assert done.stderr.startswith("error: before the first question the command ended with exit status 1;")
    assert "No module named 'no_such_package'; 0 of 13 are answered and kept in runs/" in done.stderr
    assert f"help:  run it by itself: {sys.executable} answer.py, then: " in done.stderr
    assert (done.stdout, done.stderr.count("no_such_package'"), done.stderr.count("\n")) == ("", 1, 2)


@pytest.mark.parametrize("mode", ["lines", "once"])
def test_a_command_that_its_first_question_ends_is_asked_the_others(tmp_path: Path, mode: str) -> None:
    source = "import sys\nline = sys.stdin.readline()\nsys.exit(1) if 'bad' in line else print('{}')\n"
    pipeline = load(script(tmp_path, source), mode=mode)
    failed, reply = asked_in_turn(pipeline, "bad", "good")
    assert isinstance(failed, UnusableReply)
    assert reply == {}


FORKS = """
    import json, os, sys, time
    count = 0
    for line in sys.stdin:
        asked = json.loads(line)
        count += 1
        copy = count == 3 and os.fork() == 0
        time.sleep(0.2 * copy * {late})
        sys.stdout.write(json.dumps({{"text": asked["question"], {also}}}) + "\\n")
        if copy: sys.exit(0)
"""


@pytest.mark.parametrize("also", ['"id": asked["id"]', ""])
def test_a_reply_of_a_copy_is_not_that_to_the_next_question(tmp_path: Path, also: str) -> None:
    pipeline = load(script(tmp_path, FORKS.format(late=bool(also), also=also)))
    questions = [f"Question {number}?" for number in range(12)]
    replies = asked_in_turn(pipeline, *questions, pause=0.1)
    assert [each["text"] for each in replies] == questions


@pytest.mark.parametrize(("also", "late"), [('"id": asked["id"]', 0.1), ("", 0), ("", 0.005)])
def test_a_second_line_is_not_the_reply_to_the_next_question(tmp_path: Path, also: str, late: float) -> None:
    source = f"""
        import json, sys, time
        for line in sys.stdin:
            asked = json.loads(line)
            said = json.dumps({{"text": asked["question"], {also}}})
            print(said)
            time.sleep({late})
            print(said)
        """
    questions = [f"Question {number}?" for number in range(6)]
    replies = asked_in_turn(load(script(tmp_path, source)), *questions)
    assert [each["text"] for each in replies] == questions


# -- whole runs


def test_a_run_over_a_hanging_and_dying_command_loses_no_question(tmp_path: Path) -> None:
    source = """
    def reply(asked):
        number = sum(asked["question"].encode())
        if number % 5 == 0: sys.exit(7)
        if number % 5 == 1: time.sleep(60)
        return {"text": "I could not find it in the documents."}
    """
    started = time.monotonic()
    done = process(
        tmp_path, "run", "--quiet", "--json", "--out", "run", "--size", "26", "--timeout", "1",
        "--pipeline", loop(tmp_path, source),
    )  # fmt: skip
    scores = json.loads(done.stdout)
    questions = [
        json.loads(line)["text"] for line in (tmp_path / "run" / "questions.jsonl").read_bytes().splitlines()
    ]
    kinds = [sum(question.encode()) % 5 for question in questions]
    assert scores["statuses"]["error"] == kinds.count(0) > 0
    assert scores["statuses"]["timeout"] == kinds.count(1) > 0
    assert scores["statuses"]["ok"] == 26 - kinds.count(0) - kinds.count(1)
    assert time.monotonic() - started < 30


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_process_outlives_the_run(tmp_path: Path, how: signal.Signals) -> None:
    spec = loop(tmp_path, "def reply(asked): time.sleep(.2); return {'text': 'No.'}\n")
    command = [sys.executable, "-c", PROGRAM, "run", "--quiet", "--out", "run", "--pipeline", spec]
    environment = {**os.environ, "RAGHARNESS_CACHE": str(tmp_path / "cache")}
    run = subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL)
    watched = psutil.Process(run.pid)
    until = time.monotonic() + 20
    while not (children := watched.children(recursive=True)) and time.monotonic() < until:
        time.sleep(0.05)
    assert children
    run.send_signal(how)
    run.wait(20)
    _, alive = psutil.wait_procs(children, timeout=5)
    assert alive == []


def test_a_process_that_was_ended_leaves_no_word_on_the_terminal(tmp_path: Path) -> None:
    spec = script(
        tmp_path,
        """
        import sys
        print("hello", flush=True)
        for line in sys.stdin:
            print("{\\"text\\": \\"It is 3.\\"}", flush=True)
            print("and more", flush=True)
        """,
    )
    done = process(tmp_path, "run", "--pipeline", spec, "--limit", "8", "--quiet", "--json", "--out", "run")
    assert done.returncode == 2
    assert "is closed" not in done.stderr
    assert done.stderr == ""
