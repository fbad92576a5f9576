"""``ragharness score``: recount the records of a run, or score traces of another system."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from ragharness.cli._options import JSON, RUN, completion
from ragharness.errors import UsageError


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
        "",
        "--metrics",
        metavar="NAME,...",
        help="Metrics of others (`all`, or a metrics.toml).",
        autocompletion=completion("metric"),
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

    Example: ragharness score --metrics all
    """
    if bool(sample) != (out is not None) or sample < 0 or ((sample or against) and (gold or not trace)):
        message = "expected --sample N -o FILE and --against FILE with --trace FILE and without --gold"
        raise UsageError(message)
    if trace and metrics and not (run or gold):
        return score_outputs(Path(trace), metrics, compat=compat, as_json=as_json)
    if trace and not (run or gold or compat):
        return score_log(Path(trace), against, sample, out, as_json=as_json)
    if gold or trace:
        if run or not (gold and trace):
            message = "expected --gold FILE --trace FILE and no run, found one without the other or a run"
            raise UsageError(message)
        return score_traces(Path(gold), Path(trace), k, gates, compat=compat, as_json=as_json)
    from ragharness.cli._options import exit_code, print_report, print_scores, results_only
    from ragharness.results import keep, keep_metrics, scores_of
    from ragharness.runner.run_search import find_run

    folder = find_run(run)
    if metrics:
        from ragharness.analysis.measuring import metrics_of, read_wanted
        from ragharness.reports.measures import metric_sections

        measured = keep_metrics(folder, metrics_of(folder, read_wanted(metrics)))
        scores = scores_of(folder)
        sections = metric_sections(measured, "" if scores.result else scores.sentence)
        print_report(measured, sections, "json" if as_json else "text")
        return exit_code(scores)
    scores = keep(folder, scores_of(folder))
    with results_only() as output:
        print_scores(scores, output, as_json=as_json, reference=run)
    return exit_code(scores)


def score_traces(gold: Path, trace: Path, k: int, gates: str, *, compat: bool, as_json: bool) -> int:
    """Score traces against a gold set; returns the exit code."""
    from ragharness.cli._options import print_report
    from ragharness.graders.rules import declines
    from ragharness.reports.measures import trace_sections
    from ragharness.traces import scorer as traces

    if compat:
        return traces.run_compat(gold, trace, k, gates)
    try:
        scores = traces.score(traces.read(gold), traces.read(trace), k=k, gates=gates, reads_refusal=declines)
    except traces.TraceError as error:
        raise UsageError(str(error), help="docs/traces.md shows both files") from error
    facts, form = (traces.json_of(scores), "json") if as_json else (scores, "text")
    print_report(facts, trace_sections(scores), form)
    return traces.exit_code(scores)


def score_outputs(path: Path, metrics: str, *, compat: bool, as_json: bool) -> int:
    """Measure outputs of another system; ``compat``: print what trust_eval prints. Returns the exit code."""
    from ragharness.analysis.measuring import metrics_of_outputs, read_outputs, read_wanted
    from ragharness.analysis.trust_eval import compat as printed
    from ragharness.cli._options import print_json, print_report
    from ragharness.reports.measures import metric_sections

    wanted = read_wanted(metrics)
    if compat:
        print_json(printed(read_outputs(path, wanted.claims)))
        return 0
    measured = metrics_of_outputs(path, wanted)
    print_report(measured, metric_sections(measured), "json" if as_json else "text")
    return 0 if measured.questions else 2


def score_log(path: Path, against: str, drawn: int, out: Path | None, *, as_json: bool) -> int:
    """Score a log without gold, ``against`` an earlier one; ``drawn`` answers go to ``out``. Returns 2."""
    from msgspec import to_builtins

    from ragharness.analysis import measuring
    from ragharness.cli._options import EXIT_NO_RESULT, print_report
    from ragharness.reports.measures import log_sections
    from ragharness.traces.logs import read_log, sample

    log = read_log(path)
    scores = measuring.score_log(log)
    drift = measuring.drift(measuring.score_log(read_log(Path(against))), scores) if against else []
    if out is not None:
        _write(out, sample(log.entries, drawn))
    facts = {"graded": False, "result": False, **to_builtins(scores), "drift": to_builtins(drift)}
    print_report(facts, log_sections(scores, drift), "json" if as_json else "text")
    return EXIT_NO_RESULT


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    from ragharness.errors import StorageError
    from ragharness.support.files import atomic_file

    try:
        with atomic_file(path) as file:
            file.write("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode())
    except OSError as error:
        message = f"expected to write {path}, found: {error.strerror or error}"
        raise StorageError(message, help="name another file with -o") from error
    step = f"ragharness calibrate --answers {path}"
    typer.echo(f"{len(rows)} answers to label written to {path}; then: {step}", err=True)
