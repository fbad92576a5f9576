"""Options of a run, declared once for Python and the command line."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, get_args

from ragharness.errors import UsageError
from ragharness.records import MOST_EPOCHS, Citations

DEFAULT_SIZE = 130
DEFAULT_SEED = 20261121  # arbitrary; the frozen sets were made with it
DEFAULT_WORDS = 120  # target passage length in words (split at whitespace)
MAX_FAILURES = 10
_MOST = 2**53  # above it, numbers do not fit their sums
RETRIES = 4  # retries after a transient failure of a call
ENGINES = ("local", "ray")
_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def _option(default: Any, help: str, *, flag: str = "", metavar: str = "", **more: Any) -> Any:  # noqa: A002
    """Field of an option: ``flag`` if its name differs, heading ``under``, bounds ``least`` and ``most``."""
    metadata = {"help": help, "flag": flag, "metavar": metavar, "under": "", "most": _MOST, **more}
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """The options of a run."""

    corpus: str | Path = _option(
        "sample", "A listed corpus, or a folder of your documents.", under="Questions"
    )
    split: str = _option("", "Split to use (default: set by the corpus).")
    subset: str = _option(
        "", "Documents to read from a large corpus (default: set by the corpus).", metavar="N|all"
    )
    source: str = _option(
        "",
        "Read the corpus from this folder, zip, JSON file or URL instead.",
        flag="--from",
        metavar="PATH|URL",
    )
    questions: str | Path | None = _option(
        None, "Your own questions: CSV, JSONL, or a frozen question set.", metavar="FILE"
    )
    size: int = _option(DEFAULT_SIZE, "Number of questions; the row proportions are kept.", least=1)
    seed: int = _option(DEFAULT_SEED, "Seed for building the question set.")
    only: tuple[str, ...] = _option((), "Ask only these questions; repeatable.", metavar="ID,...")
    limit: int = _option(0, "Ask only N questions, keeping the row proportions (0: all).", least=0)
    sample_seed: int = _option(0, "Seed for the --limit sample.")
    epochs: int = _option(
        1, "Ask each question N times; every answer counts.", metavar="N", least=1, most=MOST_EPOCHS
    )
    pipeline: str | Callable[..., Any] = _option(
        "extractive",
        "pkg.mod:attr, path/file.py:attr, http(s)://HOST/PATH, cmd:COMMAND, replay:FILE, llm, or a"
        " reference generator: extractive, blind, refuse, scripted:FILE.",
        under="Pipeline",
    )
    pipeline_option: tuple[str, ...] = _option((), "Pipeline setting; repeatable.", metavar="NAME=VALUE")
    model: str = _option("", "Short for --pipeline-option model=...")
    base_url: str = _option("", "Short for --pipeline-option base-url=...", metavar="URL")
    no_cache: bool = _option(False, "Short for --pipeline-option cache=no.")
    retriever: str | Callable[..., Any] = _option(
        "fields",
        "fields, bm25, dense, hybrid, opensearch, qdrant, pgvector, null, oracle, or your own pkg.mod:attr.",
        under="Retrieval",
    )
    retriever_option: tuple[str, ...] = _option((), "Retriever setting; repeatable.", metavar="NAME=VALUE")
    rerank: str = _option(
        "", "Cross-encoder that reorders the first 50 passages of the retriever.", metavar="NAME|PATH"
    )
    k: int = _option(5, "Passages to retrieve per question.", flag="--k", least=1)
    passage_words: int = _option(DEFAULT_WORDS, "Target passage length in words.", least=1)
    grader: str = _option(
        "rules",
        "rules, nli, judge, human or your own pkg.mod:attr; several, separated by commas: the first that can"
        " decide does. AXIS=NAME gives an axis another one.",
        metavar="NAME,...",
        under="Grading",
    )
    grader_option: tuple[str, ...] = _option(
        (), "Setting of a grader, such as judge.model=NAME; repeatable.", metavar="GRADER.NAME=VALUE"
    )
    confirm: str = _option(
        "",
        "Grader (judge) that is asked about every correct, unsupported and yes-or-no answer, too; where it"
        " differs, the answer needs review.",
        metavar="NAME",
    )
    all_graders: bool = _option(False, "Ask every grader of the chain; the first that can decide still does.")
    citations: Citations = _option(
        "auto",
        "What supports an answer: auto, what it cites by any name (if no answer of the run cites, what was"
        " retrieved for it); retrieved, what was retrieved for it; passage, passages that it cites by id.",
        metavar="auto|retrieved|passage",
    )
    concurrency: int = _option(8, "Questions asked in parallel.", under="Limits", least=1)
    timeout: float = _option(60.0, "Seconds before a call times out.")
    retries: int = _option(RETRIES, "Retries after a transient failure (429, 5xx, lost connection).", least=0)
    retry_errors: bool = _option(False, "Ask questions again that ended in an error or a time-out.")
    max_failures: int = _option(
        MAX_FAILURES, "Stop if the first N calls all fail alike (0: never).", metavar="N", least=0
    )
    rpm: float | None = _option(
        None, "Maximum calls per minute over all workers, evenly spaced.", metavar="N"
    )
    max_cost: float | None = _option(
        None, "Stop asking once the whole run has cost this much.", metavar="USD"
    )
    max_time: str = _option("", "Stop asking after this long, such as 90s, 30m or 2h.", metavar="TIME")
    engine: str = _option(
        "local",
        "Where your pipeline and the grading run: local, or ray, workers of a Ray cluster.",
        metavar="local|ray",
    )
    engine_option: tuple[str, ...] = _option(
        (), "Setting of the engine, such as address=HOST:PORT; repeatable.", metavar="NAME=VALUE"
    )
    isolate: bool = _option(False, "Run your pipeline in separate processes: a crash costs one answer.")
    offline: bool = _option(False, "Use no network: download nothing, call no remote service.")
    out: str | Path | None = _option(
        None, "Run folder (default: runs/<time>_...).", metavar="FOLDER", under="Output"
    )
    fresh: bool = _option(False, "Start a new run even if an unfinished one could be continued.")
    tag: tuple[str, ...] = _option(
        (), "Label stored with the run and added to its folder name; repeatable.", metavar="NAME"
    )

    def __post_init__(self) -> None:
        """Raise UsageError for an invalid value; a single string becomes a list of one."""
        for option in fields(self):
            value, least = getattr(self, option.name), option.metadata.get("least")
            if str(option.type).startswith("tuple"):
                values = (value,) if isinstance(value, str) else tuple(value or ())
                object.__setattr__(self, option.name, values)
            elif least is not None and value < least:
                raise UsageError(f"{flag_of(option.name)} must be at least {least}, not {value}")
            elif least is not None and value > option.metadata["most"]:
                raise UsageError(f"{flag_of(option.name)} must be at most {option.metadata['most']}")
        if self.citations not in get_args(Citations):
            raise UsageError(f"--citations is {', '.join(get_args(Citations))}, not {self.citations!r}")
        if self.engine not in ENGINES:
            raise UsageError(f"--engine is {' or '.join(ENGINES)}, not {self.engine!r}")
        if self.isolate and self.engine != "local":
            message = f"--isolate and --engine {self.engine} exclude each other"
            raise UsageError(message, help="drop --isolate: each worker is a process of its own")
        if self.engine_option and self.engine == "local":
            raise UsageError("--engine-option needs --engine ray")
        if not all(map(str.strip, self.tag)):
            raise UsageError("--tag needs a name that is not empty")
        # Below that a pause is longer than any clock can wait.
        for name, lowest in (("rpm", 1e-6), ("max_cost", 0.0)):
            limit = getattr(self, name)
            if limit is not None and not lowest < limit < math.inf:
                above = lowest if limit > 0 else 0
                raise UsageError(f"{flag_of(name)} must be a number above {above:g}, not {limit:g}")
        if not 0 < self.timeout < math.inf:
            raise UsageError(f"--timeout must be a number of seconds above 0, not {self.timeout:g}")

    @property
    def part(self) -> str:
        """The split and subset as the one name that a corpus uses: ``split:subset``."""
        return f"{self.split}:{self.subset}" if self.subset else self.split

    @property
    def pipeline_options(self) -> tuple[str, ...]:
        """Every setting of the pipeline as ``name=value``."""
        short = {"model": self.model, "base-url": self.base_url, "cache": "no" if self.no_cache else ""}
        return (*self.pipeline_option, *(f"{name}={value}" for name, value in short.items() if value))

    @property
    def seconds(self) -> float:
        """``max_time`` in seconds."""
        return seconds_of(self.max_time) if self.max_time else math.inf


def flag_of(name: str) -> str:
    """The name of an option on the command line."""
    flags = {option.name: option.metadata["flag"] for option in fields(RunConfig)}
    return flags.get(name) or f"--{name.replace('_', '-')}"


def seconds_of(text: str) -> float:
    """Seconds of ``90``, ``90s``, ``30m``, ``2h`` or ``1d``; raises UsageError."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smhd]?)", text.strip().lower())
    if match is None or float(match[1]) <= 0:
        raise UsageError(f"--max-time is written as 90s, 30m or 2h, not {text!r}")
    return float(match[1]) * _UNITS[match[2]]
