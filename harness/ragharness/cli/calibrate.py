"""``ragharness calibrate``: compare a grader with the labels that people gave to answers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragharness.cli._options import CONCURRENCY, DRY_RUN, FALSE_CORRECT, GRADER, GRADER_OPTION, JSON
from ragharness.errors import UsageError

_ANSWERS = typer.Option(None, "--answers", metavar="FILE", help="Answers labelled by people: JSONL or CSV.")
_MAP = typer.Option(
    "--map",
    metavar="NAME=THEIRS",
    help="Name of a column in FILE, or its values for a label: answer=response, label.correct=1,true.",
)


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("calibrate")(calibrate)


def calibrate(
    answers: Path | None = _ANSWERS,
    mapping: Annotated[list[str] | None, _MAP] = None,
    grader: str = GRADER,
    grader_option: list[str] | None = GRADER_OPTION,
    false_correct: float | None = FALSE_CORRECT,
    concurrency: int = CONCURRENCY,
    dry_run: bool = DRY_RUN,
    show: int = typer.Option(
        0, "--show", help="Print up to N answers on which people and the grader differ."
    ),
    as_json: bool = JSON,
) -> None:
    """Compare the grader with the labels that people gave to answers.

    Each line of FILE has id, question, answers (the gold answers), answer, and label: correct, incorrect or
    refusal.
    """
    from ragharness.calibration import Mapping, read_labelled
    from ragharness.calibration import calibrate as measure
    from ragharness.cli._console import columns, print_json, print_lines
    from ragharness.console import Live
    from ragharness.download import cache_folder
    from ragharness.graders import cost_lines, load_grader
    from ragharness.reports import calibration_facts, calibration_lines

    if answers is None:
        raise UsageError(
            "expected --answers FILE, found none", help="docs/calibration.md describes the format"
        )
    if show < 0:
        raise UsageError(f"expected --show of at least 0, found {show}")
    folder = cache_folder() / "answers"
    chosen = load_grader(grader, false_correct, grader_option or (), cache=folder, dry_run=dry_run)
    labelled = read_labelled(answers, Mapping.parse(mapping or ()))
    live = Live()
    try:
        found = measure(chosen, labelled, show=show, concurrency=concurrency, on_progress=live.working)
    finally:
        live.clear()
    if dry_run:
        print_lines(cost_lines(chosen) or [f"{chosen.name} calls no service: nothing is spent"])
        return
    for line in cost_lines(chosen):
        live.say(line)
    if as_json:
        print_json(calibration_facts(found, show=show > 0))
    else:
        print_lines(calibration_lines(found, answers.name, columns()))
