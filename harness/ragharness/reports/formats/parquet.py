"""The records as Parquet: one row each, beside its question, with typed columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.reports.arrow import parquet
from ragharness.reports.rows import COLUMNS, flat_records

if TYPE_CHECKING:
    from ragharness.reports.rows import RunOnDisk
    from ragharness.scores import Scores


def render(scores: Scores, *, run: RunOnDisk, **_: object) -> bytes:
    """Return the file; raises UsageError where pyarrow is not installed."""
    return parquet(flat_records(run), COLUMNS)
