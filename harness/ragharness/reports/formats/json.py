"""The scores as JSON."""

from __future__ import annotations

from typing import Any

import msgspec

from ragharness.analysis.scores import RunOnDisk, Scores, written
from ragharness.reports.rubric import scores_of


def render(scores: Scores, *, run: RunOnDisk | None = None, **_: object) -> str:
    """Scores as indented JSON, ending with a line break; those by rubrics without their items."""
    told: Any = scores
    if run is not None and (by_rubrics := scores_of(run.folder)):
        rubrics = [{**msgspec.to_builtins(each), "items": []} for each in by_rubrics]
        told = {**msgspec.to_builtins(scores), "rubrics": rubrics}
    return written(told).decode()
