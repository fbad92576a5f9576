"""Options that several verbs share, as ``RunConfig`` declares them, and what the shell offers for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import typer

from ragharness.config import RunConfig, flag_of
from ragharness.errors import UsageError


def modules(kind: str, folder: str) -> list[str]:
    """Return the names of a kind, ours in a folder of the package and published ones; nothing is imported."""
    from ragharness.support import plugins

    return plugins.names(kind, f"ragharness.{folder}")


def _runs() -> list[str]:
    from ragharness.runner.run_search import RUNS

    return sorted((each.parent.name for each in RUNS.glob("*/run.json")), reverse=True)


def _shelf(kind: Any) -> list[str]:
    from ragharness.support import resources

    return resources.names(kind)


_NAMES: dict[str, Callable[[], list[str]]] = {
    "run": _runs,
    "corpus": lambda: _shelf("corpora"),
    "baseline": lambda: _shelf("baselines"),
    "rubric": lambda: _shelf("rubrics"),
    "retriever": lambda: modules("retrievers", "retrievers"),
    "pipeline": lambda: modules("pipelines", "pipelines"),
    "grader": lambda: modules("graders", "graders"),
    "format": lambda: modules("formats", "reports.formats"),
    "metric": lambda: ["all", *modules("derived", "analysis.derived")],
}


def completion(kind: str) -> Callable[[str], list[str]] | None:
    """Return what completes a value of a kind, the last one of ``NAME,NAME``; None: it has no names."""
    names = _NAMES.get(kind)
    if names is None:
        return None

    def offered(incomplete: str) -> list[str]:
        before, comma, begun = incomplete.rpartition(",")
        return [f"{before}{comma}{name}" for name in names() if name.startswith(begun)]

    return offered


_NUMBERS: dict[str, tuple[type, str, str]] = {
    "int": (int, "INTEGER", "a whole number"),
    "float": (float, "FLOAT", "a number"),
}


def option_of(name: str) -> Any:
    """Return the option of a field of ``RunConfig``."""
    declared = next(each for each in fields(RunConfig) if each.name == name)
    told = declared.metadata
    several = isinstance(declared.default, tuple)
    default = None if several else declared.default
    number = _NUMBERS.get(str(declared.type).removesuffix(" | None"))
    return typer.Option(
        default,
        flag_of(name),
        metavar=told["metavar"] or (number[1] if number else None),
        help=told["help"],
        parser=_parser(flag_of(name), *number) if number else None,
        autocompletion=completion(name),
    )


def _parser(flag: str, number: type, _: str, wanted: str) -> Callable[[str], Any]:
    """Return what reads the number of an option; it raises UsageError."""

    def read(text: str) -> Any:
        try:
            return number(text)
        except ValueError:
            raise UsageError(f"expected {wanted} for {flag}, found {text!r}") from None

    return read


def form_of(form: str, *, markdown: bool, as_json: bool, default: str, html: bool = False) -> str:
    """Return the one format that is asked for; raises UsageError for several."""
    shorts = {"markdown": markdown, "json": as_json, "html": html}
    names = {form} - {""} | {name for name, wanted in shorts.items() if wanted}
    if len(names) > 1:
        raise UsageError(f"expected one report format, found {' and '.join(sorted(names))}")
    (name,) = names or {default}
    return name


CORPUS = option_of("corpus")
SPLIT = option_of("split")
SUBSET = option_of("subset")
SOURCE = option_of("source")
QUESTIONS = option_of("questions")
SIZE = option_of("size")
SEED = option_of("seed")
WORDS = option_of("passage_words")
OFFLINE = option_of("offline")
GRADER = option_of("grader")
GRADER_OPTION = option_of("grader_option")
ALL_GRADERS = option_of("all_graders")
CONCURRENCY = option_of("concurrency")
DRY_RUN = typer.Option(
    False, "--dry-run", help="Print the calls, tokens and cost that grading would take, and grade nothing."
)
JSON = typer.Option(False, "--json", help="Print JSON.")
FORM = typer.Option(
    "",
    "--format",
    metavar="NAME",
    help="One of csv, markdown, text, json (default: text).",
)
MARKDOWN = typer.Option(False, "--markdown", help="Short for --format markdown.")
RUN = typer.Argument(
    "",
    metavar="[RUN]",
    help="Run folder, or a part of its name, or a tag (default: the newest).",
    autocompletion=completion("run"),
)
FALSE_CORRECT = typer.Option(
    None,
    "--false-correct",
    metavar="RATE",
    help="Share of 'correct' verdicts that may be false (default: 0.01).",
)
