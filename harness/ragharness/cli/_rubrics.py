"""Scores a run, or any outputs, by a rubric that was settled before."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from ragharness.cli._completing import completion

if TYPE_CHECKING:
    from ragharness.reports.tables import Section
    from ragharness.rubrics.items import Item
    from ragharness.rubrics.rubric import Loaded
    from ragharness.rubrics.scores import RubricScores
    from ragharness.rubrics.scoring import Means
    from ragharness.store import RunFolder

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


class Prepared(NamedTuple):
    """A rubric that is active and what its methods need."""

    loaded: Loaded
    means: Means


def prepare(rubric: str, judge: list[str] | None, people: Path | None, *, offline: bool) -> Prepared:
    """Return a rubric before anything is asked or scored; raises RagharnessError."""
    from ragharness.download import cache_folder
    from ragharness.options import Options
    from ragharness.rubrics.items import read_opinions
    from ragharness.rubrics.judge import ModelJudge
    from ragharness.rubrics.scoring import Means, needs
    from ragharness.rubrics.shelf import open_active

    loaded = open_active(rubric)
    settings = Options.parse(judge or (), flag="--judge").starting("")
    model = ModelJudge(settings, cache_folder(), offline=offline) if settings else None
    means = Means(model, people=read_opinions(people) if people else ())
    return Prepared(loaded, needs(loaded.rubric, means))


def score_by(
    prepared: Prepared, of: RunFolder | Path, base: str = "", *, offline: bool, source: str
) -> tuple[RubricScores, list[Section]]:
    """Return the scores of a run, kept in its folder, or of a file of outputs, and the report of them."""
    import msgspec

    from ragharness.reports.rubric import rubric_scores_sections
    from ragharness.rubrics.items import read_items
    from ragharness.rubrics.scoring import score
    from ragharness.rubrics.shelf import mark_used

    rubric = prepared.loaded.rubric
    items = read_items(of) if isinstance(of, Path) else _items(of, base, offline, source)
    mark_used(prepared.loaded)
    found = score(rubric, items, prepared.means)
    if not isinstance(of, Path):
        of.write(f"rubric-{rubric.title}.yaml", prepared.loaded.text.encode())
        of.write(f"rubric-{rubric.title}.json", msgspec.json.format(msgspec.json.encode(found)))
    return found, rubric_scores_sections(found)


def _items(folder: RunFolder, base: str, offline: bool, source: str) -> list[Item]:
    from ragharness.comparing import gate, read_gates
    from ragharness.rubrics.items import items_of_run
    from ragharness.runner import grading_context
    from ragharness.store import find_run

    grading = grading_context(folder, source=source, offline=offline)
    verdict = gate(find_run(base), folder, read_gates(""), record=False).verdict if base else ""
    records = ((record, grading.passages_of(record)) for record in folder.records())
    return list(items_of_run(folder.questions(), records, verdict))
