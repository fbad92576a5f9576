"""``ragharness view``: open runs in a browser, as one page that needs no server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragharness.cli._options import completion, print_lines, write_report


def view(
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RUN...]",
            help="Several are compared with the first (default: the newest).",
            autocompletion=completion("run"),
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Write to this file (default: a temporary one)."),
    ] = None,
    gates: str = typer.Option(
        "", "--gates", metavar="FILE|NAME=VALUE,...", help="Of two runs: what the gate judges them by."
    ),
    stay: bool = typer.Option(False, "--no-open", help="Only write it."),
) -> None:
    """Open a run in the browser, or several side by side: one HTML file with every question.

    Of two runs the verdict of the gate stands first, the first being the base.
    The file needs no server and no network, and can be passed on as it is.

    Example: ragharness view runs/before runs/after
    """
    import tempfile
    import webbrowser

    from ragharness.analysis.rules import read_gates
    from ragharness.reports.page import page
    from ragharness.results import Run
    from ragharness.runner.run_search import find_run

    opened = [Run(find_run(name)) for name in runs or [""]]
    path = out or Path(tempfile.mkdtemp(prefix="ragharness-")) / f"{opened[0].folder.name}.html"
    write_report(path, page(opened, read_gates(gates)))
    print_lines([str(path)])
    if not stay:
        webbrowser.open(path.absolute().as_uri())
