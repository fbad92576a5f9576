"""Large corpora: the word index of a million passages, and folders of 10,000 and 50,000 files.

    python benchmarks/large.py [--passages 1000000] [--built 10000] [--own 50000] [--out FILE]

The passages are 60 words drawn by Zipf's law from a million invented ones, twelve to a title. The files hold
about 3 kB each: paragraphs of the sample corpus in another order, half of them with every fifth word
replaced; one file in fifty is another one with a word changed. All is made in a temporary folder. Every row
is a process of its own; seconds are of the processor (user and system), the wall clock's stand beside them.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from ragharness.corpus.loading import load_corpus
from ragharness.corpus.passages import PassageSet
from ragharness.records import Passage
from ragharness.retrievers import bm25, fields

if TYPE_CHECKING:
    from numpy.typing import NDArray

HERE = Path(__file__).resolve()
WORDS = 60
VOCABULARY = 1_000_000
BATCH = 20_000
PARAGRAPHS = 9
QUERIES = 130
RETRIEVERS = {"bm25": bm25, "fields": fields}
_SYLLABLES = [f"{one}{other}" for one in "bcdfgklmnprstvz" for other in "aeiou"]


def word(rank: int) -> str:
    """Return the word of a rank; frequent ones are short."""
    said = _SYLLABLES[rank % 75]
    while rank := rank // 75:
        said += _SYLLABLES[rank % 75]
    return said


def drawn(draw: np.random.Generator, count: int, shares: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return ranks of words, drawn by their shares."""
    return np.searchsorted(shares, draw.random(count))


def shares() -> NDArray[np.float64]:
    """Return how often a word of each rank or a lower one is said (Mandelbrot's form of Zipf's law)."""
    weights = 1 / (np.arange(VOCABULARY) + 2.7) ** 1.07
    summed: NDArray[np.float64] = np.cumsum(weights) / weights.sum()
    return summed


def passages(count: int) -> PassageSet:
    """Return that many passages, the same at every call."""
    draw, known, spoken = np.random.default_rng(7), shares(), [word(rank) for rank in range(VOCABULARY)]

    def texts() -> Iterator[str]:
        for _ in range(0, count, BATCH):
            for row in drawn(draw, BATCH * WORDS, known).reshape(BATCH, WORDS).tolist():
                yield " ".join([spoken[rank] for rank in row])

    made = []
    for number, text in zip(range(count), texts(), strict=False):
        if number % 12 == 0:
            title = f"Report {number // 12} of {spoken[number % 5003]}"
        made.append(
            Passage(f"d{number // 12}#{number % 12 + 1}", f"d{number // 12}", title, 0, len(text), text)
        )
    return PassageSet(tuple(made), 120)


def queries() -> list[str]:
    """Return queries of ten words: a few very frequent, most of them rare."""
    draw, known = np.random.default_rng(11), shares()
    return [" ".join(map(word, row)) for row in drawn(draw, QUERIES * 10, known).reshape(-1, 10).tolist()]


def index(name: str, count: int, cache: Path) -> dict[str, float]:
    """Return what an index costs: built where the cache has none, else loaded; and a query of it."""
    made = passages(count)
    before = _peak()
    key = _timed(lambda: made.key)
    retriever, ready = None, {}
    for _ in range(3):
        begin, wall = time.process_time(), time.perf_counter()
        retriever = RETRIEVERS[name].build(made, None, cache)
        ready = {"seconds": time.process_time() - begin, "wall_seconds": time.perf_counter() - wall}
        if not _CACHED:
            break
    assert retriever is not None
    asked = queries()
    peak = _peak()
    first = _timed(lambda: [retriever.retrieve(each, 5) for each in asked])
    again = _timed(lambda: [retriever.retrieve(each, 5) for each in asked])
    return {
        **ready,
        "key_seconds": key,
        "passages_megabytes": before,
        "ready_megabytes": peak,
        "megabytes": _peak(),
        "disk_megabytes": sum(each.stat().st_size for each in cache.iterdir()) / 1e6,
        "query_milliseconds_first": 1000 * first / len(asked),
        "query_milliseconds": 1000 * again / len(asked),
    }


_CACHED = bool(os.environ.get("LARGE_CACHED"))


