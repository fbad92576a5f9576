"""Options that several verbs share, as ``RunConfig`` declares them, and what the shell offers for them."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

import typer

from ragharness.config import RunConfig, flag_of
from ragharness.errors import StorageError, UsageError
from ragharness.reports.progress import NARROWEST, WIDEST
from ragharness.reports.text import printable

if TYPE_CHECKING:
    from ragharness.analysis.scores import Scores
    from ragharness.reports.text import Section


def modules(kind: str, folder: str) -> list[str]:
    """Names of a kind, ours in a folder of the package and published ones; nothing is imported."""
    from ragharness.support import plugins

    return plugins.names(kind, f"ragharness.{folder}")


def _names(kind: str) -> list[str]:
    """Names of a kind that the shell offers; empty: it has none."""
    if kind == "run":
        from ragharness.runner.run_search import RUNS

        return sorted((path.parent.name for path in RUNS.glob("*/run.json")), reverse=True)
    if kind == "retriever":
        from ragharness.retrievers import retriever_names

        return retriever_names()
    if kind == "pipeline":
        from ragharness.pipelines import pipeline_kinds

        return pipeline_kinds()
    if kind in _SHIPPED:
        from ragharness.support import resources

        return resources.names(_SHIPPED[kind])
    kinds = {"grader": "graders", "format": "reports.formats", "metric": "analysis.derived"}
    names = modules(kinds[kind].rpartition(".")[2], kinds[kind])
    return ["all", *names] if kind == "metric" else names


_SHIPPED: dict[str, Any] = {"corpus": "corpora", "baseline": "baselines", "rubric": "rubrics"}
_NAMED = frozenset({"run", "retriever", "pipeline", "grader", "format", "metric", *_SHIPPED})


def completion(kind: str) -> Callable[[str], list[str]] | None:
    """What completes a value of a kind, the last one of ``NAME,NAME``; None: it has no names."""
    if kind not in _NAMED:
        return None

    def offered(incomplete: str) -> list[str]:
        before, comma, begun = incomplete.rpartition(",")
        return [f"{before}{comma}{name}" for name in _names(kind) if name.startswith(begun)]

    return offered


_NUMBERS: dict[str, tuple[type, str, str]] = {
    "int": (int, "INTEGER", "a whole number"),
    "float": (float, "FLOAT", "a number"),
}


def option_of(name: str) -> Any:
    """Option of a field of ``RunConfig``."""
    field = next(field for field in fields(RunConfig) if field.name == name)
    number = _NUMBERS.get(str(field.type).removesuffix(" | None"))
    return typer.Option(
        None if isinstance(field.default, tuple) else field.default,
        flag_of(name),
        metavar=field.metadata["metavar"] or (number[1] if number else None),
        help=field.metadata["help"],
        parser=_parser(flag_of(name), *number) if number else None,
        autocompletion=completion(name),
    )


def _parser(flag: str, number: type, _: str, kind: str) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        try:
            return number(text)
        except ValueError:
            raise UsageError(f"expected {kind} for {flag}, found {text!r}") from None

    return read


def form_of(
    form: str, *, as_json: bool, markdown: bool = False, html: bool = False, default: str = "text"
) -> str:
    """One format that is asked for; raises UsageError for several."""
    shorts = {"markdown": markdown, "json": as_json, "html": html}
    names = {form} - {""} | {name for name, requested in shorts.items() if requested}
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
CONFIRM = option_of("confirm")
ALL_GRADERS = option_of("all_graders")
CONCURRENCY = option_of("concurrency")
DRY_RUN = typer.Option(
    False, "--dry-run", help="Print the calls, tokens and cost that grading would take, and grade nothing."
)
JSON = typer.Option(False, "--json", help="Print JSON.")
FORM = typer.Option("", "--format", metavar="NAME", help="One of csv, markdown, text, json (default: text).")
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
    help="Share of 'correct' verdicts that may be false (default: 0.0095).",
)

EXIT_NO_RESULT = 2


def exit_code(scores: Scores) -> int:
    """0 for a result, 2 for none."""
    return 0 if scores.result else EXIT_NO_RESULT


class Output:
    """The real standard output, held back from whatever else the process prints."""

    def __init__(self, stream: TextIO, handle: int | None, is_terminal: bool) -> None:
        self.is_terminal = is_terminal
        self._stream = stream
        self._handle = handle

    @property
    def width(self) -> int:
        """Columns to write in: those of the terminal, or of COLUMNS; 80 elsewhere."""
        sized = self.is_terminal or "COLUMNS" in os.environ
        return max(NARROWEST, shutil.get_terminal_size((WIDEST, 24)).columns) if sized else WIDEST

    @property
    def colour(self) -> bool:
        """Whether colours are wanted: on a terminal that can, unless NO_COLOR is set."""
        return self.is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"

    def write(self, text: str) -> None:
        """Write a text at once; raises BrokenPipeError without a reader, StorageError on a full disk."""
        if self.is_terminal:
            text = printable(text)
        try:
            if self._handle is None:
                self._stream.write(text)
                self._stream.flush()
                return
            data = text.encode(self._stream.encoding or "utf-8", "backslashreplace")
            while data:
                data = data[os.write(self._handle, data) :]
        except BrokenPipeError:
            raise
        except OSError as error:
            raise StorageError(f"expected to write the result, found: {error.strerror}") from error


@contextmanager
def results_only() -> Iterator[Output]:
    """Keep standard output for results: what pipelines and their children print goes to standard error."""
    real, errors, saved, handle = sys.stdout, sys.stderr, None, -1
    real.flush()
    is_terminal = real.isatty()
    # Not a file (a test's or a notebook's stream): only Python's own prints can be turned away.
    with suppress(OSError, ValueError, AttributeError):
        handle, error_handle = real.fileno(), errors.fileno()
        saved = os.dup(handle)
    if saved is not None:
        os.dup2(error_handle, handle)
    sys.stdout = errors
    try:
        yield Output(real, saved, is_terminal)
    finally:
        sys.stdout = real
        if saved is not None:
            errors.flush()
            os.dup2(saved, handle)
            os.close(saved)


def columns() -> int:
    """How many columns a table may have."""
    return min(WIDEST, Output(sys.stdout, None, sys.stdout.isatty()).width)


def print_lines(lines: list[str]) -> None:
    """Write lines to standard output at once."""
    with results_only() as output:
        output.write("\n".join(lines) + "\n")


def print_json(value: object) -> None:
    """Write a value as JSON to standard output."""
    print_lines([json.dumps(value, indent=2, ensure_ascii=False)])


def print_facts(facts: object, lines: list[str], *, as_json: bool) -> None:
    """Write facts as JSON, or the lines that tell them."""
    print_json(facts) if as_json else print_lines(lines)


def print_report(report: object, sections: Sequence[Section], form: str) -> None:
    """Print a result: itself as JSON, or its sections in a format."""
    import msgspec

    from ragharness.reports.text import render
    from ragharness.support.files import to_json

    with results_only() as output:
        if form == "json":
            output.write(msgspec.json.format(to_json(report)).decode() + "\n")
        else:
            output.write(render(sections, form, min(WIDEST, output.width), colour=output.colour))


def print_scores(
    scores: Scores, output: Output, *, as_json: bool, reference: str = "", detail: bool = False
) -> None:
    """Print the report or JSON; ``reference`` names the run in commands, ``detail`` adds what is left out."""
    from ragharness.reports.formats import load_format

    render = load_format("json" if as_json else "terminal")
    sized = {"width": output.width, "colour": output.colour}
    output.write(render(scores, **sized, reference=reference, detail=detail))


def write_report(path: Path, made: str | bytes | dict[str, bytes]) -> None:
    """Write a report to a file, or its files into a folder, and say so; raises StorageError."""
    from ragharness.support.files import write_atomic

    path = path.resolve()
    try:
        if isinstance(made, dict):
            for name, content in made.items():
                write_atomic(path / name, content)
        else:
            content = made.encode() if isinstance(made, str) else made
            # A device is written to; a file is replaced as a whole, so that a full disk keeps the old one.
            path.write_bytes(content) if path.exists() and not path.is_file() else write_atomic(path, content)
    except OSError as error:
        message = f"expected to write {path}, found: {error.strerror or error}"
        raise StorageError(message, help="name another file with --out") from error
    print(f"written to {path}", file=sys.stderr)


def leave(code: int) -> NoReturn:
    """End the process at once, without waiting for calls that were given up."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def command() -> tuple[str, ...]:
    """Command without what may be secret: it is written to disk."""
    from ragharness.support.messages import redact

    return ("ragharness", *map(redact, sys.argv[1:]))


def resume_command(*, raised: bool = False) -> str:
    """Command that continues the run that this one began; ``raised``: with twice the budget."""
    parts, budget = [part for part in command() if part != "--fresh"], "--max-cost"
    for index, part in enumerate(parts) if raised else ():
        if part.startswith(f"{budget}="):
            parts[index] = f"{budget}={2 * float(part.partition('=')[2]):g}"
        elif index and parts[index - 1] == budget:
            parts[index] = f"{2 * float(part):g}"
    return shlex.join(parts)
