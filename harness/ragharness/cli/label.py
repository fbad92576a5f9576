"""``ragharness label``: people label the answers of a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ragharness.cli._options import JSON, OFFLINE, RUN, SOURCE, columns, print_facts
from ragharness.errors import UsageError

if TYPE_CHECKING:
    from ragharness.analysis.labelling import Labelling
    from ragharness.runner.run_folder import RunFolder

_TSV = typer.Option(
    None, "--tsv", metavar="FILE", help="Without a browser: write FILE to fill in; read it if it exists."
)


def label(
    run: str = RUN,
    annotator: str = typer.Option("", "--as", metavar="NAME", help="Who labels (default: your login name)."),
    sample: int = typer.Option(
        0, "--sample", help="Answers to label (60); a larger N enlarges the sample.", show_default=False
    ),
    strata: str = typer.Option(
        "", "--strata", metavar="NAME", help="Draw from each row or each bucket: none, row, bucket."
    ),
    seed: int | None = typer.Option(None, "--seed", metavar="N", help="Seed of the sample (default: 0)."),
    tsv: Path | None = _TSV,
    adjudicate: bool = typer.Option(False, "--adjudicate", help="Settle what annotators disagree on."),
    status: bool = typer.Option(False, "--status", help="Print progress and agreement of the annotators."),
    source: str = SOURCE,
    offline: bool = OFFLINE,
    as_json: bool = JSON,
) -> int:
    """Label answers of a run by hand, on a local page or in a table.

    The page shows a random sample, one answer at a time and without the grader's verdict. Labels are kept in
    the run's folder, a file for each annotator.

    Example: ragharness label --as ann --sample 100
    """
    import getpass

    from ragharness.analysis.labelling import open_labelling
    from ragharness.reports.people import labelling_facts, labelling_lines
    from ragharness.runner.grading import grading_context
    from ragharness.runner.run_search import find_run

    folder = find_run(run)
    if status:
        facts = labelling_facts(folder)
        print_facts(facts, labelling_lines(facts, columns()), as_json=as_json)
        return 0
    if as_json:
        raise UsageError("--json goes with --status")
    if adjudicate and tsv:
        raise UsageError("use either --adjudicate or --tsv, not both")
    opened = open_labelling(
        folder,
        annotator or getpass.getuser(),
        grading_context(folder, source=source, offline=offline),
        sample=sample,
        strata=strata,
        seed=seed,
        adjudicate=adjudicate,
    )
    with opened.held():
        if tsv:
            _by_table(tsv, opened, folder)
        else:
            _by_page(opened, folder)
    return 0


def _by_table(path: Path, opened: Labelling, folder: RunFolder) -> None:
    from ragharness.analysis.label_forms import read_table, write_table

    if path.exists():
        new, empty = read_table(path, opened)
        typer.echo(f"{new} labels read from {path}; {empty} rows have none")
        typer.echo(_progress(opened))
        typer.echo(f"next: ragharness calibrate {folder.name}", err=True)
    else:
        count = write_table(path, opened)
        typer.echo(f"{count} answers written to {path}")
        step = "next: fill in bucket (correct, wrong, unsupported, refused), then repeat the command"
        typer.echo(step, err=True)


def _by_page(opened: Labelling, folder: RunFolder) -> None:
    from ragharness.analysis.label_forms import LabelServer

    with LabelServer(opened) as server:
        typer.echo(f"{len(opened.keys)} answers, labelled as {opened.annotator}: open\n  {server.url}")
        typer.echo("Ctrl-C stops; every label is on disk at once", err=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            typer.echo(f"\n{_progress(opened)} in {opened.path}", err=True)
            typer.echo(f"next: ragharness calibrate {folder.name}", err=True)


def _progress(opened: Labelling) -> str:
    progress = opened.progress
    skipped = f", {progress.skipped} skipped" if progress.skipped else ""
    return f"{progress.labelled} of {progress.total} labelled{skipped}"
