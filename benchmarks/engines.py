"""What the engine ``ray`` costs beside the built-in loop: distinct questions that are answered at once.

    python benchmarks/engines.py [--sizes 10000 50000] [--engines local ray] [--answers noop] [--out FILE]

Each row is a whole process on this machine, the first one of a size with nothing cached: wall, CPU and peak
memory of the harness itself, without Ray's processes and its workers, sampled five times a second. A row
replaces the one that ``engines.json`` holds of the same engine, size and kind of answer.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from jobs import ANSWERS, write_job

HERE = Path(__file__).resolve()
_TICKS = os.sysconf("SC_CLK_TCK")


def measured(engine: str, folder: Path) -> dict[str, float]:
    """Run the job in a folder once with an engine; raises SystemExit where the run fails."""
    out = folder / f"run-{engine}"
    command = [sys.executable, "-m", "ragharness", "run", "--quiet", "--engine", engine, "--out", str(out)]
    command += ["--corpus", "docs", "--questions", "questions.csv", "--pipeline", "job.py:answer"]
    variables = {**os.environ, "RAGHARNESS_CACHE": str(folder / "cache"), "JOB_INPUT": "input.jsonl"}
    begin = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, env=variables, stdout=subprocess.DEVNULL)
    found: dict[str, float] = {}
    while process.poll() is None:
        found = _own(process.pid) or found
        time.sleep(0.2)
    if process.returncode not in (0, 2):
        raise SystemExit(f"{command} ended with {process.returncode}")
    lines = sum(1 for _ in (out / "records.jsonl").open("rb"))
    return {"wall": time.perf_counter() - begin, **found, "records": lines}


def _own(process: int) -> dict[str, float]:
    """Return CPU seconds and peak megabytes of one process so far, without its children; {}: it has ended."""
    try:
        times = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        peak = Path(f"/proc/{process}/status").read_text().partition("VmHWM:")[2].split()
    except OSError:
        return {}
    return {"cpu": (int(times[11]) + int(times[12])) / _TICKS, "peak_mb": int(peak[0]) / 1024} if peak else {}


def main() -> None:
    """Measure, print each row, and keep it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 50_000])
    parser.add_argument("--engines", nargs="+", default=["local", "ray"])
    parser.add_argument("--answers", choices=ANSWERS, default="noop")
    parser.add_argument("--out", type=Path, default=HERE.with_suffix(".json"))
    options = parser.parse_args()
    os.environ["JOB_ANSWERS"] = options.answers
    rows: dict[str, Any] = json.loads(options.out.read_text()) if options.out.is_file() else {}
    for size in options.sizes:
        with tempfile.TemporaryDirectory() as name:
            write_job(folder := Path(name) / "job", size, options.answers)
            for engine in options.engines:
                row = {key: round(value, 3) for key, value in measured(engine, folder).items()}
                rows[f"{options.answers} {size} {engine}"] = row
                print(options.answers, size, engine, row, flush=True)
                options.out.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
