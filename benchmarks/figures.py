"""What a question costs in ours and in other tools on the same job (``jobs.py``): writes ``figures.json``.

    python benchmarks/figures.py [--repeats 9] [--sizes 130,1300] [--scripts FOLDER --venvs FOLDER]

``figures`` has our own overhead (``overhead.py``), ``side by side`` whole processes of ours and of those
tools whose scripts and environments are given, in turns, every figure the median, and ``start-up`` the CPU
seconds until a tool is there (help, or its import). A peak below that of the process that measures (some
75 MB) cannot be told from it.
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
from pathlib import Path
from typing import Any

from bench import HARNESS, HERE, Cost, parser, process_cost, read_result, write_result
from jobs import ANSWERS, write_job

RESULT = HERE / "figures.json"
TOOLS = {
    "pydantic-evals": ("pydantic", "peer_pydantic_evals.py", "out.json", "pydantic_evals"),
    "inspect-ai": ("inspect", "peer_inspect.py", "out", "inspect_ai"),
    "deepeval": ("deepeval", "peer_deepeval.py", "out", "deepeval"),
    "ragas": ("ragas", "peer_ragas.py", "out.jsonl", "ragas"),
    "trulens": ("trulens", "peer_trulens.py", "out", "trulens.core"),
}
"""Environment of each tool, its script, what that writes, and the module to import."""

Row = dict[str, Any]


def overhead(answers: str) -> dict[str, float]:
    """Output of ``overhead.py`` in a process of its own: no memory is warm from elsewhere."""
    command = [sys.executable, str(HERE / "overhead.py"), "--answers", answers]
    figures: dict[str, float] = json.loads(
        subprocess.check_output(command, env={**os.environ, "PYTHONHASHSEED": "0"})
    )
    return figures


def side_by_side(options: argparse.Namespace, rows: list[Row]) -> list[Row]:
    """Rows with one for each tool, kind of answer and number of questions measured now, else before."""
    by_key = {(row["tool"], row["answers"], row["questions"]): row for row in rows}
    for answers in ANSWERS:
        for n in map(int, options.sizes.split(",")):
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name) / "job"
                write_job(folder, n, answers)
                costs = _turns(folder, answers, options)
            for tool, cost in costs.items():
                by_key[tool, answers, n] = {"tool": tool, "answers": answers, "questions": n, **cost}
                print(by_key[tool, answers, n], flush=True)
    return sorted(by_key.values(), key=lambda row: (ANSWERS.index(row["answers"]), row["questions"]))


def _turns(folder: Path, answers: str, options: argparse.Namespace) -> dict[str, Row]:
    """Median costs of each tool that is there."""
    variables = {"JOB_ANSWERS": answers, "JOB_INPUT": str(folder / "input.jsonl"), "BENCH": str(folder)}
    ours = [*HARNESS, "run", "--fresh", "--quiet", "--out", "out", "--corpus", str(folder / "docs")]
    ours += ["--questions", str(folder / "questions.csv"), "--pipeline", f"{folder / 'job.py'}:answer"]
    commands = {"ragharness": (ours, "out")}
    for tool, (venv, script, out, _) in TOOLS.items():
        path, python = (options.scripts or folder) / script, _python(options.venvs, venv)
        if python.is_file() and path.is_file():
            commands[tool] = ([str(python), str(path), "input.jsonl", out], out)
    process_cost(ours, folder, variables)  # fills the cache of documents and indexes
    costs: dict[str, list[Cost]] = {tool: [] for tool in commands}
    for _ in range(min(3, options.repeats)):
        for tool, (command, out) in commands.items():
            subprocess.run(["rm", "-rf", str(folder / out)], check=True)
            costs[tool].append(process_cost(command, folder, variables))
    return {
        tool: Cost(*(round(statistics.median(column), 3) for column in zip(*rows, strict=True)))._asdict()
        for tool, rows in costs.items()
    }


def start_up(venvs: Path | None, repeats: int) -> dict[str, Row]:
    """CPU seconds until a tool is there."""
    commands = {"ragharness": [*HARNESS, "--help"]}
    for tool, (venv, *_, module) in TOOLS.items():
        if (python := _python(venvs, venv)).is_file():
            commands[tool] = [str(python), "-c", f"import {module}"]
    return {
        tool: {"cpu": round(statistics.median(process_cost(command, HERE).cpu for _ in range(repeats)), 3)}
        for tool, command in commands.items()
    }


def _python(venvs: Path | None, name: str) -> Path:
    return (venvs or HERE / "no environments") / name / "bin" / "python"


def main() -> None:
    """Measure and store."""
    arguments = parser(__doc__)
    arguments.add_argument("--repeats", type=int, default=9)
    arguments.add_argument(
        "--sizes", default="130,1300", help="numbers of questions of the side-by-side runs"
    )
    arguments.add_argument("--scripts", type=Path, help="a folder with the scripts of other tools")
    arguments.add_argument("--venvs", type=Path, help="a folder with a virtual environment for each of them")
    options = arguments.parse_args()
    before = read_result(RESULT)
    result = {
        "machine": {"python": platform.python_version(), "cores": os.cpu_count(), "repeats": options.repeats},
        "figures": {
            "overhead per question": overhead("sentence"),
            "overhead per question, 200 words": overhead("long"),
        },
        "side by side": side_by_side(options, before.get("side by side", [])),
        "start-up": before.get("start-up", {}) | start_up(options.venvs, options.repeats),
    }
    write_result(RESULT, result, indent=2)


if __name__ == "__main__":
    main()
