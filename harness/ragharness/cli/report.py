"""``ragharness report``: the report of a run again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragharness.cli._options import RUN


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("report")(report)


def report(
    run: str = RUN,
    markdown: bool = typer.Option(False, "--markdown", help="As Markdown."),
    as_json: bool = typer.Option(False, "--json", help="The scores as JSON."),
    out: Annotated[Path | None, typer.Option("-o", metavar="FILE", help="Write to a file.")] = None,
) -> None:
    """Print the report of a run; its records are counted anew, nothing is asked or graded."""
    from ragharness.cli._console import results_only
    from ragharness.errors import UsageError
    from ragharness.reports import json_report, markdown_report, terminal_report
    from ragharness.results import scores_of
    from ragharness.store import find_run

    if markdown and as_json:
        raise UsageError("expected one of --markdown and --json, found both")
    scores = scores_of(find_run(run))
    with results_only() as output:
        if as_json:
            text = json_report(scores)
        elif markdown:
            text = markdown_report(scores)
        else:
            colour = output.colour and out is None
            text = terminal_report(scores, width=output.width, colour=colour, reference=run)
        if out is None:
            output.write(text)
        else:
            _write(out, text)


def _write(path: Path, text: str) -> None:
    from ragharness.errors import StorageError

    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise StorageError(
            f"expected to write {path}, found: {error.strerror or error}", help="name another file with -o"
        ) from error
