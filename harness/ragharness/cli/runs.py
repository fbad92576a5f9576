"""``ragharness runs``: list the runs, newest first."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ragharness.cli._options import JSON, columns, print_json, print_lines

if TYPE_CHECKING:
    from ragharness.results import Run

_UNITS = ((86400, "d"), (3600, "h"), (60, "min"))


def runs(
    folder: str = typer.Argument("runs", help="Folder that holds the runs."), as_json: bool = JSON
) -> None:
    """List the runs, newest first: what was asked, the verdict, the age.

    Example: ragharness runs --json
    """
    from ragharness.errors import RunNotUsable
    from ragharness.results import Run
    from ragharness.runner.run_search import list_runs

    descriptions = [_described(Run(run)) for run in list_runs(Path(folder))]
    if as_json:
        print_json(descriptions)
    elif descriptions:
        print_lines([line for run in descriptions for line in _lines(run)])
    else:
        raise RunNotUsable(f"expected runs in the folder {folder}, found none", help="ragharness run")


def _described(run: Run) -> dict[str, Any]:
    settings = run.settings
    return {
        "name": run.path.name,
        "corpus": settings.corpus,
        "pipeline": settings.pipeline,
        "model": settings.pipeline_settings.get("model", ""),
        "retriever": settings.retriever,
        "k": settings.k,
        "tags": list(run.folder.run.tags),
        "created": run.folder.run.created,
        "result": run.verdict.result,
        "verdict": run.verdict.sentence,
    }


def _lines(run: dict[str, Any]) -> list[str]:
    from ragharness.reports.text import flow, one_line, paragraph

    retriever = f"{run['retriever']} k={run['k']}"
    setting = [run["corpus"], run["pipeline"], run["model"], retriever, *(f"[{tag}]" for tag in run["tags"])]
    width = columns()
    return [
        one_line(f"{run['name']}  ({_age(run['created'])} old)", width),
        *flow([one_line(str(part)) for part in setting if part], width, "  ", "  "),
        *paragraph(run["verdict"], width, "  "),
    ]


def _age(created: str) -> str:
    from ragharness.runner.run_folder import moment

    if (began := moment(created)) is None:
        return "?"
    seconds = (datetime.now(timezone.utc) - began).total_seconds()
    for size, unit in _UNITS:
        if seconds >= size:
            return f"{seconds // size:.0f} {unit}"
    return f"{max(0.0, seconds):.0f} s"
