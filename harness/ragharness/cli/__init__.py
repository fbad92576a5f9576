"""The command line: one module a verb, found by its name; the only place that prints or exits.

A verb's module has a function ``register(app)`` that adds its command or its group of commands.
Modules of verbs import nothing heavy at their top: ``--help`` must stay as fast as typer itself.
"""

from __future__ import annotations

import os
import pkgutil
import sys
from importlib import import_module
from typing import Any

import typer

from ragharness.errors import RagharnessError

_USAGE_ERROR: Any = typer.BadParameter.__mro__[1]
"""typer's usage error, by its public subclass: typer carries its own copy of click since 0.29."""

EXIT_USAGE = 3
EXIT_INTERRUPTED = 130


def build_app() -> typer.Typer:
    """Return the whole command line, one command or group a module of this package."""
    app = typer.Typer(
        name="ragharness",
        help="Score any RAG pipeline in four buckets: correct, wrong, unsupported, refused.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        add_completion=True,
    )
    app.callback()(_root)
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda found: found.name):
        if not module.name.startswith("_"):
            import_module(f"{__name__}.{module.name}").register(app)
    return app


def main() -> None:
    """Run the command line; every foreseeable mistake ends in a sentence and an exit code."""
    sys.exit(_run())


def _run() -> int:
    try:
        outcome = build_app()(standalone_mode=False)
        sys.stdout.flush()
    except RagharnessError as error:
        return complain(str(error), error.help, error.exit_code)
    except _USAGE_ERROR as error:
        command = error.ctx.command_path if error.ctx else "ragharness"
        return complain(error.format_message(), f"{command} --help", EXIT_USAGE)
    except (KeyboardInterrupt, typer.Abort):
        return complain("interrupted", "", EXIT_INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output went away (| head): nobody is left to tell; keep Python's exit quiet.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return outcome if isinstance(outcome, int) else 0


def complain(message: str, help_text: str, code: int) -> int:
    """Print a mistake and the next command to standard error; returns the exit code."""
    lines = [f"error: {message}"] + ([f"help:  {help_text}"] if help_text else [])
    typer.echo("\n".join(lines), err=True)
    return code


def _version(wanted: bool) -> None:
    if wanted:
        from ragharness import __version__

        typer.echo(f"ragharness {__version__}")
        raise typer.Exit


def _root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """Score any RAG pipeline in four buckets: correct, wrong, unsupported, refused."""
