"""A question costs no more than when ``benchmarks/figures.json`` was written: calls of functions, and a ratio."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"

pytestmark = pytest.mark.slow

MORE_CALLS = 1.1
"""Another minor version of Python makes a few calls more or fewer; the same one makes the same."""

MORE_TIME = 1.5
"""How much the ratio to the floor differs between machines and under load."""


@pytest.mark.parametrize(
    ("answers", "figure"),
    [("sentence", "overhead per question"), ("long", "overhead per question, 200 words")],
)
def test_a_question_costs_no_more_than_committed(answers: str, figure: str) -> None:
    command = [sys.executable, str(BENCHMARKS / "overhead.py"), "--answers", answers, "--questions", "300"]
    now = json.loads(subprocess.check_output(command, env={**os.environ, "PYTHONHASHSEED": "0"}))
    committed = json.loads((BENCHMARKS / "figures.json").read_text(encoding="utf-8"))["figures"][figure]
    assert now["calls"] <= MORE_CALLS * committed["calls"]
    assert now["ratio"] <= MORE_TIME * committed["ratio"]
