"""What the engine ``ray`` costs beside the built-in loop: distinct questions that are answered at once.

    python benchmarks/engines.py [--sizes 10000 50000] [--engines local ray] [--answers noop]

Each row is a whole process on this machine, the first one of a size with nothing cached: wall, CPU and peak
memory of the harness itself, without Ray's processes and its workers, sampled five times a second. A row
replaces the one that ``engines.json`` holds of the same engine, size and kind of answer.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from pathlib import Path

from bench import HARNESS, HERE, parser, read_result, write_result
from jobs import ANSWERS, write_job

RESULT = HERE / "engines.json"
_TICKS = os.sysconf("SC_CLK_TCK")


def measured(engine: str, folder: Path, answers: str) -> dict[str, float]:
    """Run the job in a folder once with an engine; raises SystemExit where the run fails."""
    out = folder / f"run-{engine}"
    command = [*HARNESS, "run", "--quiet", "--engine", engine, "--out", str(out), "--corpus", "docs"]
    command += ["--questions", "questions.csv", "--pipeline", "job.py:answer"]
    variables = {
        "RAGHARNESS_CACHE": str(folder / "cache"),
        "JOB_INPUT": "input.jsonl",
        "JOB_ANSWERS": answers,
    }
    cost: dict[str, float] = {}
    begin = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=folder, env={**os.environ, **variables}, stdout=subprocess.DEVNULL
    )
    while process.poll() is None:
        cost = _usage(process.pid) or cost
        time.sleep(0.2)
    if process.returncode not in (0, 2):
        raise SystemExit(f"{command} ended with {process.returncode}")
    records = sum(1 for _ in (out / "records.jsonl").open("rb"))
    return {"wall": time.perf_counter() - begin, **cost, "records": records}


def _usage(process: int) -> dict[str, float]:
    """CPU seconds and peak megabytes of one process so far, without its children; {}: it has ended."""
    try:
        times = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        peak = Path(f"/proc/{process}/status").read_text().partition("VmHWM:")[2].split()
    except OSError:
        return {}
    return {"cpu": (int(times[11]) + int(times[12])) / _TICKS, "peak_mb": int(peak[0]) / 1024} if peak else {}


def main() -> None:
    """Measure, print each row, and keep it."""
    arguments = parser(__doc__)
    arguments.add_argument("--sizes", type=int, nargs="+", default=[10_000, 50_000])
    arguments.add_argument("--engines", nargs="+", default=["local", "ray"])
    arguments.add_argument("--answers", choices=ANSWERS, default="noop")
    options = arguments.parse_args()
    for size in options.sizes:
        with tempfile.TemporaryDirectory() as name:
            write_job(folder := Path(name) / "job", size, options.answers)
            for engine in options.engines:
                row = {
                    key: round(value, 3) for key, value in measured(engine, folder, options.answers).items()
                }
                print(options.answers, size, engine, row, flush=True)
                write_result(RESULT, read_result(RESULT) | {f"{options.answers} {size} {engine}": row})


if __name__ == "__main__":
    main()
