"""A service that fails in every way, on schedule: each question ends as that says, and the run ends."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from commands import PROGRAM, pipeline, process
from misbehaving import Act, Misbehaving, answer, reply
from ragharness.corpus.loading import load_corpus
from ragharness.questions.loading import load_questions
from ragharness.records import Record
from ragharness.runner.run_folder import RunFolder

RETRIES = 2
LIMIT = 3.0
"""Seconds after which a question is given up: longer than all waits of these schedules together."""

GOOD = Act(answer("I could not find that in the passages."))
BUSY = Act(reply(b"slow down", status="429 Too Many Requests", kind="text/plain"))
LATER = Act(reply(b"slow down", status="429 Too Many Requests", kind="text/plain", more="Retry-After: 1\r\n"))
BROKEN = Act(reply(b'{"error": "no luck"}', status="500 Internal Server Error"))
AWAY = Act(reply(b"<html><head><title>Bad day</title></head></html>", status="503 Away", kind="text/html"))
GATEWAY = Act(reply(b"<!DOCTYPE html><title>502</title>", status="502 Bad Gateway", kind="text/html"))
DROPPED = Act(b"")
HALF_HEAD = Act(b"HTTP/1.1 200 OK\r\nContent-Ty")
HALF_BODY = Act(GOOD.wire[:-20])
RESET = Act(GOOD.wire[:-20], reset=True)
NONSENSE = Act(b"220 mail.example ESMTP\r\n\r\n")
SLOW = Act(GOOD.wire, pause=0.4)
STUCK = Act(GOOD.wire, pause=LIMIT + 3)
MALFORMED = Act(reply(b'{"answer": "I could not'))
PAGE = Act(reply(b"<html><title>Please log in</title></html>", kind="text/html"))
LATIN = Act(reply('{"answer": "né"}'.encode("latin-1")))
WIDE = Act(reply(b'{"answer": "I do not know."}', kind="application/json; charset=klingon"))
PACKED = Act(reply(b"not packed at all", more="Content-Encoding: gzip\r\n"))
NOTHING = Act(reply(b""))
ABSENT = Act(reply(b"no such place", status="404 Not Found", kind="text/plain"))
ELSEWHERE = Act(reply(b"", status="302 Found", more="Location: /login\r\n"))
NO_ANSWER = Act(answer(""))


class Plan(NamedTuple):
    """What the tries of a question get (the last act goes on), and how it ends: ours through ``http:``."""

    acts: tuple[Act, ...]
    attempts: int
    ours: str
    theirs: str
    """The same for a plain function with httpx: a status, or the type of an exception."""


PLANS = (
    Plan((GOOD,), 1, "ok", "ok"),
    Plan((BUSY, GOOD), 2, "ok", "ok"),
    Plan((LATER, GOOD), 2, "ok", "ok"),
    Plan((BUSY, BROKEN, GOOD), 3, "ok", "ok"),
    Plan((BROKEN, GOOD), 2, "ok", "ok"),
    Plan((AWAY, GATEWAY, GOOD), 3, "ok", "ok"),
    Plan((DROPPED, GOOD), 2, "ok", "ok"),
    Plan((HALF_HEAD, GOOD), 2, "ok", "ok"),
    Plan((HALF_BODY, GOOD), 2, "ok", "ok"),
    Plan((RESET, GOOD), 2, "ok", "ok"),
    Plan((NONSENSE, GOOD), 2, "ok", "ok"),
    Plan((SLOW,), 1, "ok", "ok"),
    Plan((BUSY,), 3, "TemporaryFailure", "HTTPStatusError"),
    Plan((BROKEN,), 3, "TemporaryFailure", "HTTPStatusError"),
    Plan((DROPPED,), 3, "TemporaryFailure", "RemoteProtocolError"),
    Plan((HALF_BODY,), 3, "TemporaryFailure", "RemoteProtocolError"),
    Plan((RESET,), 3, "TemporaryFailure", "ReadError"),
    Plan((BUSY, MALFORMED), 2, "UnusableReply", "JSONDecodeError"),
    Plan((MALFORMED,), 1, "UnusableReply", "JSONDecodeError"),
    Plan((PAGE,), 1, "UnusableReply", "JSONDecodeError"),
    Plan((LATIN,), 1, "UnusableReply", "UnicodeDecodeError"),
    Plan((WIDE,), 1, "UnusableReply", "ok"),
    Plan((PACKED,), 1, "UnusableReply", "DecodingError"),
    Plan((NOTHING,), 1, "UnusableReply", "JSONDecodeError"),
    Plan((ABSENT,), 1, "UnusableReply", "HTTPStatusError"),
    Plan((ELSEWHERE,), 1, "UnusableReply", "HTTPStatusError"),
    Plan((NO_ANSWER,), 1, "no_answer", "no_answer"),
    Plan((STUCK,), 1, "timeout", "timeout"),
)

PLAIN = """
import httpx

