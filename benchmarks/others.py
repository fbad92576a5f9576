"""The same job in ours, the floor and other tools, as whole processes: wall, CPU, memory, disk; and start-up.

A tool runs where ``venvs`` holds a virtual environment of its name and ``scripts`` its script; elsewhere its
row says that it is absent, with the figure that was measured on another day. A peak below that of the process
that measures (some 75 MB) cannot be told from it.
"""

from __future__ import annotations

import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from jobs import ANSWERS, write_job

HERE = Path(__file__).resolve().parent
LIMIT = 900.0
"""Seconds after which a tool is ended; one that would take longer, by its last size, is left out."""

TOOLS = {
    "pydantic-evals": ("pydantic", "peer_pydantic_evals.py", "out.json", 0.45),
    "inspect-ai": ("inspect", "peer_inspect.py", "out", 14.3),
    "deepeval": ("deepeval", "peer_deepeval.py", "out", 1.6),
    "ragas": ("ragas", "peer_ragas.py", "out.jsonl", 0.3),
    "trulens": ("trulens", "peer_trulens.py", "out", 6.6),
    "lm-eval": ("lmeval", "peer_lmeval.py", "out", 0.35),
}
"""Each tool's environment, script, output, and CPU milliseconds a question as measured on 2026-11-21."""

Row = dict[str, Any]


class Cost(NamedTuple):
    """What one process took: wall and CPU seconds, peak resident memory in MB."""

    wall: float
    cpu: float
    peak_mb: float


def run(command: list[str], folder: Path, allowed: tuple[int, ...] = (0,)) -> Cost:
    """Run a command to its end in ``folder``; another exit code than those allowed raises with its output."""
    with tempfile.TemporaryFile() as output:
        begin = time.perf_counter()
        # The process's own time and memory: wait4 counts it with the children that it waited for.
        timed = ["timeout", str(LIMIT), *command] if shutil.which("timeout") else command
        own = Path(command[0]) == Path(sys.executable) or Path(command[0]).name == "ragharness"
        # What pip installs is compiled once; a checkout would be compiled anew for every run that is timed.
        left_out = "PYTHONDONTWRITEBYTECODE" if own else "PYTHONPATH"
        env = {name: value for name, value in os.environ.items() if name != left_out}
        process = subprocess.Popen(timed, cwd=folder, stdout=output, stderr=subprocess.STDOUT, env=env)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in allowed:
            output.seek(0)
            raise SystemExit(f"{command} ended with {process.returncode}: {output.read().decode()[-2000:]}")
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def side_by_side(
    sizes: list[int], scripts: Path | None, venvs: Path | None, repeats: int, before: list[Row]
) -> list[Row]:
    """Return a row for each tool, kind of answer and number of questions; tools take turns.

    Rows measured ``before`` stay where they are of other sizes.
    """
    rows = [each for each in before if each["questions"] not in sizes]
    with tempfile.TemporaryDirectory() as name:
        for answers in ANSWERS:
            for n in sizes:
                folder = Path(name) / f"{answers}-{n}"
                write_job(folder, n, answers)
                slow = {
                    each["tool"]: f"{each['questions']:,} took {each['wall']:.0f} s"
                    for each in rows
                    if each["answers"] == answers
                    and each["questions"] < n
                    and each.get("wall", 0.0) / each["questions"] * n > LIMIT
                }
                found = _turns(folder, answers, scripts, venvs, repeats, slow)
                rows += [
                    {"tool": tool, "answers": answers, "questions": n, **cost} for tool, cost in found.items()
                ]
                print(*rows[-len(found) :], sep="\n", flush=True)
                shutil.rmtree(folder)
    return sorted(rows, key=lambda each: (list(ANSWERS).index(each["answers"]), each["questions"]))


