"""Two small models as generators over ContractNLI's questions, each with passages and closed book.

    pip install xllamacpp
    python benchmarks/llm.py --from PATH --large 1.5B.gguf --small 0.5B.gguf [--passage-words N] [--write]

Each run is the command line's own, against a llama.cpp server on loopback that this script starts; nothing is
taken from a cache. benchmarks/llm.json gets the result: wall time, tokens, tokens a second, and the buckets;
runs that it holds and that are not made again stay.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
RESULT = HERE / "llm.json"
TEN_MINUTES = 600.0
PROGRAM = "from ragharness.cli import main; main()"


@contextmanager
def served(model: Path, threads: int, *, repack: bool) -> Iterator[str]:
    """Serve a model for the length of a block; gives the base URL."""
    command = [sys.executable, "-u", str(HERE / "llm_server.py"), str(model), "--threads", str(threads)]
    command += [] if repack else ["--no-repack"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        try:
            url = server.stdout.readline().strip()
            assert url.startswith("http"), "the server did not start: run benchmarks/llm_server.py to see why"
            yield url
        finally:
            server.kill()


def one_run(url: str, chosen: argparse.Namespace, name: str, words: list[str]) -> dict[str, Any]:
    """Run the questions through the model at that URL; returns its figures."""
    command = ["run", "--corpus", "contractnli", "--from", str(chosen.source), "--pipeline", "llm"]
    command += ["--model", name, "--base-url", url, "--no-cache", "--fresh", "--json", "--concurrency", "1"]
    command += ["--timeout", "300", "--limit", str(chosen.limit), *words]
    for option in chosen.option:
        command += ["--pipeline-option", option]
    with tempfile.TemporaryDirectory() as folder:
        kept = {"RAGHARNESS_CACHE": str(chosen.cache)} if chosen.cache else {}
        began = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, *command],
            cwd=folder,
            env={**os.environ, **kept},
            stdout=subprocess.PIPE,
            check=True,
        )
        wall = time.perf_counter() - began
    return {"command": f"ragharness {' '.join(words)}", **figures(json.loads(done.stdout), wall)}


def figures(scores: dict[str, Any], wall: float) -> dict[str, Any]:
    """Return what is published of a run."""
    spent = scores["spending"]
    tokens = {name: spent[name] for name in ("prompt_tokens", "completion_tokens")}
    rows = {
        row: {name: count for name, count in found.items() if count}
        for row, found in scores["by_target"].items()
    }
    return {
        "questions": scores["asked"],
        "wall_seconds": round(wall, 1),
        "seconds_a_question": round(wall / max(scores["asked"], 1), 2),
        **tokens,
        "tokens_a_second": round(sum(value or 0 for value in tokens.values()) / wall, 1),
        "buckets": scores["buckets"],
        "not_graded": scores["not_graded"],
        "as_wanted": scores["wanted"]["total"]["count"],
        "rows": rows,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument(
        "--from", dest="source", type=Path, required=True, help="ContractNLI, as for the verb run"
    )
    parser.add_argument("--large", type=Path, help="GGUF of the larger model, asked with three passages")
    parser.add_argument("--small", type=Path, help="GGUF of the smaller model, asked with five passages")
    parser.add_argument("--limit", type=int, default=0, help="questions; 0: all")
    parser.add_argument("--passage-words", type=int, default=120, help="size of the passages")
    parser.add_argument("--runs", choices=("both", "passages", "closed-book"), default="both")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--no-repack", action="store_true", help="of the server: see llm_server.py")
    parser.add_argument(
        "--cache", type=Path, help="a cache folder, to build no index within the time measured"
    )
    parser.add_argument("--option", action="append", default=[], help="a further --pipeline-option")
    parser.add_argument("--write", action="store_true", help="write benchmarks/llm.json")
    chosen = parser.parse_args()
    machine = {"python": platform.python_version(), "cores": os.cpu_count()}
    kept = json.loads(RESULT.read_text("utf-8"))["runs"] if RESULT.is_file() else {}
    runs: dict[str, Any] = {}
    for model, k in ((chosen.large, 3), (chosen.small, 5)):
        if model is None:
            continue
        with served(model, chosen.threads, repack=not chosen.no_repack) as url:
            size = str(chosen.passage_words)
            asked = {
                "passages": (
                    f"{model.stem}, k = {k}, {size} words",
                    ["--k", str(k), "--passage-words", size],
                ),
                "closed-book": (f"{model.stem}, closed book", ["--retriever", "null"]),
            }
            for title, words in asked.values() if chosen.runs == "both" else [asked[chosen.runs]]:
                runs[title] = found = one_run(url, chosen, model.stem, words)
                late = " (more than ten minutes)" if found["wall_seconds"] > TEN_MINUTES else ""
                print(f"{title}: {found['wall_seconds']} s{late}, {found['buckets']}", flush=True)
    told = {"threads": chosen.threads, "options": chosen.option}
    result = {"machine": machine, "runs": kept | {title: told | found for title, found in runs.items()}}
    print(json.dumps(result, indent=2))
    if chosen.write:
        RESULT.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
