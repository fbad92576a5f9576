"""``ragharness run``: ask every question, grade the answers, print the report."""

from __future__ import annotations

import inspect
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
import typer.core

from ragharness.cli._options import option_of
from ragharness.config import RunConfig

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import NoReturn

    from ragharness.console import Live
    from ragharness.runner import Ended, Ground
    from ragharness.store import RunFolder

EXIT_INCOMPLETE = 2

_TYPES: dict[str, Any] = {
    "int": int,
    "float": float,
    "bool": bool,
    "float | None": float | None,
    "tuple[str, ...]": list[str] | None,
    "str | Path | None": Path | None,
}
"""Types of the options that are not plain strings."""

_OUTPUT = (
    ("as_json", "--json", "Print the scores as JSON."),
    ("strict", "--strict", "Exit with code 2 if any answer is not graded."),
    ("quiet", "--quiet", "Show no progress."),
)

_OTHERS = "Options"


def register(app: typer.Typer) -> None:
    """Add the verb: an option for each field of ``RunConfig``, under its headings."""
    declared = [
        *((each.name, _TYPES.get(str(each.type), str), option_of(each.name)) for each in fields(RunConfig)),
        *((name, bool, typer.Option(False, flag, help=told)) for name, flag, told in _OUTPUT),
    ]
    parameters = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=option, annotation=kind)
        for name, kind, option in declared
    ]

    def command(**options: Any) -> int:
        return run(**options)

    command.__doc__ = run.__doc__
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in parameters}
    headings = {each.name: each.metadata["under"] for each in fields(RunConfig) if each.metadata["under"]}
    app.command("run", cls=under(headings))(command)


def run(*, as_json: bool, strict: bool, quiet: bool, **options: Any) -> int:
    """Run a pipeline on a question set, grade its answers, report.

    The same command continues an interrupted run; no question is asked twice.
    """
    from ragharness.cli._console import leave, print_scores, results_only
    from ragharness.console import Live
    from ragharness.results import count

    config = RunConfig(**options)
    live = Live(quiet=quiet)
    with results_only() as output:
        folder, ground, ended = _ask(config, live)
        scores = count(folder, ground)
        print_scores(scores, output, as_json=as_json)
        _left(folder, ended, live)
        code = EXIT_INCOMPLETE if strict and scores.not_graded else 0
        if ended.given_up:
            leave(code)
    return code


def _ask(config: RunConfig, live: Live) -> tuple[RunFolder, Ground, Ended]:
    """Return the run folder, its grading context, and how the session ended."""
    from ragharness.cli._console import command, resume_command
    from ragharness.download import cache_folder
    from ragharness.errors import AccessRefused, UsageError
    from ragharness.runner import ask_all, choose_folder, how_far, load_context

    context = load_context(config, live.fetching, cache_folder())
    live.clear()
    for note in context.questions.notes:
        live.say(note)
    folder = choose_folder(context, config, live.say, command=command())
    try:
        ended = ask_all(context, config, folder, live.say, command=command(), on_progress=live.progress)
    except KeyboardInterrupt:
        _stop(folder, live)
    except (AccessRefused, UsageError) as error:
        # Credentials that are refused, or a budget that cannot be kept.
        raise type(error)(
            f"{error}; {how_far(folder)} and kept in {folder.path}",
            help=f"{error.help or 'correct the key'}, then: {resume_command()}",
        ) from error
    finally:
        live.clear()
    return folder, context.ground, ended


def _left(folder: RunFolder, ended: Ended, live: Live) -> None:
    """Say how many questions a limit left unasked, and the command that continues."""
    if ended.reason:
        from ragharness.cli._console import resume_command
        from ragharness.runner import how_far

        command = resume_command(raised="--max-cost" in ended.reason)
        live.tell(
            f"stopped: {ended.reason}; {how_far(folder)} and kept in {folder.path}\ncontinue with: {command}"
        )


def _stop(folder: RunFolder, live: Live) -> NoReturn:
    from ragharness.cli import EXIT_INTERRUPTED, complain
    from ragharness.cli._console import leave, resume_command
    from ragharness.runner import how_far

    live.clear()
    complain(f"interrupted: {how_far(folder)} and kept in {folder.path}", resume_command(), EXIT_INTERRUPTED)
    leave(EXIT_INTERRUPTED)


def under(headings: Mapping[str, str]) -> type[typer.core.TyperCommand]:
    """Return a command whose help puts each heading before the parameter that it is given for.

    ``--help`` stands at the end, under a heading of its own.
    """

    class Headed(typer.core.TyperCommand):
        def format_options(self, ctx: Any, formatter: Any) -> None:
            """Write the options under the headings, in the order in which the command declares them."""
            panels: dict[str, list[tuple[str, str]]] = {}
            heading = _OTHERS
            for parameter in self.get_params(ctx):
                heading = _OTHERS if parameter.name == "help" else headings.get(parameter.name or "", heading)
                record = parameter.get_help_record(ctx)
                if record is not None:
                    panels.setdefault(heading, []).append(record)
            for panel, records in panels.items():
                with formatter.section(panel):
                    formatter.write_dl(records)

    return Headed
