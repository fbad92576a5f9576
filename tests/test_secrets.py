"""A planted key is in no file of a run, of the cache, and in nothing that is printed, whoever repeats it."""

from __future__ import annotations

import base64
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from commands import pipeline, process
from misbehaving import Act, Misbehaving, answer, reply
from ragharness.runner.run_folder import RunFolder
from ragharness.support import messages
from ragharness.support.messages import redact_bytes

if TYPE_CHECKING:
    import subprocess

KEY = "sk-planted/7f3a+9c=="
NO_ENVIRONMENT = messages._Environment(0.0, -1, ())
IN_URL = "planted-in-the-address-51"
LOGIN = "planted-login-83"

ECHO = b"who are you with ECHO"
ACTS = (
    Act(reply(b'{"error": "ECHO"}', status="400 Bad Request"), echoes=True),
    Act(reply(ECHO, status="500 Oops", kind="text/plain"), echoes=True),
    Act(reply(b"<html><title>ECHO</title></html>", kind="text/html"), echoes=True),
    Act(reply(b'{"answer": "I do not know, ECHO", "usage": {"note": "ECHO"}}'), echoes=True),
    Act(reply(b'{"answer": ECHO}'), echoes=True),
    Act(reply(b"", status="302 Found", more=f"Location: /login?key={IN_URL}\r\n")),
    Act(reply(b"", status=f"418 {KEY}")),
    Act(answer("I do not know.")),
)

RAISING = """
import os

import httpx

KEY = os.environ["SOME_API_KEY"]
client = httpx.Client(trust_env=False, headers={{"Authorization": f"Bearer {{KEY}}"}})


def answer(question, passages):
    if len(question) % 3 == 0:
        raise ValueError(f"no luck with {{client.headers['authorization']}} at {url}?api_key={in_url}")
    if len(question) % 3 == 1:
        raise KeyError(KEY, repr(KEY), {{"headers": dict(client.headers)}})
    response = client.post({url!r} + "?api_key={in_url}", json={{"question": question}})
    response.raise_for_status()
    return "I do not know."
"""


def variants(key: str) -> set[bytes]:
    """The ways in which a key may be written down: plain, in a URL, in JSON, in a login."""
    plain = {key, quote(key), quote(key, safe=""), json.dumps(key)[1:-1], key.replace("/", r"\/")}
    return {each.encode() for each in plain} | {base64.b64encode(key.encode())}


def leaks(folder: Path, done: subprocess.CompletedProcess[str], *keys: str) -> Iterator[str]:
    """Yield where a key stands: every byte of every file that the run wrote, and what it printed."""
    written = [
        path for name in ("run", "cache") for path in sorted((folder / name).rglob("*")) if path.is_file()
    ]
    assert any(path.name == "records.jsonl" for path in written)
    places = {str(path.relative_to(folder)): path.read_bytes() for path in written}
    places |= {"output": done.stdout.encode(), "errors": done.stderr.encode()}
    for place, content in places.items():
        for key in keys:
            for found in (each for each in variants(key) if each in content):
                start = content.index(found)
                yield f"{place}: {content[max(0, start - 80) : start + 80]!r}"


def test_the_search_finds_what_it_looks_for(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "records.jsonl").write_text(f'{{"message": "at /?key={quote(KEY, safe="")}"}}')
    done = process(tmp_path, "--version")
    assert len(list(leaks(tmp_path, done, KEY))) == 1


def test_a_service_that_repeats_the_key_does_not_get_it_into_the_run(tmp_path: Path) -> None:
    with Misbehaving(lambda text, number: ACTS[len(text) % len(ACTS)]) as server:
        done = process(
            tmp_path,
            *("run", "--pipeline", f"{server.url}?api_key={IN_URL}", "--out", "run", "--retries", "0"),
            *("--pipeline-option", "header-authorization=Bearer ENV:SOME_API_KEY"),
            *("--pipeline-option", "header-x-login=ENV:LOGIN"),
            SOME_API_KEY=KEY,
            LOGIN=LOGIN,
        )
        assert any(f"Authorization: Bearer {KEY}".lower() in request.head.lower() for request in server.seen)
        assert any(IN_URL in request.head for request in server.seen)
        assert any(LOGIN in request.head for request in server.seen)
    assert done.returncode == 2, done.stderr
    assert not list(leaks(tmp_path, done, KEY, IN_URL, LOGIN))
    records = (tmp_path / "run" / "records.jsonl").read_text()
    assert "[SOME_API_KEY]" in records


def test_a_function_that_raises_its_key_does_not_get_it_into_the_run(tmp_path: Path) -> None:
    refusal = Act(reply(ECHO, status="400 Bad Request", kind="text/plain"), echoes=True)
    with Misbehaving(lambda text, number: refusal) as server:
        source = RAISING.format(url=server.url, in_url=IN_URL)
        spec = pipeline(tmp_path, source)
        done = process(tmp_path, "run", "--pipeline", spec, "--out", "run", SOME_API_KEY=KEY)
    assert done.returncode == 2, done.stderr
    assert not list(leaks(tmp_path, done, KEY, IN_URL))
    failures = re.findall(r'"failure":\{"type":"(\w+)', (tmp_path / "run" / "records.jsonl").read_text())
    assert set(failures) == {"ValueError", "KeyError", "HTTPStatusError"}


