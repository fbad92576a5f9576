"""``ragharness report``: print the report of a run again, or write it in another format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragharness.cli._options import MARKDOWN, RUN, completion, form_of, modules

_FORMATS = ", ".join(modules("formats", "reports.formats"))


def report(
    run: str = RUN,
    form: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="NAME",
            help=f"One of {_FORMATS} (default: terminal).",
            autocompletion=completion("format"),
        ),
    ] = "",
    html: bool = typer.Option(False, "--html", help="Short for --format html: one page with all questions."),
    markdown: bool = MARKDOWN,
    as_json: bool = typer.Option(False, "--json", help="Short for --format json (the scores)."),
    detail: bool = typer.Option(False, "--all", help="Add axes and retrieval."),
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write to this file, or folder.")
    ] = None,
) -> int:
    """Print the report of a run again, or write it in another format.

    The numbers are counted again from the records; nothing is asked or graded. Exit code 2: not a result.

    Example: ragharness report --format junit --out junit.xml
    """
    from ragharness.cli._options import exit_code, results_only, write_report
    from ragharness.errors import UsageError
    from ragharness.reports.formats import load_format
    from ragharness.results import Run
    from ragharness.runner.run_search import find_run

    name = form_of(form, html=html, markdown=markdown, as_json=as_json, default="terminal")
    render = load_format(name)
    opened = Run(find_run(run))
    with results_only() as output:
        sized = {"width": output.width, "colour": output.colour and out is None}
        rendered = render(opened.scores, run=opened, **sized, reference=run, detail=detail)
        if out is not None:
            write_report(out, rendered)
        elif isinstance(rendered, str):
            output.write(rendered)
        else:
            raise UsageError(
                f"expected --out with the format {name}, found none",
                help=f"ragharness report {run} --format {name} --out {opened.folder.name}".replace("  ", " "),
            )
    return exit_code(opened.scores)
