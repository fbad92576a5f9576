"""``ragharness matrix``: run every combination of some options, and say which of them matters."""

from __future__ import annotations

import typer

from ragharness.cli._options import FORM, JSON, MARKDOWN, form_of


def matrix(
    file: str = typer.Argument(..., metavar="FILE", help="A matrix.toml: shared options, and axes."),
    dry_run: bool = typer.Option(
        False, "--dry-run", help="Show the cells and what they cost at most; ask nothing."
    ),
    quiet: bool = typer.Option(False, "--quiet", help="Show no progress."),
    form: str = FORM,
    as_json: bool = JSON,
    markdown: bool = MARKDOWN,
) -> int:
    """Run every combination of models, prompts, retrievers and k that a file lists, and compare them.

    The same command continues an interrupted matrix; a finished cell is not run again. Exit code 2: a cell
    has no result.

    Example: ragharness matrix matrix.toml --dry-run
    """
    from ragharness import api
    from ragharness.cli import EXIT_INTERRUPTED, complain
    from ragharness.cli._options import EXIT_NO_RESULT, leave, print_report, results_only, resume_command
    from ragharness.reports.compare import matrix_sections, plan_sections
    from ragharness.reports.text import render

    form = form_of(form, markdown=markdown, as_json=as_json)
    if form != "json":
        render([], form)  # a name that is none is said before anything is asked
    try:
        with results_only():
            result = api.matrix(file, dry_run=dry_run, progress=not quiet)
    except KeyboardInterrupt:
        complain("interrupted: every finished answer is kept", resume_command(), EXIT_INTERRUPTED)
        leave(EXIT_INTERRUPTED)
    print_report(result.report, (plan_sections if dry_run else matrix_sections)(result.report), form)
    if dry_run:
        return EXIT_NO_RESULT if any(cell.error for cell in result.cells) else 0
    return 0 if result.result else EXIT_NO_RESULT
