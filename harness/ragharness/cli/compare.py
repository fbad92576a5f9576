"""``ragharness compare``: two or more runs side by side."""

from __future__ import annotations

from typing import Annotated

import typer

from ragharness.cli._options import FORM, JSON, MARKDOWN, completion, form_of, print_report


def compare(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN...", help="Two runs or more; the first is A.", autocompletion=completion("run")
        ),
    ],
    form: str = FORM,
    as_json: bool = JSON,
    markdown: bool = MARKDOWN,
) -> None:
    """Show runs side by side: buckets, question types, metrics, and the questions that flipped.

    Example: ragharness compare runs/before runs/after
    """
    from ragharness.analysis.compare import compare as side_by_side
    from ragharness.reports.compare import compare_sections
    from ragharness.runner.run_search import find_run

    form = form_of(form, markdown=markdown, as_json=as_json)
    comparison = side_by_side(list(map(find_run, runs)))
    print_report(comparison, compare_sections(comparison), form)
