"""Memory does not grow with the length of a run: records go out one by one, and come back one by one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from commands import PROGRAM, pipeline
from ragharness.runner.run_folder import RunFolder

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not hasattr(os, "wait4"), reason="needs a system that tells a process's peak of memory"
    ),
]

QUESTIONS = 100
FEW, MANY = 1_000, 20_000
MOST_MB = 20.0
"""What so many more records may take: what is counted of each. The records themselves are larger."""

LONG = """
import itertools

CALLS = itertools.count(1)


def answer(question, passages):
    # One number a call, whatever the threads do: a run whose first calls all fail alike is stopped.
    call = next(CALLS)
    if call % 10:
        # Other numbers in each message: a service that names its requests.
        raise ValueError(f"request {call} had no luck " + "at all " * 160)
    return "I could not find that in the passages."
"""

LAUNCHER = """
import os, sys
quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
child = os.posix_spawn(sys.executable, sys.argv[1:], os.environ, file_actions=quiet)
_, status, usage = os.wait4(child, 0)
print(status, usage.ru_maxrss)
"""


def peak_mb(folder: Path, code: int, *arguments: str) -> float:
    """Return the peak resident MB of a command; a small process starts it, as a child inherits the peak."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", LAUNCHER, sys.executable, "-c", PROGRAM, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=240,
        check=True,
    )
    status, peak = done.stdout.split()
    assert os.waitstatus_to_exitcode(int(status)) == code, done.stderr
    # Kilobytes, but bytes on macOS.
    return int(peak) / (1024 * 1024 if sys.platform == "darwin" else 1024)


def test_twenty_thousand_records_take_hardly_more_memory_than_a_thousand(tmp_path: Path) -> None:
    spec = pipeline(tmp_path, LONG)
    peaks: dict[str, list[float]] = {}
    for records in (FEW, MANY):
        out = f"run-{records}"
        asked = ("--limit", str(QUESTIONS), "--epochs", str(records // QUESTIONS), "--concurrency", "4")
        commands = {
            "run": ("run", "--pipeline", spec, *asked, "--out", out, "--quiet", "--retriever", "null"),
            "score": ("score", out),
            "report": ("report", out, "--markdown"),
            "show": ("show", "q001", out),
        }
        codes = {"run": 2, "score": 2, "report": 2, "show": 0}  # nine in ten failed: no result
        for name, command in commands.items():
            peaks.setdefault(name, []).append(peak_mb(tmp_path, codes[name], *command))
        assert sum(1 for _ in RunFolder.open(tmp_path / out).records()) == records
    assert (tmp_path / f"run-{MANY}" / "records.jsonl").stat().st_size > 1.2 * MOST_MB * 2**20
    more = {name: round(many - few, 1) for name, (few, many) in peaks.items()}
    assert all(grown < MOST_MB for grown in more.values()), (more, peaks)