def _turns(
    folder: Path, answers: str, scripts: Path | None, venvs: Path | None, repeats: int, slow: dict[str, str]
) -> dict[str, dict[str, Any]]:
    os.environ.update(JOB_ANSWERS=answers, JOB_INPUT=str(folder / "input.jsonl"), BENCH=str(folder))
    ours = ["-m", "ragharness", "run", "--fresh", "--quiet", "--out", "out", "--corpus", str(folder / "docs")]
    ours += ["--questions", str(folder / "questions.csv"), "--pipeline", f"{folder / 'job.py'}:answer"]
    commands = {
        "ragharness": ([sys.executable, *ours], "out"),
        "floor": ([sys.executable, str(HERE / "floor.py"), "input.jsonl", "out.jsonl"], "out.jsonl"),
    }
    found: dict[str, dict[str, Any]] = {}
    for tool, (venv, script, out, known) in TOOLS.items():
        python = venvs / venv / "bin" / "python" if venvs else None
        if tool in slow:
            found[tool] = {"left_out": slow[tool]}
        elif python and python.is_file() and scripts and (scripts / script).is_file():
            commands[tool] = ([str(python), str(scripts / script), "input.jsonl", out], out)
        else:
            found[tool] = {"absent": True, "published_milliseconds": known}
    run(commands["ragharness"][0], folder, (0, 2))  # fills the cache of documents and indexes
    costs: dict[str, list[tuple[Cost, int]]] = {tool: [] for tool in commands}
    for _ in range(repeats):
        for tool, (command, out) in commands.items():
            _clear(folder / out)
            if tool in found:
                continue
            try:
                costs[tool].append((run(command, folder, (0, 2)), _size(folder / out)))
            except SystemExit as failed:
                found[tool] = {"failed": str(failed)[-200:]}
                print(tool, failed)
    for tool, each in costs.items():
        if tool in found:
            continue
        found[tool] = {
            field: round(statistics.median(getattr(cost, field) for cost, _ in each), 3)
            for field in Cost._fields
        } | {"disk_kb": round(each[-1][1] / 1000)}
    return found


def start_up(venvs: Path | None, repeats: int) -> dict[str, Row]:
    """Return CPU seconds until a tool is there (help, or its import), and MB that it installs."""
    imports = {"pydantic-evals": "pydantic_evals", "inspect-ai": "inspect_ai"}
    imports |= {tool: tool for tool in ("deepeval", "ragas")} | {
        "trulens": "trulens.core",
        "lm-eval": "lm_eval",
    }
    commands = {
        "ragharness": [sys.executable, "-m", "ragharness", "--help"],
        "floor": [sys.executable, "-c", ""],
    }
    for tool, (venv, *_) in TOOLS.items():
        python = venvs / venv / "bin" / "python" if venvs else None
        if python and python.is_file():
            commands[tool] = [str(python), "-c", f"import {imports[tool]}"]
    found: dict[str, Row] = {}
    with tempfile.TemporaryDirectory() as name:
        for tool, command in commands.items():
            try:
                costs = [run(command, Path(name)) for _ in range(repeats)]
            except SystemExit as failed:
                print(tool, failed)
                continue
            found[tool] = {"cpu": round(statistics.median(each.cpu for each in costs), 3)}
            if tool in TOOLS:
                found[tool]["installed_mb"] = round(_size(Path(command[0]).parents[1] / "lib") / 1e6)
    return found


def table(rows: list[Row], begun: dict[str, Row]) -> str:
    """Return the rows as Markdown."""
    lines = [
        f"Medians on {os.cpu_count()} cores with Python {platform.python_version()}; the tools took turns.",
        "A peak below that of the process that measures (some 75 MB) cannot be told from it.",
        "",
        "| answers | questions | tool | wall s | CPU s | peak MB | written kB |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        head = f"| {row['answers']} | {row['questions']:,} | {row['tool']} |"
        if "absent" in row:
            lines.append(
                f"{head} not installed; {row['published_milliseconds']} ms CPU a question on 2026-11-21 ||||"
            )
        elif "left_out" in row:
            lines.append(f"{head} left out: {row['left_out']} ||||")
        elif "failed" in row:
            lines.append(f"{head} it failed ||||")
        else:
            lines.append(
                f"{head} {row['wall']:.2f} | {row['cpu']:.2f} | {row['peak_mb']:.0f} | {row['disk_kb']:,} |"
            )
    lines += ["", "| | start-up, CPU s | installed MB |", "|---|---|---|"]
    lines += [
        f"| {tool} | {each['cpu']:.3f} | {each.get('installed_mb', '')} |" for tool, each in begun.items()
    ]
    return "\n".join(lines) + "\n"


def _clear(path: Path) -> None:
    shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)


def _size(path: Path) -> int:
    files = [path] if path.is_file() else path.rglob("*")
    return sum(each.stat().st_size for each in files if each.is_file() and not each.is_symlink())
