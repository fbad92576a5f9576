"""Tables with a line or two about each, for all that is not the report of one run, in several formats.

JSON is no format of tables: it is the value itself.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ragharness.errors import UnknownName
from ragharness.reports.text import Tone, aligned, coloured, escaped, one_line, paragraph

LONGEST = 400
"""Characters of a cell or sentence."""

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{each: f"\\{each}" for each in "&%$#_{}"},
}


@dataclass(frozen=True)
class Section:
    """A heading, sentences, and a table under them; each of the three may be missing."""

    title: str = ""
    told: Sequence[str] = ()
    head: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    left: frozenset[int] = frozenset({0})
    """Columns that begin alike; the numbers of the others end alike."""
    tone: Tone | Literal[""] = ""
    """The colour of its sentences on a terminal."""


def table_formats() -> list[str]:
    """Return the names of the formats, in alphabetical order."""
    return ["csv", "latex", "markdown", "text"]


def render(sections: Sequence[Section], form: str, width: int = 80, *, colour: bool = False) -> str:
    """Return sections in one of the formats, ending with a line break; raises UnknownName.

    ``width`` and ``colour`` are what a terminal can show.
    """
    if form not in table_formats():
        raise UnknownName("format of tables", form, [*table_formats(), "json"])
    if form == "csv":
        text = _csv(sections)
    elif form == "markdown":
        text = "\n\n".join(part for n, each in enumerate(sections) for part in _markdown(each, first=not n))
    else:
        parts = [_latex(each) if form == "latex" else _text(each, width, colour) for each in sections]
        text = "\n\n".join(map("\n".join, parts))
    return text.strip("\n") + "\n"


def _csv(sections: Sequence[Section]) -> str:
    """Begin every line with the title of its table, or with ``note`` before a sentence."""
    written = io.StringIO()
    lines = csv.writer(written, lineterminator="\n")
    for section in sections:
        lines.writerows(["note", one_line(told, LONGEST)] for told in section.told)
        if section.rows:
            lines.writerow(["table", *section.head])
            lines.writerows([section.title, *_flat(row)] for row in section.rows)
    return written.getvalue()


def _markdown(section: Section, *, first: bool) -> list[str]:
    """Return paragraphs, with what is foreign in them escaped."""
    parts = [f"{'#' if first else '##'} {escaped(section.title)}"] if section.title else []
    parts += [escaped(told, LONGEST) for told in section.told]
    if section.rows:
        head = section.head or [""] * len(section.rows[0])
        rule = ["---" if place in section.left else "---:" for place in range(len(head))]
        grid = [[escaped(cell, LONGEST) for cell in row] for row in (head, *section.rows)]
        parts.append("\n".join(f"| {' | '.join(row)} |" for row in (grid[0], rule, *grid[1:])))
    return parts


def _latex(section: Section) -> list[str]:
    """Return a ``tabular``; title and sentences are comments."""
    lines = [f"% {one_line(each, LONGEST)}" for each in (section.title, *section.told) if each]
    if section.rows:
        columns = "".join("l" if place in section.left else "r" for place in range(len(section.rows[0])))
        head, *rows = (
            " & ".join("".join(_LATEX.get(each, each) for each in cell) for cell in _flat(row)) + r" \\"
            for row in (section.head, *section.rows)
        )
        lines += [f"\\begin{{tabular}}{{{columns}}}", r"\hline"]
        lines += [head, r"\hline"] if section.head else []
        lines += [*rows, r"\hline", r"\end{tabular}"]
    return lines


def _text(section: Section, width: int, colour: bool) -> list[str]:
    lines = [section.title.upper()] if section.title else []
    for told in section.told:
        wrapped = paragraph(one_line(told, LONGEST), width)
        lines += [coloured(line, section.tone, colour) for line in wrapped]
    if section.rows:
        rows = [_flat(row) for row in section.rows]
        head = [each.upper() for each in section.head]
        lines += aligned([head, *rows] if any(head) else rows, section.left, width, headed=any(head))
    return lines


def _flat(row: Sequence[str]) -> list[str]:
    return [one_line(cell, LONGEST) for cell in row]


def limits(found: tuple[float, float] | None, scale: float = 100) -> str:
    """Return an interval of a difference, in points unless ``scale`` is 1; empty where there is none."""
    if found is None:
        return ""
    places = 1 if scale > 1 else 2
    return f"[{scale * found[0]:+.{places}f},{scale * found[1]:+.{places}f}]"


def p_value(value: float) -> str:
    """Return a p value, never a rounded 0."""
    return "<.001" if value < 0.001 else f"{value:.3f}".removeprefix("0")
