"""What was retrieved as a TREC run file, for trec_eval, ir_measures or pytrec_eval."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.reports.trec import run_lines

if TYPE_CHECKING:
    from ragharness.reports.rows import RunOnDisk
    from ragharness.scores import Scores


def render(scores: Scores, *, run: RunOnDisk, **_: object) -> str:
    """Return the lines."""
    return "".join(run_lines(run))
