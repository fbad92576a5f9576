"""``ragharness run``: ask every question, grade the answers, print the report."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
import typer.core

from ragharness.cli._options import option_of
from ragharness.cli.rubric import EXIT, JUDGE, PEOPLE, RUBRIC, prepare, score_by
from ragharness.config import RunConfig

if TYPE_CHECKING:
    from ragharness.analysis.rules import Gates
    from ragharness.cli.rubric import Prepared
    from ragharness.reports.progress import Live
    from ragharness.runner.run_folder import RunFolder
    from ragharness.runner.session import RunContext, SessionResult

EXIT_MISSED = 1

_TYPES: dict[str, Any] = {  # types of the options that are not plain strings
    "int": int,
    "float": float,
    "bool": bool,
    "float | None": float | None,
    "tuple[str, ...]": list[str] | None,
    "str | Path | None": str | None,
}

_OUTPUT = (
    ("as_json", "--json", "Print the scores as JSON."),
    ("detail", "--all", "Add axes and retrieval to the report."),
    ("strict", "--strict", "Exit with code 2 if any answer is not graded."),
    ("quiet", "--quiet", "Show no progress."),
)

_GATES = "Limits that the run must keep to, or a gate.toml with thresholds; exit code 1 if one is missed."
_OTHERS = "Options"


def register(app: typer.Typer) -> None:
    """Add the verb: an option for each field of ``RunConfig``, under its headings."""
    types = {field.name: field.type for field in fields(RunConfig)}
    declared = [
        *((name, _TYPES.get(str(type_), str), option_of(name)) for name, type_ in types.items()),
        *((name, bool, typer.Option(False, flag, help=text)) for name, flag, text in _OUTPUT),
        ("gates", str, typer.Option("", "--gates", metavar="FILE|NAME<=VALUE,...", help=_GATES)),
        ("rubric", str, RUBRIC),
        ("judge", list[str] | None, JUDGE),
        ("people", Path | None, PEOPLE),
    ]
    parameters = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=option, annotation=kind)
        for name, kind, option in declared
    ]

    def command(**options: Any) -> int:
        return run(**options)

    command.__doc__ = run.__doc__
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    headings = {field.name: field.metadata["under"] for field in fields(RunConfig) if field.metadata["under"]}
    app.command("run", cls=under(headings))(command)


def run(
    *, as_json: bool, detail: bool, strict: bool, quiet: bool, gates: str,
    rubric: str, judge: list[str] | None, people: Path | None, **options: Any,
) -> int:  # fmt: skip
    """Run a pipeline on a question set, grade its answers, report.

    The same command continues an interrupted run; no question is asked twice. Exit code 2: not a result.

    Example: ragharness run --corpus contractnli --pipeline mymod:answer
    """
    from ragharness.cli._options import EXIT_NO_RESULT, command, exit_code, leave, print_scores, results_only
    from ragharness.graders import cost_lines
    from ragharness.reports.progress import Live
    from ragharness.results import count
    from ragharness.runner.session import open_run

    config, limits = RunConfig(**options), _limits(gates) if gates else None
    scored_by = prepare(rubric, judge, people, offline=config.offline) if rubric else None
    live = Live(quiet=quiet)
    with results_only() as output:
        context, folder = open_run(config, live.say, on_progress=live.fetching, command=command())
        ended = _ask(context, config, folder, live)
        for line in cost_lines(context.grading.grader):
            live.say(line)
        scores = count(folder, context.grading)
        print_scores(scores, output, as_json=as_json, detail=detail)
        _left(folder, ended, live)
        code = EXIT_NO_RESULT if strict and scores.ungraded else exit_code(scores)
        if limits is not None and limits.thresholds:
            code = _checked(limits, folder, live) or code
        if scored_by is not None:
            code = _scored(scored_by, folder, live, config) or code
        if ended.given_up:
            leave(code)
    return code


def _limits(gates: str) -> Gates:
    """Gates; a name that is none is said before anything is asked."""
    from ragharness.analysis.rules import limits_of, read_gates

    limits = read_gates(gates)
    limits_of(limits)
    return limits


def _scored(scored_by: Prepared, folder: RunFolder, live: Live, config: RunConfig) -> int:
    """Say how the run scores by its rubric; returns 1 if it fails, 2 if something is open."""
    from ragharness.cli._options import columns
    from ragharness.reports.text import render

    scores, sections = score_by(scored_by, folder, offline=config.offline, source=config.source)
    live.tell(render(sections, "text", columns()).rstrip())
    return EXIT[scores.verdict]


def _checked(gates: Gates, folder: RunFolder, live: Live) -> int:
    """Say whether the run keeps to its limits; returns 1 if one is missed, 2 if one is open."""
    from ragharness.analysis.rules import check_thresholds
    from ragharness.cli._options import EXIT_NO_RESULT
    from ragharness.reports.compare import threshold_section
    from ragharness.reports.text import render

    rules = check_thresholds(gates, folder)
    live.tell(render([threshold_section(rules)], "text").rstrip())
    if any(rule.passes is False for rule in rules):
        return EXIT_MISSED
    return EXIT_NO_RESULT if any(rule.passes is None for rule in rules) else 0


def _ask(context: RunContext, config: RunConfig, folder: RunFolder, live: Live) -> SessionResult:
    """Ask and grade; returns how the session ended. Errors say what is kept and how to continue."""
    from ragharness.cli import EXIT_INTERRUPTED, complain
    from ragharness.cli._options import command, leave, resume_command
    from ragharness.errors import AccessRefused, UsageError
    from ragharness.runner.session import ask_all, progress_summary

    try:
        return ask_all(context, config, folder, live.say, command=command(), on_progress=live.progress)
    except KeyboardInterrupt:
        live.clear()
        message = f"interrupted: {progress_summary(folder)} and kept in {folder.path}"
        complain(message, resume_command(), EXIT_INTERRUPTED)
        leave(EXIT_INTERRUPTED)
    except (AccessRefused, UsageError) as error:
        # Credentials that are refused, or a budget that cannot be kept.
        raise type(error)(
            f"{error}; {progress_summary(folder)} and kept in {folder.path}",
            help=f"{error.help or 'correct the key'}, then: {resume_command()}",
        ) from error
    finally:
        live.clear()


def _left(folder: RunFolder, ended: SessionResult, live: Live) -> None:
    """Say how many questions a limit left unasked, and the command that continues."""
    if ended.reason:
        from ragharness.cli._options import resume_command
        from ragharness.runner.session import progress_summary

        command = resume_command(raised="--max-cost" in ended.reason)
        if ended.reason.startswith("the first "):
            command += " --retry-errors"
        live.tell(
            f"stopped: {ended.reason}; {progress_summary(folder)} and kept in {folder.path}\n"
            f"continue with: {command}"
        )


def under(headings: Mapping[str, str]) -> type[typer.core.TyperCommand]:
    """Command whose help puts headings before the parameters that they are given for, ``--help`` last."""

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
