"""``ragharness score``: recount the records of a run and write ``scores.json``."""

from __future__ import annotations

import typer

from ragharness.cli._options import JSON, RUN


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("score")(score)


def score(
    run: str = RUN,
    as_json: bool = JSON,
) -> int:
    """Recount the records of a run and write its scores.json.

    Nothing is asked or graded.
    """
    from ragharness.cli._console import exit_code, print_scores, results_only
    from ragharness.results import keep, scores_of
    from ragharness.store import find_run

    folder = find_run(run)
    scores = keep(folder, scores_of(folder))
    with results_only() as output:
        print_scores(scores, output, as_json=as_json, reference=run)
    return exit_code(scores)
