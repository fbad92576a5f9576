"""Two small models as generators over a corpus's questions, each with passages and closed book.

    pip install xllamacpp
    python benchmarks/llm.py --corpus NAME --from PATH --large 1.5B.gguf --small 0.5B.gguf [--write]
    python benchmarks/llm.py ... --llama-server build/bin/llama-server

Each run is the command line's own, against a llama.cpp server on loopback that this script starts: the
wheel's, or one that was built for this machine, which reads prompts much faster. No answer is taken from a
cache. benchmarks/llm.json gets the result: wall time, tokens, tokens a second, the buckets, how many open
questions got a Yes or No, and how many answers a word of the prompt's examples; runs that it holds and that
are not made again stay.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from ragharness.api import load_run
from ragharness.pipelines.llm_client.prompting import Prompt, load_prompt
from ragharness.results import Run

HERE = Path(__file__).parent
RESULT = HERE / "llm.json"
TEN_MINUTES = 600.0
PROGRAM = "from ragharness.cli import main; main()"
_WORD = re.compile(r"[\w,#]*\w")
_YES_OR_NO = re.compile(r"(yes|no)\b")


@contextmanager
def served(model: Path, chosen: argparse.Namespace) -> Iterator[str]:
    """Serve a model for the length of a block; gives the base URL."""
    options = ["--threads", str(chosen.threads), *(["--no-repack"] if chosen.no_repack else [])]
    if chosen.llama_server is None:
        command = [sys.executable, "-u", str(HERE / "llm_server.py"), str(model), *options]
    else:
        command = [str(chosen.llama_server), "--model", str(model), "--port", str(free_port()), *options]
        command += ["--ctx-size", "4096", "--parallel", "1"]
    told = subprocess.PIPE if chosen.llama_server is None else subprocess.DEVNULL
    with subprocess.Popen(command, stdout=told, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            yield when_ready(command) if server.stdout is None else first_address(server)
        finally:
            server.kill()


def free_port() -> int:
    """Return a port of loopback that nobody listens at."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
        return port


def first_address(server: subprocess.Popen[str]) -> str:
    """Return the base URL that llm_server.py prints first."""
    assert server.stdout is not None
    url = server.stdout.readline().strip()
    assert url.startswith("http"), "the server did not start: run benchmarks/llm_server.py to see why"
    return url


def when_ready(command: list[str]) -> str:
    """Return the base URL of a llama-server once its model is loaded."""
    host = f"http://127.0.0.1:{command[command.index('--port') + 1]}"
    for _ in range(600):
        try:
            if httpx.get(f"{host}/health").is_success:
                return f"{host}/v1"
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise SystemExit(f"the server did not start within a minute: run {' '.join(command)} to see why")


def one_run(url: str, chosen: argparse.Namespace, name: str, words: list[str]) -> dict[str, Any]:
    """Run the questions through the model at that URL; returns its figures."""
    source = ["--from", str(chosen.source)] if chosen.source else []
    command = ["run", "--corpus", chosen.corpus, *source, "--pipeline", "llm"]
    command += ["--model", name, "--base-url", url, "--no-cache", "--fresh", "--json", "--concurrency", "1"]
    command += ["--timeout", "300", "--limit", str(chosen.limit), "--out", "run", *words]
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
        found = figures(json.loads(done.stdout), wall) | slips(load_run(Path(folder, "run")))
    return {"command": f"ragharness {' '.join(words)}", "corpus": chosen.corpus, **found}


def slips(run: Run) -> dict[str, Any]:
    """Return the prompt, how many open questions got Yes or No, and how many answers hold examples' words."""
    name, _, version = str(run.settings.pipeline_settings["prompt"]).rpartition(" version ")
    marks = example_words(load_prompt(name))
    answers = [
        (each.question.kind, record.answer.text.casefold())
        for each in run.questions.values()
        for record in each.records
        if record.answer is not None
    ]
    return {
        "prompt": f"{name} version {version}",
        "yes_or_no_to_open": sum(
            kind != "yesno" and _YES_OR_NO.match(text) is not None for kind, text in answers
        ),
        "words_of_examples": sum(not marks.isdisjoint(_WORD.findall(text)) for _, text in answers),
    }


def example_words(prompt: Prompt) -> set[str]:
    """Return the long words, figures and ids of a prompt's example answers that no instruction has."""
    shown = " ".join(each.text for each in prompt.examples if each.role == "assistant").casefold()
    told = _WORD.findall(f"{prompt.system} {prompt.last}".casefold())
    return {word for word in _WORD.findall(shown) if len(word) > 3 or not word.isalpha()} - set(told)


def figures(scores: dict[str, Any], wall: float) -> dict[str, Any]:
    """Return what is published of a run."""
    spent = scores["spending"]
    tokens = {name: spent[name] for name in ("prompt_tokens", "completion_tokens")}
    rows = {
        row: {name: count for name, count in found.items() if count} for row, found in scores["rows"].items()
    }
    return {
        "questions": scores["asked"],
        "wall_seconds": round(wall, 1),
        "seconds_a_question": round(wall / max(scores["asked"], 1), 2),
        **tokens,
        "tokens_a_second": round(sum(value or 0 for value in tokens.values()) / wall, 1),
        "buckets": scores["buckets"],
        "ungraded": scores["ungraded"],
        "as_wanted": scores["desired"]["total"]["count"],
        "rows": rows,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument(
        "--from", dest="source", type=Path, help="where the corpus is read from, as for the verb run"
    )
    parser.add_argument("--corpus", default="contractnli")
    parser.add_argument("--large", type=Path, help="GGUF of the larger model, asked with three passages")
    parser.add_argument("--small", type=Path, help="GGUF of the smaller model, asked with five passages")
    parser.add_argument("--limit", type=int, default=0, help="questions; 0: all")
    parser.add_argument("--passage-words", type=int, default=120, help="size of the passages")
    parser.add_argument("--runs", choices=("both", "passages", "closed-book"), default="both")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--llama-server", type=Path, help="a llama-server to take instead of the wheel's")
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
        with served(model, chosen) as url:
            size = str(chosen.passage_words)
            asked = {
                "passages": (
                    f"{model.stem}, {chosen.corpus}, k = {k}, {size} words",
                    ["--k", str(k), "--passage-words", size],
                ),
                "closed-book": (f"{model.stem}, {chosen.corpus}, closed book", ["--retriever", "null"]),
            }
            for run, words in asked.values() if chosen.runs == "both" else [asked[chosen.runs]]:
                found = one_run(url, chosen, model.stem, words)
                title = f"{run}, {found['prompt'].partition(' ')[0]}"
                runs[title] = found
                late = " (more than ten minutes)" if found["wall_seconds"] > TEN_MINUTES else ""
                print(f"{title}: {found['wall_seconds']} s{late}, {found['buckets']}", flush=True)
    told = {
        "threads": chosen.threads,
        "options": chosen.option,
        "server": "xllamacpp" if chosen.llama_server is None else "llama-server, built for the machine",
    }
    result = {"machine": machine, "runs": kept | {title: told | found for title, found in runs.items()}}
    print(json.dumps(result, indent=2))
    if chosen.write:
        RESULT.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
