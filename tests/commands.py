"""Running the command line in tests: in this process where that is equal, else as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Verb = Callable[..., "Done"]

PROGRAM = "from ragharness.cli import main; main()"

FIRST_SENTENCE = """
    def answer(question, passages):
        if not passages:
            return "I could not find it."
        return f"{passages[0].text.split('. ')[0]} [{passages[0].id}]"
"""
"""A pipeline that answers with the first sentence of the first passage."""


class Done(NamedTuple):
    """How a command ended."""

    code: int
    output: str
    errors: str


def process(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command as a process in a folder."""
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "RAGHARNESS_CACHE": str(folder / "cache"), **environment},
    )


def pipeline(folder: Path, source: str, name: str = "mine.py") -> str:
    """Write a pipeline's file into a folder and return how it is named there."""
    (folder / name).write_text(textwrap.dedent(source), encoding="utf-8")
    return f"{name}:answer"
