"""Two small models as generators over a corpus's questions, each with passages and closed book.

    pip install xllamacpp
    python benchmarks/llm.py --corpus NAME --from PATH --large 1.5B.gguf --small 0.5B.gguf
    python benchmarks/llm.py ... --llama-server build/bin/llama-server

Each run is the command line's own, against a llama.cpp server on loopback that this script starts: the
wheel's, or one that was built for this machine, which reads prompts much faster. No answer is taken from a
cache. ``llm.json`` gets the result: wall time, tokens, the buckets, how many open questions got a Yes or No,
and how many answers a word of the prompt's examples; runs that it holds and that are not made again stay.
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

from bench import HARNESS, HERE, parser, read_result, write_result
from ragharness.api import load_run
from ragharness.pipelines.llm_client.prompting import Prompt, load_prompt
from ragharness.results import Run

RESULT = HERE / "llm.json"
_WORD = re.compile(r"[\w,#]*\w")
_YES_OR_NO = re.compile(r"(yes|no)\b")


@contextmanager
def served(model: Path, options: argparse.Namespace) -> Iterator[str]:
    """Serve a model for the length of a block; gives the base URL."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = str(listener.getsockname()[1])
    command = [sys.executable, str(HERE / "llm_server.py"), str(model)]
    if options.llama_server:
        command = [str(options.llama_server), "--model", str(model), "--ctx-size", "4096", "--parallel", "1"]
    command += ["--port", port, "--threads", str(options.threads)]
    command += ["--no-repack"] if options.no_repack else []
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            yield _when_ready(f"http://127.0.0.1:{port}", command)
        finally:
            server.kill()


def _when_ready(host: str, command: list[str]) -> str:
    """Base URL of a server once its model is loaded."""
    for _ in range(600):
        try:
            if httpx.get(f"{host}/health").is_success:
                return f"{host}/v1"
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise SystemExit(f"the server did not start within a minute: run {' '.join(command)} to see why")


def run_figures(url: str, options: argparse.Namespace, model: str, arguments: list[str]) -> dict[str, Any]:
    """Figures of a run of the questions through the model at that URL."""
    source = ["--from", str(options.source)] if options.source else []
    command = [*HARNESS, "run", "--corpus", options.corpus, *source, "--pipeline", "llm", "--model", model]
    command += [
        "--base-url",
        url,
        "--no-cache",
        "--fresh",
        "--json",
        "--concurrency",
        "1",
        "--timeout",
        "300",
    ]
    command += ["--limit", str(options.limit), "--out", "run", *arguments]
    for option in options.option:
        command += ["--pipeline-option", option]
    variables = {**os.environ, **({"RAGHARNESS_CACHE": str(options.cache)} if options.cache else {})}
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        done = subprocess.run(command, cwd=folder, env=variables, stdout=subprocess.PIPE, check=True)
        wall = time.perf_counter() - begin
        slips = slips_of(load_run(Path(folder, "run")))
    scores = json.loads(done.stdout)
    return {
        "command": f"ragharness {' '.join(arguments)}",
        "corpus": options.corpus,
        "questions": scores["asked"],
        "wall_seconds": round(wall, 1),
        "prompt_tokens": scores["spending"]["prompt_tokens"],
        "completion_tokens": scores["spending"]["completion_tokens"],
        "buckets": scores["buckets"],
        "ungraded": scores["ungraded"],
        "as_wanted": scores["desired"]["total"]["count"],
        **slips,
    }


def slips_of(run: Run) -> dict[str, Any]:
    """Prompt, how many open questions got Yes or No, and how many answers hold examples' words."""
    name, _, version = str(run.settings.pipeline_settings["prompt"]).rpartition(" version ")
    marks = example_words(load_prompt(name))
    answers = [
        (result.question.kind, record.answer.text.casefold())
        for result in run.questions.values()
        for record in result.records
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
    """Long words, figures and ids of a prompt's example answers that no instruction has."""
    examples = " ".join(turn.text for turn in prompt.examples if turn.role == "assistant").casefold()
    instructions = _WORD.findall(f"{prompt.system} {prompt.last}".casefold())
    words = _WORD.findall(examples)
    return {word for word in words if len(word) > 3 or not word.isalpha()} - set(instructions)


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--from", dest="source", type=Path, help="source of the corpus, as for run")
    arguments.add_argument("--corpus", default="contractnli")
    arguments.add_argument("--large", type=Path, help="GGUF of the larger model, asked with three passages")
    arguments.add_argument("--small", type=Path, help="GGUF of the smaller model, asked with five passages")
    arguments.add_argument("--limit", type=int, default=0, help="questions; 0: all")
    arguments.add_argument("--passage-words", type=int, default=120, help="size of the passages")
    arguments.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    arguments.add_argument("--llama-server", type=Path, help="a llama-server in place of the wheel's")
    arguments.add_argument("--no-repack", action="store_true", help="of the server: see llm_server.py")
    arguments.add_argument("--cache", type=Path, help="cache folder, so that no index is built meanwhile")
    arguments.add_argument("--option", action="append", default=[], help="a further --pipeline-option")
    options = arguments.parse_args()
    size = str(options.passage_words)
    for model, k in ((options.large, 3), (options.small, 5)):
        if model is None:
            continue
        passages = ["--k", str(k), "--passage-words", size]
        runs = {f"k = {k}, {size} words": passages, "closed book": ["--retriever", "null"]}
        with served(model, options) as url:
            for title, extra in runs.items():
                figures = run_figures(url, options, model.stem, extra)
                server = "llama-server, built for the machine" if options.llama_server else "xllamacpp"
                setup = {"threads": options.threads, "options": options.option, "server": server}
                name = f"{model.stem}, {options.corpus}, {title}, {figures['prompt'].partition(' ')[0]}"
                result = read_result(RESULT)
                result["machine"] = {"python": platform.python_version(), "cores": os.cpu_count()}
                result.setdefault("runs", {})[name] = {**setup, **figures}
                print(name, figures["wall_seconds"], figures["buckets"], flush=True)
                write_result(RESULT, result, indent=2)


if __name__ == "__main__":
    main()
