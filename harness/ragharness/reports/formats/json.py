"""The scores as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from ragharness.reports.rubric import scores_of
from ragharness.scores.schema import Scores

if TYPE_CHECKING:
    from ragharness.reports.rows import RunOnDisk


def render(scores: Scores, *, run: RunOnDisk | None = None, **_: object) -> str:
    """Return the scores as indented JSON, ending with a line break; those by rubrics without their items."""
    told: Any = scores
    if run is not None and (by_rubrics := scores_of(run.folder)):
        rubrics = [{**msgspec.to_builtins(each), "items": []} for each in by_rubrics]
        told = {**msgspec.to_builtins(scores), "rubrics": rubrics}
    return msgspec.json.format(msgspec.json.encode(told)).decode() + "\n"


def read_scores(content: bytes) -> Scores:
    """Return the scores that ``render`` wrote; raises msgspec.MsgspecError for anything else."""
    return msgspec.json.decode(content, type=Scores)
