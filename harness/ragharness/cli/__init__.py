"""The command line: one module per verb, found by its name; the only place that prints or exits.

A verb's module has a function of its own name, which is the command, or ``register(app)``, which adds a
group of commands, or a command that is more than a function.
Modules of verbs import nothing heavy at their top: ``--help`` must stay as fast as typer itself.
"""

from __future__ import annotations

import errno
import gc
import os
import pkgutil
import signal
import sys
from importlib import import_module
from threading import Timer
from typing import Any

import typer

from ragharness.errors import RagharnessError

_USAGE_ERROR: Any = typer.BadParameter.__mro__[1]
"""typer's usage error, by its public subclass: typer carries its own copy of click since 0.29."""

YOUNG_OBJECTS = 50_000  # new objects between two looks of the garbage collector at the young ones
_SUMMARY = """Score any RAG pipeline in four buckets: correct, wrong, unsupported, refused.

Example: ragharness run --corpus contractnli --pipeline mymod:answer
"""

_PATIENCE = 10.0  # seconds that what a pipeline has started may take to end
EXIT_USAGE = 3
EXIT_INTERRUPTED = 130


def build_app(verb: str = "") -> typer.Typer:
    """Command line, one command or group a module of this package; of a known verb that alone."""
    app = typer.Typer(
        name="ragharness",
        help=_SUMMARY,
        invoke_without_command=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        add_completion=True,
    )
    app.callback()(_root)
    modules = (module.name for module in pkgutil.iter_modules(__path__))
    verbs = sorted(module for module in modules if not module.startswith("_"))
    for name in [verb] if verb in verbs else verbs:
        module: Any = import_module(f"{__name__}.{name}")
        if hasattr(module, "register"):
            module.register(app)
        else:
            app.command(name)(getattr(module, name))
    return app


def add_group(app: typer.Typer, name: str, summary: str, example: str) -> typer.Typer:
    """Add a group of commands that prints its help when none of them is named; returns it."""
    help_text = f"{summary}\n\nExample: ragharness {example}"
    group = typer.Typer(help=help_text, callback=_help_alone, invoke_without_command=True)
    app.add_typer(group, name=name)
    return group


def script() -> None:
    """Run the command line as a process of its own, which ends even if a pipeline's threads never do."""
    try:
        main()
    except SystemExit as end:
        # A daemon runs on while the interpreter waits for the others.
        timer = Timer(_PATIENCE, os._exit, (end.code if isinstance(end.code, int) else 0,))
        timer.daemon = True
        timer.start()
        raise


def main() -> None:
    """Run the command line; every foreseeable mistake ends in a sentence and an exit code."""
    # Compiling patterns makes many small objects that all stay: looking through them early only costs time.
    gc.set_threshold(YOUNG_OBJECTS)
    # A stream that whoever started the process closed (``>&-``) is opened: a file would take its number.
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115
    # Whoever ends the process (a container, a scheduler) is told what is kept, as by Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(_run())


def _run() -> int:
    # Completion asks with the verb in a variable of its own.
    command: Any = typer.main.get_command(build_app(*sys.argv[1:2]))
    try:
        outcome = command(standalone_mode=False, prog_name="ragharness")
        sys.stdout.flush()
    except RagharnessError as error:
        return complain(str(error), error.help or f"{_asked(command)} --help", error.exit_code)
    except _USAGE_ERROR as error:
        return complain(error.format_message(), f"{_asked(command)} --help", EXIT_USAGE)
    except (KeyboardInterrupt, typer.Abort):
        return complain("interrupted", "", EXIT_INTERRUPTED)
    except BrokenPipeError:
        return _unread()
    except OSError as error:
        return _unusable(error)
    except RecursionError as error:
        advice = "look into the files that you named"
        return complain(f"expected files that nest less deeply, found: {error}", advice, EXIT_USAGE)
    except SystemExit as error:
        # typer meets the broken pipe first and ends with a code of its own.
        if isinstance(error.__context__, BrokenPipeError):
            return _unread()
        raise
    if outcome == EXIT_INTERRUPTED:
        # Newer typer makes an interruption an exit code, and says nothing.
        return complain("interrupted", "", EXIT_INTERRUPTED)
    return outcome if isinstance(outcome, int) else 0


def _unread() -> int:
    """The reader of our output went away (| head): nobody is left to tell; keep Python's exit quiet."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno() if sys.__stdout__ else 1)
    return 0


def _unusable(error: OSError) -> int:
    """Say what the operating system refuses about a path that was named, or about the output."""
    what = f"use {error.filename}"
    if error.filename is None:
        # What is still in the buffer would fail again at the exit.
        _unread()
        what = "work in a folder that is there" if error.errno == errno.ENOENT else "write the result"
    return complain(
        f"expected to {what}, found: {error.strerror or error}", "name another path, or make room", EXIT_USAGE
    )


def _asked(command: Any) -> str:
    """Command that was asked for without its parameters, to name its help."""
    names = ["ragharness"]
    for word in sys.argv[1:]:
        command = getattr(command, "commands", {}).get(word)
        if command is None:
            break
        names.append(word)
    return " ".join(names)


def complain(message: str, help_text: str, code: int) -> int:
    """Print a mistake and the next command to standard error; returns the exit code."""
    from ragharness.reports.text import printable
    from ragharness.support.messages import redact

    message = printable(redact(message))
    lines = [f"error: {message}"] + ([f"help:  {printable(help_text)}"] if help_text else [])
    typer.echo("\n".join(lines), err=True)
    return code


def _version(requested: bool) -> None:
    if requested:
        from ragharness import __version__

        typer.echo(f"ragharness {__version__}")
        raise typer.Exit


def _help_alone(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def _root(
    context: typer.Context,
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version."
    ),
) -> None:
    if not version:
        _help_alone(context)
