"""Tables as CSV: the first cell of every line is the title of its table, or ``note`` before a sentence."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from ragharness.reports.tables import LONGEST
from ragharness.reports.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.reports.tables import Section


def render(sections: Sequence[Section], *, width: int, colour: bool) -> str:
    """Return the sections one below the other."""
    written = io.StringIO()
    lines = csv.writer(written, lineterminator="\n")
    for section in sections:
        lines.writerows(["note", one_line(told, LONGEST)] for told in section.told)
        if section.rows:
            lines.writerow(["table", *section.head])
            lines.writerows(
                [section.title, *(one_line(cell, LONGEST) for cell in row)] for row in section.rows
            )
    return written.getvalue()
