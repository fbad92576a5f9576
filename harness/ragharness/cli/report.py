"""``ragharness report``: print the report of a run again."""

from __future__ import annotations

import pkgutil
from pathlib import Path
from typing import Annotated

import typer

from ragharness.cli._options import RUN

_FORMATS = Path(__file__).parents[1] / "reports" / "formats"
_KNOWN = ", ".join(sorted(found.name for found in pkgutil.iter_modules([str(_FORMATS)])))
"""The names of the formats, listed without importing them."""


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("report")(report)


def report(
    run: str = RUN,
    form: Annotated[
        str, typer.Option("--format", metavar="NAME", help=f"One of {_KNOWN} (default: terminal).")
    ] = "",
    markdown: bool = typer.Option(False, "--markdown", help="Short for --format markdown."),
    as_json: bool = typer.Option(False, "--json", help="Short for --format json (the scores)."),
    detail: bool = typer.Option(False, "--all", help="Add axes and retrieval."),
    out: Annotated[Path | None, typer.Option("-o", metavar="FILE", help="Write to this file.")] = None,
) -> int:
    """Print the report of a run again.

    The numbers are counted again from the records; nothing is asked or graded. Exit code 2: not a result.
    """
    from ragharness.cli._console import exit_code, results_only
    from ragharness.errors import UsageError
    from ragharness.reports import load_format
    from ragharness.results import scores_of
    from ragharness.store import find_run

    names = {name for name, wanted in ((form, form), ("markdown", markdown), ("json", as_json)) if wanted}
    if len(names) > 1:
        raise UsageError(f"expected one report format, found {' and '.join(sorted(names))}")
    (name,) = names or {"terminal"}
    render = load_format(name)
    scores = scores_of(find_run(run))
    with results_only() as output:
        shown = {"width": output.width, "colour": output.colour and out is None}
        text = render(scores, **shown, reference=run, detail=detail)
        if out is None:
            output.write(text)
        else:
            _write(out, text)
    return exit_code(scores)


def _write(path: Path, text: str) -> None:
    from ragharness.errors import StorageError

    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise StorageError(
            f"expected to write {path}, found: {error.strerror or error}", help="name another file with -o"
        ) from error
    typer.echo(f"written to {path}", err=True)
