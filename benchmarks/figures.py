"""Measure the figures that the project promises and write them to ``figures.json`` beside this file.

    python benchmarks/figures.py --contractnli FOLDER_WITH_TEST_JSON [--repeats 9]

Ratios come from alternating runs in one go; every figure is the median. A figure over its limit ends
with exit code 1.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from bm25 import spans_ratio
from overhead import overhead

HERE = Path(__file__).resolve().parent
BARE_APP = """
import typer
app = typer.Typer()
@app.command()
def first(number: int = 1) -> None:
    "One command."
@app.command()
def second(name: str = "") -> None:
    "Another command."
app()
"""


class Cost(NamedTuple):
    """What one process took: wall and CPU seconds, peak resident memory in MB."""

    wall: float
    cpu: float
    peak_mb: float


def run(command: list[str], folder: Path) -> Cost:
    """Run a command to its end in ``folder``; a non-zero exit raises with its output."""
    with tempfile.TemporaryFile() as output:
        begin = time.perf_counter()
        process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            output.seek(0)
            raise SystemExit(f"{command} ended with {process.returncode}: {output.read().decode()[-2000:]}")
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def median(costs: list[Cost], field: str) -> float:
    """Return the median of one field over repeated runs."""
    return float(statistics.median(getattr(cost, field) for cost in costs))


def help_ratio(program: str, folder: Path, repeats: int) -> dict[str, float]:
    """Compare ``ragharness --help`` with the same of a bare two-command typer app, in alternation."""
    bare = folder / "bare.py"
    bare.write_text(BARE_APP)
    ours, theirs = [], []
    for _ in range(repeats):
        theirs.append(run([sys.executable, str(bare), "--help"], folder))
        ours.append(run([program, "--help"], folder))
    ratio = statistics.median(o.wall / t.wall for o, t in zip(ours, theirs, strict=True))
    return {"seconds": median(ours, "wall"), "bare_typer_seconds": median(theirs, "wall"), "ratio": ratio}


def whole_run(program: str, arguments: list[str], folder: Path, repeats: int) -> dict[str, float]:
    """Time the whole process of a run of 130 questions; the first, which fills the caches, is left out."""
    command = [program, "run", "--fresh", *arguments]
    run(command, folder)
    costs = [run(command, folder) for _ in range(repeats)]
    return {
        "seconds": median(costs, "wall"),
        "cpu_seconds": median(costs, "cpu"),
        "peak_mb": median(costs, "peak_mb"),
    }


def main() -> int:
    """Measure, print and store; return 1 if a figure misses its limit."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--contractnli", required=True, type=Path, help="a folder with ContractNLI's test.json"
    )
    parser.add_argument("--repeats", type=int, default=9)
    options = parser.parse_args()
    program = str(Path(sys.executable).with_name("ragharness"))
    contracts = [
        "--corpus",
        "contractnli",
        "--from",
        str(options.contractnli.resolve()),
        "--concurrency",
        "8",
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        figures = {
            "help": help_ratio(program, folder, options.repeats),
            "run contractnli": whole_run(program, contracts, folder, options.repeats),
            "run sample": whole_run(program, [], folder, options.repeats),
            "overhead per question": {"milliseconds": overhead(repeats=options.repeats)},
            "bm25 over rank-bm25": spans_ratio(options.contractnli / "test.json"),
        }
    limits = [
        ("help", "ratio", 1.3, "<="),
        ("run contractnli", "seconds", 2.0, "<="),
        ("run contractnli", "peak_mb", 250.0, "<="),
        ("run sample", "seconds", 1.2, "<="),
        ("overhead per question", "milliseconds", 0.5, "<="),
        ("bm25 over rank-bm25", "ratio", 250.0, ">="),
    ]
    missed = 0
    for figure, field, limit, sign in limits:
        value = figures[figure][field]
        holds = value <= limit if sign == "<=" else value >= limit
        missed += not holds
        print(f"{figure:24} {field:13} {value:10.3f}   {sign} {limit:<6g} {'' if holds else 'MISSED'}")
    machine = {"python": platform.python_version(), "cores": os.cpu_count(), "repeats": options.repeats}
    (HERE / "figures.json").write_text(json.dumps({"machine": machine, "figures": figures}, indent=2) + "\n")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
