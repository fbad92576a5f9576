"""The run as one self-contained HTML page: tables, pictures, and every question."""

from __future__ import annotations

from ragharness.analysis.scores import RunOnDisk, Scores
from ragharness.reports.page import page


def render(scores: Scores, *, run: RunOnDisk, **_: object) -> str:
    """Page."""
    return page([run])