@pytest.mark.parametrize("plain", [False, True])
def test_a_refusal_that_repeats_the_key_does_not_print_it(tmp_path: Path, plain: bool) -> None:
    refusal = Act(reply(ECHO, status="401 Unauthorized", kind="text/plain"), echoes=True)
    with Misbehaving(lambda text, number: refusal) as server:
        if plain:
            source = RAISING.format(url=server.url, in_url=IN_URL).replace("len(question) % 3", "7")
            spec, options = pipeline(tmp_path, source), list[str]()
        else:
            spec = f"{server.url}?api_key={IN_URL}"
            options = ["--pipeline-option", "header-authorization=Bearer ENV:SOME_API_KEY"]
        done = process(tmp_path, "run", "--pipeline", spec, "--out", "run", *options, SOME_API_KEY=KEY)
    assert done.returncode == 3, done.stderr
    assert "401" in done.stderr
    assert not list(leaks(tmp_path, done, KEY, IN_URL))


COMMAND = """
import json, os, sys

key = os.environ["SOME_API_KEY"]
for line in sys.stdin:
    asked = json.loads(line)
    turn = len(asked["question"]) % 4
    reply = {"id": asked["id"], "text": f"I do not know. My key is {key}."}
    if turn == 1:
        reply = {"id": asked["id"], "error": f"refused with {key}"}
    if turn == 2:
        reply = {"id": asked["id"], "text": "I do not know.", "citations": {key: key}, key: key}
    print(json.dumps(reply) if turn < 3 else f"not JSON but {key}", flush=True)
    print(f"a line of the log with {key}", file=sys.stderr, flush=True)
"""


def test_a_command_whose_arguments_and_replies_hold_the_key_does_not_get_it_into_the_run(
    tmp_path: Path,
) -> None:
    (tmp_path / "mine.py").write_text(COMMAND)
    spec = f"cmd:{sys.executable} mine.py --key {KEY}"
    command = ("run", "--pipeline", spec, "--out", "run", "--tag", KEY)
    done = process(tmp_path, *command, SOME_API_KEY=KEY)
    assert done.returncode == 2, done.stderr
    assert not list(leaks(tmp_path, done, KEY))
    run = RunFolder.open(tmp_path / "run")
    assert run.run.settings.pipeline.endswith("mine.py --key [SOME_API_KEY]")
    assert {record.status for record in run.records()} >= {"ok", "error"}
    again = process(tmp_path, *command, SOME_API_KEY=KEY)
    assert "run is finished: nothing left to ask" in again.stderr
    assert not list(leaks(tmp_path, again, KEY))


def test_a_model_service_that_repeats_the_key_does_not_get_it_into_the_run(tmp_path: Path) -> None:
    message = (
        b'{"choices": [{"message": {"role": "assistant", "content": "I do not know, ECHO"}}], "usage": {}}'
    )
    acts = (*ACTS[:3], Act(reply(message), echoes=True), *ACTS[4:7])
    number = iter(range(10**6))
    with Misbehaving(lambda text, tries: acts[next(number) % len(acts)]) as server:
        done = process(
            tmp_path,
            *("run", "--pipeline", "llm", "--model", "m-1", "--out", "run", "--retries", "0"),
            *("--base-url", server.url.removesuffix("/answer"), "--pipeline-option", "structured=off"),
            *("--pipeline-option", "key-env=SOME_API_KEY"),
            SOME_API_KEY=KEY,
        )
        assert any(f"Authorization: Bearer {KEY}".lower() in request.head.lower() for request in server.seen)
    assert done.returncode == 2, done.stderr
    assert not list(leaks(tmp_path, done, KEY, IN_URL))
    assert "[SOME_API_KEY]" in (tmp_path / "run" / "records.jsonl").read_text()


@pytest.mark.parametrize(
    "name",
    ["GITHUB_PAT", "SMTP_PASS", "MYSQL_PWD", "PASSPHRASE", "BASIC_AUTH", "JWT", "COOKIE", "SLACK_WEBHOOK"],
)
def test_what_secrets_are_called(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(messages, "_environment", NO_ENVIRONMENT)
    monkeypatch.setenv(name, KEY)
    assert redact_bytes(KEY.encode()) == f"[{name}]".encode()


@pytest.mark.parametrize("name", ["PWD", "OLDPWD", "SSH_AUTH_SOCK", "PATH", "PATTERN", "COMPASS"])
def test_what_is_no_secret(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(messages, "_environment", NO_ENVIRONMENT)
    monkeypatch.setenv(name, "/home/me/work")
    assert redact_bytes(b"/home/me/work") == b"/home/me/work"


def test_a_key_that_a_pipeline_removes_when_it_is_imported_was_seen(tmp_path: Path) -> None:
    source = """
        import os
        key = os.environ.pop("MY_OPENAI_KEY")
        def answer(question): raise ValueError(key)
        """
    done = process(
        tmp_path,
        "run",
        "--limit",
        "13",
        "--out",
        "run",
        "--pipeline",
        pipeline(tmp_path, source),
        MY_OPENAI_KEY=KEY,
    )
    assert "MY_OPENAI_KEY" in done.stdout
    assert not list(leaks(tmp_path, done, KEY))


def test_what_was_secret_once_stays_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "_environment", NO_ENVIRONMENT)
    monkeypatch.setenv("A_ROTATED_KEY", "the-first-of-them")
    assert redact_bytes(b"the-first-of-them") == b"[A_ROTATED_KEY]"
    monkeypatch.delenv("A_ROTATED_KEY")
    assert redact_bytes(b"the-first-of-them") == b"[A_ROTATED_KEY]"


def test_a_key_that_json_must_escape_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ODD_KEY", 'quote"back\\slash\u00e9')
    monkeypatch.setenv("MAX_TOKENS", "16000000")
    told = json.dumps({"text": f"it is {os.environ['ODD_KEY']}", "seconds": 16000000})
    assert json.loads(redact_bytes(told.encode())) == {"text": "it is [ODD_KEY]", "seconds": 16000000}
