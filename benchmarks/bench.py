"""What the benchmarks share: arguments, results, the unseen quarter of the questions, timed processes."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from ragharness.analysis.metrics import share

HERE = Path(__file__).resolve().parent
HARNESS = (
    sys.executable,
    "-c",
    "import sys; sys.argv[0] = 'ragharness'; from ragharness.cli import main; main()",
)
"""The command line of this checkout."""


def parser(description: str | None) -> argparse.ArgumentParser:
    """Parser of a benchmark's arguments, described by the benchmark's docstring."""
    return argparse.ArgumentParser(description=description, formatter_class=argparse.RawTextHelpFormatter)


def read_result(path: Path) -> dict[str, Any]:
    """Last result of a benchmark; empty before the first."""
    result: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return result


def write_result(path: Path, result: object, indent: int = 1, **options: Any) -> None:
    """Write the result of a benchmark."""
    path.write_text(json.dumps(result, indent=indent, **options) + "\n", encoding="utf-8")


def json_lines(path: Path) -> Iterator[Any]:
    """Objects of a JSON Lines file."""
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def digest(text: str) -> str:
    """Hexadecimal sha256 of a text."""
    return sha256(text.encode()).hexdigest()


def is_unseen(question: str) -> bool:
    """Whether a question belongs to the quarter that no rule and no weight is learnt from."""
    return int(digest(question)[:8], 16) % 4 == 0


def fold_of(question: str, folds: int) -> int:
    """Fold of a question, the same for all answers to it."""
    return int(digest(question)[8:16], 16) % folds


def proportion(count: int, n: int) -> list[Any]:
    """Count, n and the limits of its 95 % interval."""
    rate = share(count, n)
    return [rate.count, rate.n, rate.low, rate.high]


def rounded(figures: Mapping[str, float], digits: int = 4) -> dict[str, float]:
    """Figures with fewer digits."""
    return {name: round(value, digits) for name, value in figures.items()}


def show_progress(what: str, done: int, total: int, unit: str = "") -> None:
    """Print how far a measurement is, over the line before."""
    print(f"\r{what} {done} of {total} {unit} ", end="", file=sys.stderr, flush=True)


class Cost(NamedTuple):
    """Wall and CPU seconds of a process with its children, and its peak resident memory in MB."""

    wall: float
    cpu: float
    peak_mb: float


def process_cost(command: Sequence[str], folder: Path, variables: Mapping[str, str] | None = None) -> Cost:
    """Cost of a command run to its end; raises SystemExit where it fails."""
    environment = {**os.environ, **(variables or {})}
    begin = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 2):
        raise SystemExit(f"{command} ended with {process.returncode}")
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)
