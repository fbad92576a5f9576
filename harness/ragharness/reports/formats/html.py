"""The run as one self-contained HTML page: tables, pictures, and every question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.reports.page import page

if TYPE_CHECKING:
    from ragharness.reports.rows import RunOnDisk
    from ragharness.scores.schema import Scores


def render(scores: Scores, *, run: RunOnDisk, **_: object) -> str:
    """Return the page."""
    return page([run])
