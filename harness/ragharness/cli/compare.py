"""``ragharness compare``: two or more runs side by side."""

from __future__ import annotations

from typing import Annotated

import typer

from ragharness.cli._options import JSON


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("compare")(compare)


def compare(
    runs: Annotated[list[str], typer.Argument(metavar="RUN...", help="Two runs or more; the first is A.")],
    form: str = typer.Option(
        "text", "--format", metavar="NAME", help="One of text, markdown, csv, latex, json."
    ),
    as_json: bool = JSON,
    markdown: bool = typer.Option(False, "--markdown", help="Short for --format markdown."),
) -> None:
    """Show runs side by side: buckets, question types, metrics, and the questions that flipped."""
    from ragharness.cli._console import print_report
    from ragharness.comparing import compare as side_by_side
    from ragharness.errors import UsageError
    from ragharness.reports import compare_sections
    from ragharness.store import find_run

    if as_json and markdown:
        raise UsageError("expected one of --json and --markdown, found both")
    form = "json" if as_json else "markdown" if markdown else form
    found = side_by_side([find_run(each) for each in runs])
    print_report(found, compare_sections(found), form)
