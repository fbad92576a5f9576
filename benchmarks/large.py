"""Large corpora: the word index of a million passages, and folders of 10,000 and 50,000 files.

    python benchmarks/large.py [--passages 1000000] [--built 10000] [--own 50000]

The passages are 60 words drawn by Zipf's law from a million invented ones, twelve to a title. The files hold
about 3 kB each: paragraphs of the sample corpus in another order, half of them with every fifth word
replaced; one file in fifty repeats another but for a word. Every row is a process of its own; seconds are
of the processor.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import HARNESS, HERE, parser, process_cost, read_result, write_result
from ragharness.corpus.loading import load_corpus
from ragharness.corpus.passages import PassageSet
from ragharness.records import Passage
from ragharness.retrievers import bm25, fields

RESULT = HERE / "large.json"
WORDS = 60
VOCABULARY = 1_000_000
BATCH = 20_000
PARAGRAPHS = 9
QUERIES = 130
RETRIEVERS = {"bm25": bm25, "fields": fields}
_SYLLABLES = [f"{consonant}{vowel}" for consonant in "bcdfgklmnprstvz" for vowel in "aeiou"]


def word(rank: int) -> str:
    """Word of a rank; frequent ones are short."""
    syllables = _SYLLABLES[rank % 75]
    while rank := rank // 75:
        syllables += _SYLLABLES[rank % 75]
    return syllables


def zipf() -> NDArray[np.float64]:
    """How often a word of each rank or a lower one is used (Mandelbrot's form of Zipf's law)."""
    weights = 1 / (np.arange(VOCABULARY) + 2.7) ** 1.07
    cumulated: NDArray[np.float64] = np.cumsum(weights) / weights.sum()
    return cumulated


def made_passages(count: int) -> PassageSet:
    """That many passages, the same at every call."""
    draw, shares, words = np.random.default_rng(7), zipf(), [word(rank) for rank in range(VOCABULARY)]
    texts = (
        " ".join([words[rank] for rank in row])
        for _ in range(0, count, BATCH)
        for row in np.searchsorted(shares, draw.random(BATCH * WORDS)).reshape(BATCH, WORDS).tolist()
    )
    passages = []
    for number, text in enumerate(islice(texts, count)):
        document = number // 12
        title = f"Report {document} of {words[12 * document % 5003]}"
        name = f"d{document}"
        passages.append(Passage(f"{name}#{number % 12 + 1}", name, title, 0, len(text), text))
    return PassageSet(tuple(passages), 120)


def queries() -> list[str]:
    """Queries of ten words: a few very frequent, most of them rare."""
    ranks = np.searchsorted(zipf(), np.random.default_rng(11).random(QUERIES * 10))
    return [" ".join(map(word, row)) for row in ranks.reshape(-1, 10).tolist()]


def index_cost(name: str, count: int, cache: Path) -> dict[str, float]:
    """Cost of an index, built where the cache has none and else loaded, and of a query."""
    passages, texts = made_passages(count), queries()
    key = _cpu(lambda: passages.key)
    for _ in range(3 if cache.is_dir() else 1):
        begin = time.process_time()
        retriever = RETRIEVERS[name].build(passages, None, cache)
        seconds = time.process_time() - begin
    first, again = (_cpu(lambda: [retriever.retrieve(text, 5) for text in texts]) for _ in range(2))
    return {
        "seconds": seconds,
        "key_seconds": key,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "disk_megabytes": sum(file.stat().st_size for file in cache.iterdir()) / 1e6,
        "query_milliseconds_first": 1000 * first / len(texts),
        "query_milliseconds": 1000 * again / len(texts),
    }


def _cpu(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def write_files(folder: Path, count: int) -> None:
    """Write the files of a folder, a thousand to a subfolder."""
    draw, text = Random(3), ""
    lines = [line for document in load_corpus("sample").documents for line in document.text.split("\n")]
    lines = [line for line in lines if len(line.split()) > 25]
    for number in range(count):
        if number % 50 != 1:
            text = "\n\n".join(_edited(line, draw) for line in draw.sample(lines, PARAGRAPHS))
        path = folder / f"part{number // 1000}" / f"report{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        ending = f"\n\nEnd of {word(draw.randrange(VOCABULARY))}."
        path.write_text(f"Report {number} of {word(number)}\n\n{text}{ending}\n", encoding="utf-8")


def _edited(line: str, draw: Random) -> str:
    """Line, half of the time with every fifth word replaced."""
    if draw.random() < 0.5:
        return line
    words = line.split(" ")
    for start in range(0, len(words), 5):
        position = min(len(words) - 1, start + draw.randrange(5))
        if words[position].isdigit():
            words[position] = str(draw.randrange(2, 9999))
        elif words[position].isalpha():
            words[position] = word(draw.randrange(5000))
    return " ".join(words)


def write_table(folder: Path, table: Path) -> None:
    """Write 130 questions, each with a quotation of a file for its evidence."""
    files, rows = sorted(folder.rglob("*.txt")), []
    for number in range(QUERIES):
        file = files[number * len(files) // QUERIES]
        line = file.read_text(encoding="utf-8").split("\n\n")[2]
        words = line.split()
        answer = next((word for word in words if word.isdigit()), words[3])
        question = f"What does report {number} say of {' '.join(words[5:15])}?"
        rows.append({"question": question, "answer": answer, "evidence": line, "document": file.stem})
    table.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def index_rows(home: Path, count: int) -> None:
    """Measure the indexes, built and loaded, each in a process of its own."""
    for name in RETRIEVERS if count else ():
        for state in ("built", "loaded"):
            arguments = ["--index", name, "--state", state, "--passages", str(count)]
            process_cost([sys.executable, __file__, *arguments, "--cache", str(home / name)], home)


def folder_rows(home: Path, kind: str, count: int) -> None:
    """Measure whole runs over a folder: the first one, one with all in the cache, one after a change."""
    folder, table, cache = home / kind, home / "own.jsonl", {"RAGHARNESS_CACHE": str(home / "cache")}
    write_files(folder, count)
    write_table(folder, table)
    questions = ["--questions", str(table)] if kind == "own" else []
    command = [*HARNESS, "run", "--corpus", str(folder), *questions, "--quiet", "--offline"]
    for state in ("first", "cached", "one file changed"):
        if state == "one file changed":
            if kind == "built":
                break
            (folder / "part0" / "report7.txt").write_text(
                "One file that has changed since.\n", encoding="utf-8"
            )
        cost = process_cost(command, home, cache)
        row = {"files": count, "seconds": cost.cpu, "wall_seconds": cost.wall, "megabytes": cost.peak_mb}
        store(f"questions {kind}, {state}", row)
    shutil.rmtree(folder)


def store(name: str, row: dict[str, Any]) -> None:
    """Print a row and put it into the result."""
    row = {key: round(value, 3) for key, value in row.items()}
    print(name, row, flush=True)
    write_result(RESULT, read_result(RESULT) | {name: row})


def main() -> None:
    """Measure what is asked for, and write it over what the file held before."""
    arguments = parser(__doc__)
    arguments.add_argument("--passages", type=int, default=1_000_000)
    arguments.add_argument("--built", type=int, default=10_000)
    arguments.add_argument("--own", type=int, default=50_000)
    for name in ("index", "state", "cache"):
        arguments.add_argument(f"--{name}", default="", help=argparse.SUPPRESS)
    options = arguments.parse_args()
    if options.index:
        row = index_cost(options.index, options.passages, Path(options.cache))
        store(f"{options.index} {options.state}", {"passages": options.passages, **row})
        return
    with tempfile.TemporaryDirectory() as home:
        index_rows(Path(home), options.passages)
        for kind in ("built", "own"):
            if count := getattr(options, kind):
                folder_rows(Path(home), kind, count)


if __name__ == "__main__":
    main()
