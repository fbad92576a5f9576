"""Measure the figures that the project promises and write them to ``figures.json`` and ``figures.md``.

    python benchmarks/figures.py --contractnli FOLDER_WITH_TEST_JSON [--repeats 9]
        [--sizes 130,1300,13000,100000] [--scripts FOLDER --venvs FOLDER]

``figures.md`` has ours, the floor and other tools on the same job (``jobs.py``, ``others.py``), of those
tools whose scripts and environments are given. Ratios come from alternating runs in one go; every figure
is the median. A figure over its limit ends with exit code 1.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
from pathlib import Path

from bm25 import spans_ratio
from others import Cost, run, side_by_side, start_up, table
from overhead import overhead, overhead_at_once

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
    parser.add_argument("--sizes", default="130,1300", help="numbers of questions of the side-by-side runs")
    parser.add_argument("--scripts", type=Path, help="a folder with the scripts of other tools")
    parser.add_argument("--venvs", type=Path, help="a folder with a virtual environment for each of them")
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
            "overhead per question": overhead("sentence"),
            "overhead per question, 200 words": overhead("long"),
            "at once, def": overhead_at_once("answer"),
            "at once, async": overhead_at_once("aanswer"),
            "bm25 over rank-bm25": spans_ratio(options.contractnli / "test.json"),
        }
    limits = [
        ("help", "ratio", 1.3, "<="),
        ("run contractnli", "seconds", 0.40, "<="),
        ("run contractnli", "peak_mb", 250.0, "<="),
        ("run sample", "seconds", 0.35, "<="),
        ("overhead per question", "milliseconds", 1.0, "<="),
        ("overhead per question, 200 words", "milliseconds", 2.5, "<="),
        *(
            (f"at once, {kind}", calls, limit, "<=")
            for kind in ("def", "async")
            for calls, limit in (("16", 1.05), ("64", 1.08), ("200", 1.3))
        ),
        ("bm25 over rank-bm25", "ratio", 250.0, ">="),
    ]
    missed = 0
    for figure, field, limit, sign in limits:
        value = figures[figure][field]
        holds = value <= limit if sign == "<=" else value >= limit
        missed += not holds
        print(f"{figure:24} {field:13} {value:10.3f}   {sign} {limit:<6g} {'' if holds else 'MISSED'}")
    machine = {"python": platform.python_version(), "cores": os.cpu_count(), "repeats": options.repeats}
    sizes = [int(each) for each in options.sizes.split(",")]
    target = HERE / "figures.json"
    before = json.loads(target.read_text())["side by side"] if target.is_file() else []
    rows = side_by_side(sizes, options.scripts, options.venvs, min(3, options.repeats), before)
    begun = start_up(options.venvs, options.repeats)
    found = {"machine": machine, "figures": figures, "side by side": rows, "start-up": begun}
    target.write_text(json.dumps(found, indent=2) + "\n")
    (HERE / "figures.md").write_text(table(rows, begun))
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
