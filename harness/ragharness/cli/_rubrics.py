"""Scores a run, or any outputs, by a rubric that was settled before."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ragharness.cli._completing import completion

if TYPE_CHECKING:
    from ragharness.reports.tables import Section
    from ragharness.rubrics.rubric import Loaded
    from ragharness.rubrics.scores import RubricScores
    from ragharness.rubrics.scoring import Means
    from ragharness.store.folder import RunFolder

    Prepared = tuple[Loaded, Means]

EXIT = {"pass": 0, "fail": 1, "incomplete": 2}

RUBRIC: Any = typer.Option(
    "",
    "--rubric",
    metavar="NAME|FILE",
    help="Score by this rubric, too.",
    autocompletion=completion("rubric"),
)
JUDGE: Any = typer.Option(
    None, "--judge", metavar="NAME=VALUE", help="Setting of its judge (model=...); repeatable."
)
PEOPLE: Any = typer.Option(None, "--people", metavar="FILE", help="JSONL of scores by people, kept beside.")
BASE: Any = typer.Option(
    "",
    "--base",
    metavar="RUN",
    help="Run that the ship gate of a rubric compares with.",
    autocompletion=completion("run"),
)


def prepare(rubric: str, judge: list[str] | None, people: Path | None, *, offline: bool) -> Prepared:
    """Return an active rubric and what its methods need, before anything is asked; raises RagharnessError."""
    from ragharness.download.storage import cache_folder
    from ragharness.options import Options
    from ragharness.rubrics import items, scoring, shelf
    from ragharness.rubrics.judge import ModelJudge

    loaded = shelf.open_active(rubric)
    settings = Options.parse(judge or (), flag="--judge").starting("")
    model = ModelJudge(settings, cache_folder(), offline=offline) if settings else None
    means = scoring.Means(model, people=items.read_opinions(people) if people else {})
    return loaded, scoring.needs(loaded.rubric, means)


def score_by(
    prepared: Prepared, of: RunFolder | Path, base: str = "", *, offline: bool, source: str
) -> tuple[RubricScores, list[Section]]:
    """Return the scores of a run, kept in its folder, or of a file of outputs, and the report of them."""
    import msgspec

    from ragharness.comparing.gate import gate
    from ragharness.comparing.gates import read_gates
    from ragharness.reports.rubric import rubric_scores_sections
    from ragharness.rubrics import items, scoring, shelf
    from ragharness.runner.grading import grading_context
    from ragharness.store.search import find_run

    loaded, means = prepared
    if isinstance(of, Path):
        outputs = items.read_items(of)
    else:
        grading = grading_context(of, source=source, offline=offline)
        verdict = gate(find_run(base), of, read_gates(""), record=False).verdict if base else ""
        records = ((record, grading.passages_of(record)) for record in of.records())
        outputs = list(items.items_of_run(of.questions(), records, verdict))
    shelf.mark_used(loaded)
    found = scoring.score(loaded.rubric, outputs, means)
    if not isinstance(of, Path):
        of.write(f"rubric-{loaded.rubric.title}.yaml", loaded.text.encode())
        of.write(f"rubric-{loaded.rubric.title}.json", msgspec.json.format(msgspec.json.encode(found)))
    return found, rubric_scores_sections(found)