client = httpx.Client(trust_env=False, timeout=60)


def answer(question, passages):
    response = client.post({url!r}, json={{"question": question}})
    response.raise_for_status()
    return response.json()["answer"]
"""


@pytest.fixture(scope="module")
def plans() -> dict[str, Plan]:
    """The plan of each question of the sample, by its text; each plan is that of several questions."""
    questions = load_questions(load_corpus("sample")).questions
    return {question.text: PLANS[number % len(PLANS)] for number, question in enumerate(questions)}


def asked(folder: Path, spec: str, *more: str) -> dict[str, Record]:
    """Run the pipeline over the sample with wide doors; returns the records by the question's text."""
    options = (
        *more,
        "--concurrency",
        "130",
        "--timeout",
        str(LIMIT),
        "--retries",
        str(RETRIES),
        "--out",
        "run",
    )
    done = process(folder, "run", "--pipeline", spec, "--quiet", "--retriever", "null", *options)
    assert done.returncode == 2, done.stderr
    run = RunFolder.open(folder / "run")
    texts = {question.id: question.text for question in run.questions()}
    return {texts[record.question]: record for record in run.records()}


def outcome(record: Record) -> str:
    """Return how a question ended: its status, or the type of its failure."""
    if record.status == "error":
        assert record.failure is not None
        return record.failure.type
    return record.status


def check(records: dict[str, Record], plans: dict[str, Plan], server: Misbehaving, *, ours: bool) -> None:
    assert set(records) == set(plans)
    for text, plan in plans.items():
        record = records[text]
        assert (outcome(record), record.attempts) == (plan.ours if ours else plan.theirs, plan.attempts), plan
        assert len(server.moments(text)) == plan.attempts, plan
        assert (record.answer is None) == (record.status in {"error", "timeout"}), plan
        if plan.acts[0] is LATER:
            first, second = server.moments(text)
            assert second - first >= 1.0


def test_every_outcome_through_http_is_what_the_schedule_says(tmp_path: Path, plans: dict[str, Plan]) -> None:
    with Misbehaving(lambda text, number: plans[text].acts[min(number, len(plans[text].acts) - 1)]) as server:
        records = asked(tmp_path, server.url)
        check(records, plans, server, ours=True)


def test_every_outcome_of_a_plain_function_is_what_the_schedule_says(
    tmp_path: Path, plans: dict[str, Plan]
) -> None:
    with Misbehaving(lambda text, number: plans[text].acts[min(number, len(plans[text].acts) - 1)]) as server:
        records = asked(tmp_path, pipeline(tmp_path, PLAIN.format(url=server.url)))
        check(records, plans, server, ours=False)


