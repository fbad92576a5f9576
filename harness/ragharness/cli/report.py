"""``ragharness report``: print the report of a run again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragharness.cli._options import MARKDOWN, RUN, form_of, names_in

_KNOWN = names_in("reports", "formats")


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("report")(report)


def report(
    run: str = RUN,
    form: Annotated[
        str, typer.Option("--format", metavar="NAME", help=f"One of {_KNOWN} (default: terminal).")
    ] = "",
    markdown: bool = MARKDOWN,
    as_json: bool = typer.Option(False, "--json", help="Short for --format json (the scores)."),
    detail: bool = typer.Option(False, "--all", help="Add axes and retrieval."),
    out: Annotated[Path | None, typer.Option("-o", metavar="FILE", help="Write to this file.")] = None,
) -> int:
    """Print the report of a run again.

    The numbers are counted again from the records; nothing is asked or graded. Exit code 2: not a result.
    """
    from ragharness.cli._console import exit_code, results_only
    from ragharness.reports import load_format
    from ragharness.results import scores_of
    from ragharness.store import find_run

    render = load_format(form_of(form, markdown=markdown, as_json=as_json, default="terminal"))
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
