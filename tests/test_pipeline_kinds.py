"""The examples of services and commands in docs/pipelines.md, run as they stand."""

from __future__ import annotations

import json
import re
import shlex
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from commands import process
from conftest import ROOT
from ragharness.pipelines import pipeline_kinds

PAGE = (ROOT / "docs" / "pipelines.md").read_text(encoding="utf-8")


def example(name: str, folder: Path) -> Path:
    """Write the block that begins with its file's name into a folder."""
    (source,) = re.findall(
        rf"^```\w+\n((?:#!.*\n)?# {re.escape(name)}\n.*?)^```$", PAGE, re.DOTALL | re.MULTILINE
    )
    path = folder / name
    path.write_text(source, encoding="utf-8")
    path.chmod(0o755)
    return path


def shown(start: str) -> list[str]:
    """Return the words of the command on the page that begins so, behind the program's name."""
    (line,) = re.findall(rf"^    ragharness ({re.escape(start)}.*)$", PAGE, re.MULTILINE)
    return shlex.split(line)


def scores(folder: Path, words: list[str]) -> dict[str, int]:
    done = process(folder, *words, "--json", "--quiet", "--size", "26")
    assert done.returncode == 0, done.stderr
    found: dict[str, int] = json.loads(done.stdout)["statuses"]
    return found


def test_every_kind_stands_on_the_page() -> None:
    kinds = pipeline_kinds()
    assert set(kinds) >= {"blind", "cmd", "extractive", "http", "https", "refuse", "replay", "scripted"}
    for kind in kinds:
        assert re.search(rf"\| (?:.*, )?`{kind}\b.*\|", PAGE), kind


@pytest.mark.parametrize(
    ("name", "start"), [("answer.py", 'run --pipeline "cmd:python'), ("answer.sh", "run --pipeline cmd:./")]
)
def test_the_commands_answer(name: str, start: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    example(name, tmp_path)
    (tmp_path / "python").symlink_to(sys.executable)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    found = scores(tmp_path, shown(start))
    assert found["ok"] + found["needs_review"] == 26, found


def test_the_service_answers(tmp_path: Path) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
    path = example("server.py", tmp_path)
    path.write_text(path.read_text(encoding="utf-8").replace("8000", str(port)), encoding="utf-8")
    server = subprocess.Popen([sys.executable, str(path)], stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 10
        while time.monotonic() < until:
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        words = [word.replace("8000", str(port)) for word in shown("run --pipeline http://127")]
        found = scores(tmp_path, words)
    finally:
        server.kill()
        server.wait()
    assert found["ok"] + found["needs_review"] == 26, found