def test_every_outcome_of_a_language_model_is_what_the_schedule_says(
    tmp_path: Path, plans: dict[str, Plan]
) -> None:
    def act(text: str, number: int) -> Act:
        found = plans[text].acts[min(number, len(plans[text].acts) - 1)]
        # No such model is a mistake of the whole run, which ends with a sentence.
        found = PAGE if found is ABSENT else found
        return replace(found, wire=_as_chat(found.wire))

    with Misbehaving(act) as server:
        settings = {"model": "m-1", "base-url": server.url.removesuffix("/answer"), "structured": "off"}
        options = [
            each for name, value in settings.items() for each in ("--pipeline-option", f"{name}={value}")
        ]
        records = asked(tmp_path, "llm", *options)
        # JSON is UTF-8 whatever the header says (RFC 8259, section 8.1): no service here speaks another.
        check(records, plans, server, ours=True)


def _as_chat(wire: bytes) -> bytes:
    """Return the same response with its answer, whole or cut, where services of language models put it."""
    head, _, body = wire.partition(b"\r\n\r\n")
    if not body.startswith(b'{"answer": '):
        return wire
    whole = len(body)
    size = next(
        (int(row.split(b":")[1]) for row in head.split(b"\r\n") if row.startswith(b"Content-Length")), 0
    )
    missing = size - whole
    message = b'{"choices": [{"message": {"content": ' + body.removeprefix(b'{"answer": ')
    if not missing and body.endswith(b"}"):
        message += b', "finish_reason": "stop"}]}'
    longer = len(message) + missing - size
    return (
        head.replace(b"Content-Length: %d" % size, b"Content-Length: %d" % (size + longer))
        + b"\r\n\r\n"
        + message
    )


@pytest.mark.parametrize("status", ["401 Unauthorized", "403 Forbidden"])
@pytest.mark.parametrize("plain", [False, True])
def test_refused_credentials_end_the_run_with_a_sentence(tmp_path: Path, status: str, plain: bool) -> None:
    refusal = Act(reply(b'{"error": {"message": "Incorrect API key provided"}}', status=status))
    with Misbehaving(lambda text, number: refusal) as server:
        spec = pipeline(tmp_path, PLAIN.format(url=server.url)) if plain else server.url
        begin = time.monotonic()
        done = process(tmp_path, "run", "--pipeline", spec, "--quiet", "--concurrency", "4", "--out", "run")
        assert time.monotonic() - begin < 20
        assert len(server.seen) <= 4
    assert (done.returncode, done.stdout) == (3, "")
    error, *more = done.stderr.splitlines()
    assert error.startswith("error: ")
    assert status[:3] in error
    assert [line[:6] for line in more] == ["help: "]
    assert not RunFolder.open(tmp_path / "run").answered()


def test_a_run_stopped_by_refused_credentials_goes_on_when_the_key_is_right(tmp_path: Path) -> None:
    refusal = Act(reply(b'{"error": "no"}', status="401 Unauthorized"))
    acts = [refusal]
    with Misbehaving(lambda text, number: acts[0]) as server:
        command = ("run", "--pipeline", server.url, "--quiet", "--out", "run", "--json")
        assert process(tmp_path, *command).returncode == 3
        acts[0] = GOOD
        done = process(tmp_path, *command)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["buckets"]["refused"] == 130


def test_of_many_processes_on_one_folder_one_writes_and_the_others_are_refused(tmp_path: Path) -> None:
    source = """
        import os, time

        def answer(question, passages):
            with open("asked.log", "a") as file:
                file.write(f"{os.getpid()}\\n")
            time.sleep(0.1)
            return "I do not know."
    """
    spec = pipeline(tmp_path, source)
    command = [sys.executable, "-c", PROGRAM, "run", "--pipeline", spec, "--out", "run", "--quiet"]
    running = [
        subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    ended = [(each.pid, *each.communicate(timeout=60), each.returncode) for each in running]
    assert sorted(code for *_, code in ended) == [0, 3, 3, 3]
    for _, output, errors, code in ended:
        if code:
            assert output == ""
            assert "writing there" in errors
            assert "Traceback" not in errors
    assert set((tmp_path / "asked.log").read_text().split()) == {
        str(pid) for pid, *_, code in ended if not code
    }
    assert len(list(RunFolder.open(tmp_path / "run").records())) == 130
