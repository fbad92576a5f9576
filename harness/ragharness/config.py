"""``RunConfig``: what a run can be told; each option declared once, for Python and the command line."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragharness.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

DEFAULT_SIZE = 130
DEFAULT_SEED = 20261121
"""Any number would do; this one made the frozen sets."""
DEFAULT_WORDS = 120
"""Words (runs between blanks) that a passage aims at."""
RETRIES = 4
"""Further attempts where a call failed in passing."""
_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def _option(default: Any, help: str, *, flag: str = "", metavar: str = "", under: str = "") -> Any:  # noqa: A002
    """Return a field that is an option; ``flag``: another name of it, ``under``: the heading it begins."""
    return field(default=default, metadata={"help": help, "flag": flag, "metavar": metavar, "under": under})


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """The options of a run."""

    corpus: str | Path = _option(
        "sample", "A corpus of the list, or a folder of yours.", under="Which questions"
    )
    split: str = _option("", "Which split; the corpus' default when left out.")
    subset: str = _option(
        "", "How many documents of a large corpus; its own choice if left out.", metavar="N|all"
    )
    source: str = _option(
        "",
        "A folder, zip, JSON file or URL to read the corpus from instead.",
        flag="--from",
        metavar="PATH|URL",
    )
    questions: str | Path | None = _option(
        None, "Questions of yours: CSV, JSONL, or a frozen set.", metavar="FILE"
    )
    size: int = _option(DEFAULT_SIZE, "Questions; the proportions stay.")
    seed: int = _option(DEFAULT_SEED, "Another one chooses other questions.")
    only: tuple[str, ...] = _option((), "Ask these questions alone; may be repeated.", metavar="ID,...")
    limit: int = _option(0, "Ask so many of them, the rows in proportion; 0: all.")
    sample_seed: int = _option(0, "Another one takes others under --limit.")
    epochs: int = _option(1, "Ask each question N times; every answer counts.", metavar="N")
    pipeline: str | Callable[..., Any] = _option(
        "extractive",
        "pkg.mod:attr, path/file.py:attr, http(s)://HOST/PATH, cmd:COMMAND, replay:FILE, llm, or a"
        " reference: extractive, blind, refuse, scripted:FILE.",
        under="Pipeline",
    )
    pipeline_option: tuple[str, ...] = _option(
        (), "A setting of the pipeline; may be repeated.", metavar="NAME=VALUE"
    )
    model: str = _option("", "Short for --pipeline-option model=...")
    base_url: str = _option("", "Short for --pipeline-option base-url=...", metavar="URL")
    no_cache: bool = _option(False, "Short for --pipeline-option cache=no.")
    retriever: str | Callable[..., Any] = _option(
        "bm25", "bm25, dense, hybrid, null, oracle, or your own pkg.mod:attr.", under="Retrieval"
    )
    retriever_option: tuple[str, ...] = _option(
        (), "A setting of the retriever; may be repeated.", metavar="NAME=VALUE"
    )
    k: int = _option(5, "Passages to retrieve.", flag="--k")
    passage_words: int = _option(DEFAULT_WORDS, "Words that a passage aims at.")
    grader: str = _option("rules", "The grader to use.", under="Grading")
    concurrency: int = _option(8, "Questions that are asked at the same time.", under="Limits")
    timeout: float = _option(60.0, "Seconds after which a call is given up.")
    retries: int = _option(RETRIES, "Further calls where one failed in passing (429, 5xx, cut off).")
    retry_errors: bool = _option(False, "Ask again what ended in an error or a time-out.")
    rpm: float | None = _option(None, "Calls a minute at most, evenly, over all workers.", metavar="N")
    max_cost: float | None = _option(
        None, "Ask nothing more once the whole run has cost so much.", metavar="USD"
    )
    max_time: str = _option("", "Ask nothing more after 90s, 30m or 2h.", metavar="TIME")
    isolate: bool = _option(False, "Run a pipeline of your own in processes that may hang or die.")
    offline: bool = _option(False, "Fetch nothing, ask no service elsewhere.")
    out: str | Path | None = _option(
        None, "The run folder; default: runs/<time>_...", metavar="FOLDER", under="Output"
    )
    fresh: bool = _option(False, "Start anew even if an unfinished run could go on.")
    tag: tuple[str, ...] = _option(
        (), "A name kept with the run and its folder; may be repeated.", metavar="NAME"
    )

    def __post_init__(self) -> None:
        """Raise UsageError for a value that cannot be meant; one text stands for a list of one."""
        for each in fields(self):
            value = getattr(self, each.name)
            if str(each.type).startswith("tuple"):
                several = (value,) if isinstance(value, str) else tuple(value or ())
                object.__setattr__(self, each.name, several)
        for name, least in (
            ("k", 1), ("passage_words", 1), ("concurrency", 1), ("size", 1), ("epochs", 1),
            ("limit", 0), ("retries", 0),
        ):  # fmt: skip
            if getattr(self, name) < least:
                found = getattr(self, name)
                raise UsageError(f"expected {flag_of(name)} to be at least {least}, found {found}")
        if not all(map(str.strip, self.tag)):
            raise UsageError("expected --tag NAME, found an empty one")
        for name in ("rpm", "max_cost"):
            most = getattr(self, name)
            if most is not None and not 0 < most < math.inf:
                raise UsageError(f"expected {flag_of(name)} to be a number above 0, found {most:g}")
        if not 0 < self.timeout < math.inf:
            raise UsageError(f"expected --timeout to be a number of seconds above 0, found {self.timeout:g}")

    @property
    def part(self) -> str:
        """A split and how much of it, as the one name that a corpus knows it by."""
        return f"{self.split}:{self.subset}" if self.subset else self.split

    @property
    def pipeline_options(self) -> tuple[str, ...]:
        """Every setting of the pipeline as ``name=value``."""
        short = {"model": self.model, "base-url": self.base_url, "cache": "no" if self.no_cache else ""}
        return (*self.pipeline_option, *(f"{name}={value}" for name, value in short.items() if value))

    @property
    def seconds(self) -> float | None:
        """The seconds of ``max_time``; None: as long as it takes."""
        return seconds_of(self.max_time) if self.max_time else None


def flag_of(name: str) -> str:
    """Return an option's name on the command line."""
    declared = {each.name: each.metadata["flag"] for each in fields(RunConfig)}
    return declared.get(name) or f"--{name.replace('_', '-')}"


def seconds_of(text: str) -> float:
    """Return the seconds of ``90``, ``90s``, ``30m``, ``2h`` or ``1d``; raises UsageError."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smhd]?)", text.strip().lower())
    if found is None or float(found[1]) <= 0:
        raise UsageError(f"expected --max-time as 90s, 30m or 2h, found {text!r}")
    return float(found[1]) * _UNITS[found[2]]
