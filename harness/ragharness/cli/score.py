"""``ragharness score``: recount the records of a run, or score traces of another system."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

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
    compat: bool = typer.Option(
        False, "--compat", help="Print what the scorer of the rag-eval page prints, or trust_eval."
    ),
    metrics: str = typer.Option(
        "", "--metrics", metavar="NAME,...", help="Metrics of others (`all`, or a metrics.toml)."
    ),
    against: str = typer.Option(
        "", "--against", metavar="FILE", help="Compare the traces with these earlier ones (without --gold)."
    ),
    sample: int = typer.Option(
        0, "--sample", metavar="N", help="Draw N answers of the traces to label (without --gold; needs -o)."
    ),
    out: Annotated[Path | None, typer.Option("-o", metavar="FILE", help="Write the sample here.")] = None,
    as_json: bool = JSON,
) -> int:
    """Recount the records of a run and write its scores.json; nothing is asked or graded.

    With --gold and --trace: score the traces of any system. Exit code 0 all gates hold, 1 not, 2 no result.
    With --trace alone: refusals, citations and uncited claims in logs of production; nothing is graded then,
    exit code 2.
    With --metrics: compute metrics that others published, of the run or of the outputs in --trace.
    """
    if bool(sample) != (out is not None) or sample < 0 or ((sample or against) and (gold or not trace)):
        raise UsageError(
            "expected --sample N -o FILE and --against FILE with --trace FILE and without --gold"
        )
    if trace and metrics and not (run or gold):
        from ragharness.cli._traces import score_outputs

        return score_outputs(Path(trace), metrics, compat=compat, as_json=as_json)
    if trace and not (run or gold or compat):
        from ragharness.cli._traces import score_log

        return score_log(Path(trace), against, sample, out, as_json=as_json)
    if gold or trace:
        if run or not (gold and trace):
            raise UsageError(
                "expected --gold FILE --trace FILE and no run, found one without the other or a run"
            )
        from ragharness.cli._traces import score_traces

        return score_traces(Path(gold), Path(trace), k, gates, compat=compat, as_json=as_json)
    from ragharness.cli._console import exit_code, print_report, print_scores, results_only
    from ragharness.results import keep, keep_metrics, scores_of
    from ragharness.store import find_run

    folder = find_run(run)
    if metrics:
        from ragharness.reports import metric_sections
        from ragharness.scores.measuring import metrics_of, read_wanted

        measured = keep_metrics(folder, metrics_of(folder, read_wanted(metrics)))
        scores = scores_of(folder)
        told = "" if scores.result else scores.sentence
        print_report(measured, metric_sections(measured, told), "json" if as_json else "text")
        return exit_code(scores)
    scores = keep(folder, scores_of(folder))
    with results_only() as output:
        print_scores(scores, output, as_json=as_json, reference=run)
    return exit_code(scores)
