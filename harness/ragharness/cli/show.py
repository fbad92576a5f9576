"""``ragharness show``: print one question of a run in full, in every epoch."""

from __future__ import annotations

import typer

from ragharness.cli._options import OFFLINE, RUN, SOURCE, results_only


def show(
    question: str = typer.Argument(help="Question id."),
    run: str = RUN,
    passages: bool = typer.Option(False, "--passages", help="Print the retrieved passages in full."),
    source: str = SOURCE,
    offline: bool = OFFLINE,
) -> None:
    """Print one question of a run in full.

    Shows the gold answer, evidence, what was retrieved, the answer, the verdict and the rule that decided.

    Example: ragharness show q010
    """
    from ragharness.errors import RagharnessError
    from ragharness.reports.progress import Live
    from ragharness.results import Run
    from ragharness.runner.grading import grading_context
    from ragharness.runner.run_search import find_run

    folder = find_run(run)
    outcome = Run(folder)[question]
    try:
        outcome = Run(folder, grading_context(folder, source=source, offline=offline))[question]
    except RagharnessError as error:
        Live().say(f"the texts of the corpus are left out: {error}")
    with results_only() as output:
        output.write(outcome.explain(min(output.width, 100), passages=passages))
