"""The records as CSV: one row each, beside its question; lists are JSON, what is unknown is empty."""

from __future__ import annotations

import csv
import io
import json

from ragharness.analysis.scores import RunOnDisk, Scores
from ragharness.reports.formats import COLUMNS, flat_records


def render(scores: Scores, *, run: RunOnDisk, **_: object) -> str:
    """Heading and the rows."""
    written = io.StringIO()
    # Ends of lines as in RFC 4180: with a bare line feed a carriage return in an answer stays unquoted.
    lines = csv.writer(written, lineterminator="\r\n")
    lines.writerow(COLUMNS)
    for row in flat_records(run):
        lines.writerow(
            json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
            for value in row.values()
        )
    return written.getvalue()
