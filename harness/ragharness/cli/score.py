"""``ragharness score``: recount the records of a run, or score traces of another system."""

from __future__ import annotations

from pathlib import Path

import typer

from ragharness.cli._options import JSON, RUN
from ragharness.errors import UsageError


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("score")(score)


def score(
    run: str = RUN,
    gold: str = typer.Option(
        "", "--gold", metavar="FILE", help="Score traces against this gold set instead."
    ),
    trace: str = typer.Option("", "--trace", metavar="FILE", help="The traces, one JSON object a line."),
    k: int = typer.Option(5, "--k", help="Passages that recall@k looks at."),
    gates: str = typer.Option(
        "precision=0.80,chr=0.75,under=0.05,over=0.10",
        "--gates",
        metavar="NAME=VALUE,...",
        help="Limits of the rates.",
    ),
    compat: bool = typer.Option(False, "--compat", help="Print what the scorer of the rag-eval page prints."),
    as_json: bool = JSON,
) -> int:
    """Recount the records of a run and write its scores.json; nothing is asked or graded.

    With --gold and --trace: score the traces of any system. Exit code 0 all gates hold, 1 not, 2 no result.
    """
    if gold or trace:
        if run or not (gold and trace):
            raise UsageError(
                "expected --gold FILE --trace FILE and no run, found one without the other or a run"
            )
        return _score_traces(Path(gold), Path(trace), k, gates, compat=compat, as_json=as_json)
    from ragharness.cli._console import exit_code, print_scores, results_only
    from ragharness.results import keep, scores_of
    from ragharness.store import find_run

    folder = find_run(run)
    scores = keep(folder, scores_of(folder))
    with results_only() as output:
        print_scores(scores, output, as_json=as_json, reference=run)
    return exit_code(scores)


def _score_traces(gold: Path, trace: Path, k: int, gates: str, *, compat: bool, as_json: bool) -> int:
    from ragharness import traces
    from ragharness.cli._console import print_report
    from ragharness.graders.rules import declines
    from ragharness.reports import trace_sections

    if compat:
        return traces.run_compat(gold, trace, k, gates)
    try:
        found = traces.score(traces.read(gold), traces.read(trace), k=k, gates=gates, reads_refusal=declines)
    except traces.TraceError as error:
        raise UsageError(str(error), help="docs/traces.md shows both files") from error
    print_report(
        traces.json_of(found) if as_json else found, trace_sections(found), "json" if as_json else "text"
    )
    return traces.exit_code(found)