def _timed(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def _peak() -> float:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def write_files(folder: Path, count: int) -> None:
    """Write the files of a folder, a thousand to a subfolder."""
    draw = Random(3)
    known = [
        line
        for each in load_corpus("sample").documents
        for line in each.text.split("\n")
        if len(line.split()) > 25
    ]
    text = ""
    for number in range(count):
        if number % 50 != 1:
            text = "\n\n".join(_edited(line, draw) for line in draw.sample(known, PARAGRAPHS))
        place = folder / f"part{number // 1000}" / f"report{number}.txt"
        place.parent.mkdir(parents=True, exist_ok=True)
        ending = f"\n\nEnd of {word(draw.randrange(VOCABULARY))}."
        place.write_text(f"Report {number} of {word(number)}\n\n{text}{ending}\n", encoding="utf-8")


def _edited(line: str, draw: Random) -> str:
    if draw.random() < 0.5:
        return line
    said = line.split(" ")
    for place in range(0, len(said), 5):
        at = min(len(said) - 1, place + draw.randrange(5))
        old = said[at]
        said[at] = (
            str(draw.randrange(2, 9999))
            if old.isdigit()
            else word(draw.randrange(5000))
            if old.isalpha()
            else old
        )
    return " ".join(said)


def write_table(folder: Path, table: Path) -> None:
    """Write 130 questions, each with a quotation of a file for its evidence."""
    rows = []
    files = sorted(folder.rglob("*.txt"))
    for number in range(QUERIES):
        file = files[number * len(files) // QUERIES]
        line = file.read_text(encoding="utf-8").split("\n\n")[2]
        figure = next((each for each in line.split() if each.isdigit()), line.split()[3])
        rows.append(
            {
                "question": f"What does report {number} say of {' '.join(line.split()[5:15])}?",
                "answer": figure,
                "evidence": line,
                "document": file.stem,
            }
        )
    table.write_text("".join(json.dumps(each) + "\n" for each in rows), encoding="utf-8")


def command(arguments: list[str], folder: Path) -> dict[str, float]:
    """Return seconds and memory of a run of the harness in a process of its own."""
    program = "import sys; sys.argv[0] = 'ragharness'; from ragharness.cli import main; main()"
    return _process([sys.executable, "-c", program, *arguments], folder)


def _process(words: list[str], folder: Path, **more: str) -> dict[str, float]:
    begin = time.perf_counter()
    cache = str(folder / "cache")
    variables = {**os.environ, "RAGHARNESS_CACHE": cache, **more}
    child = subprocess.Popen(words, cwd=folder, env=variables, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return {
        "exit_code": child.returncode,
        "seconds": used.ru_utime + used.ru_stime,
        "wall_seconds": time.perf_counter() - begin,
        "megabytes": used.ru_maxrss / 1024,
    }


def measured(options: argparse.Namespace, home: Path) -> dict[str, Any]:
    """Return every row that was asked for."""
    found: dict[str, Any] = {}
    for name in RETRIEVERS if options.passages else ():
        for state in ("built", "loaded"):
            out = home / "index.json"
            words = [sys.executable, str(HERE), "--index", name, "--passages", str(options.passages)]
            words += ["--out", str(out), "--cache", str(home / f"index-{name}")]
            _process(words, home, **({"LARGE_CACHED": "1"} if state == "loaded" else {}))
            found[f"{name} {state}"] = {"passages": options.passages, **json.loads(out.read_text())}
            _say(found)
        shutil.rmtree(home / f"index-{name}")
    for what, count in (("built", options.built), ("own", options.own)):
        if not count:
            continue
        folder, table = home / "files", home / "own.jsonl"
        write_files(folder, count)
        own = ["--questions", str(table)] if what == "own" else []
        write_table(folder, table)
        run = ["run", "--corpus", str(folder), *own, "--quiet", "--offline"]
        for state in ("first", "cached"):
            found[f"questions {what}, {state}"] = {"files": count, **command(run, home)}
            _say(found)
        (folder / "part0" / "report7.txt").write_text("One file that has changed since.\n", encoding="utf-8")
        if own:
            found[f"questions {what}, one file changed"] = {"files": count, **command(run, home)}
            _say(found)
        shutil.rmtree(folder)
    return found


def _say(found: dict[str, Any]) -> None:
    name = list(found)[-1]
    print(name, {key: round(value, 3) for key, value in found[name].items()}, flush=True)


def main() -> None:
    """Measure, and write what was asked for over what the file held before."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--passages", type=int, default=1_000_000)
    parser.add_argument("--built", type=int, default=10_000)
    parser.add_argument("--own", type=int, default=50_000)
    parser.add_argument("--out", type=Path, default=HERE.with_suffix(".json"))
    parser.add_argument("--index", default="", help="one index alone, in this very process")
    parser.add_argument("--cache", type=Path, default=Path("index"))
    options = parser.parse_args()
    if options.index:
        rows: dict[str, Any] = dict(index(options.index, options.passages, options.cache))
    else:
        rows = json.loads(options.out.read_text()) if options.out.is_file() else {}
        with tempfile.TemporaryDirectory() as name:
            rows.update(measured(options, Path(name)))
    rows = json.loads(json.dumps(rows), parse_float=lambda number: round(float(number), 3))
    options.out.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
