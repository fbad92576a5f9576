"""``ragharness calibrate``: how far a grader's verdicts can be believed, by labels of people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragharness.cli import _options as shared
from ragharness.cli._options import completion
from ragharness.errors import UsageError

if TYPE_CHECKING:
    from ragharness.graders import Grader

_RUN = typer.Argument(
    "",
    metavar="[RUN]",
    help="Run whose answers were labelled: its folder, a part of its name, or a tag.",
    autocompletion=completion("run"),
)
_LABELS = typer.Option(
    None, "--labels", metavar="FILE", help="Labels of answers: a file or folder (default: those of the run)."
)
_ANSWERS = typer.Option(None, "--answers", metavar="FILE", help="Answers labelled by people: JSONL or CSV.")
_MAP = typer.Option(
    "--map",
    metavar="NAME=THEIRS",
    help="Name of a column in FILE, or its values for a label: answer=response, label.correct=1,true.",
)


def calibrate(
    run: str = _RUN,
    labels: Path | None = _LABELS,
    answers: Path | None = _ANSWERS,
    mapping: Annotated[list[str] | None, _MAP] = None,
    grader: str = shared.GRADER,
    grader_option: list[str] | None = shared.GRADER_OPTION,
    confirm: str = shared.CONFIRM,
    false_correct: float | None = shared.FALSE_CORRECT,
    concurrency: int = shared.CONCURRENCY,
    dry_run: bool = shared.DRY_RUN,
    show: int = typer.Option(
        0, "--show", help="Print up to N answers on which people and the grader differ."
    ),
    as_json: bool = shared.JSON,
) -> int:
    """Compare the grader with people's labels, for a run or a file of answers.

    A run: labels of ragharness label; its counts are corrected, and a note is kept with it (exit code 2: not
    calibrated). A file of --answers: each line has id, question, answers (the gold answers), answer, and
    label (correct, incorrect or refusal) or bucket; passages, evidence and axes if known.

    Example: ragharness calibrate --answers labelled.jsonl --show 5
    """
    if show < 0:
        raise UsageError(f"--show must be at least 0, not {show}")
    if run or labels:
        if answers:
            raise UsageError("name a run or --answers FILE, not both")
        return _run(run, labels, show, as_json=as_json)
    if answers is None:
        message = "expected a run or --answers FILE, found none"
        raise UsageError(message, help="docs/calibration.md describes both")
    from ragharness.graders import load_grader
    from ragharness.support.files import cache_folder

    cache = cache_folder() / "answers"
    options = grader_option or []
    chosen = load_grader(grader, false_correct, options, confirm=confirm, cache=cache, dry_run=dry_run)
    _file(answers, mapping or [], chosen, concurrency, show, dry_run=dry_run, as_json=as_json)
    return 0


def _run(run: str, labels: Path | None, show: int, *, as_json: bool) -> int:
    from ragharness.cli._options import EXIT_NO_RESULT, print_report
    from ragharness.reports.people import people_sections
    from ragharness.results import calibrated
    from ragharness.runner.run_search import find_run

    note = calibrated(find_run(run), labels)
    print_report(note, people_sections(note, show=show), "json" if as_json else "text")
    return 0 if note.calibrated else EXIT_NO_RESULT


def _file(
    answers: Path,
    mapping: list[str],
    chosen: Grader,
    concurrency: int,
    show: int,
    *,
    dry_run: bool,
    as_json: bool,
) -> None:
    from ragharness.analysis.labelled import Mapping, read_labelled
    from ragharness.analysis.labelled import calibrate as measure
    from ragharness.cli._options import columns, print_facts, print_lines
    from ragharness.graders import cost_lines
    from ragharness.reports.people import calibration_facts, calibration_lines
    from ragharness.reports.progress import Live

    labelled = read_labelled(answers, Mapping.parse(mapping))
    live = Live()
    try:
        calibration = measure(chosen, labelled, show=show, concurrency=concurrency, on_progress=live.working)
    finally:
        live.clear()
    if dry_run:
        print_lines(cost_lines(chosen) or [f"{chosen.name} calls no service: nothing is spent"])
        return
    for line in cost_lines(chosen):
        live.say(line)
    lines = calibration_lines(calibration, answers.name, columns())
    print_facts(calibration_facts(calibration, show=show > 0), lines, as_json=as_json)
