"""Tables for a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.reports.tables import LONGEST
from ragharness.reports.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.reports.tables import Section

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{each: f"\\{each}" for each in "&%$#_{}"},
}


def render(sections: Sequence[Section], *, width: int, colour: bool) -> str:
    """Return each table as a ``tabular``; titles and sentences are comments."""
    return "\n\n".join("\n".join(_lines(each)) for each in sections)


def _lines(section: Section) -> list[str]:
    told = [f"% {one_line(each, LONGEST)}" for each in (section.title, *section.told) if each]
    return [*told, *(_table(section) if section.rows else [])]


def _table(section: Section) -> list[str]:
    columns = "".join("l" if place in section.left else "r" for place in range(len(section.rows[0])))
    lines = [" & ".join(map(_escaped, row)) + r" \\" for row in (section.head, *section.rows)]
    return [
        f"\\begin{{tabular}}{{{columns}}}",
        r"\hline",
        *([lines[0], r"\hline"] if section.head else []),
        *lines[1:],
        r"\hline",
        r"\end{tabular}",
    ]


def _escaped(text: str) -> str:
    return "".join(_ESCAPES.get(each, each) for each in one_line(text, LONGEST))
