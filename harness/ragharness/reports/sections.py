"""Tables with a line or two about each, written as text, Markdown, CSV or LaTeX."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ragharness.errors import UnknownName
from ragharness.reports.formats.markdown import escaped
from ragharness.reports.text import aligned, coloured, one_line, paragraph

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ragharness.reports.text import Tone

_LONGEST = 400
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


def render(sections: Sequence[Section], form: str, width: int = 80, *, colour: bool = False) -> str:
    """Return sections in one of the formats, ending with a line break; raises UnknownName."""
    if form not in FORMATS:
        raise UnknownName("report format", form, FORMATS)
    return FORMATS[form](sections, width, colour).strip("\n") + "\n"


def limits(found: tuple[float, float] | None, scale: float = 100) -> str:
    """Return an interval of a difference, in points unless ``scale`` is 1; empty where there is none."""
    if found is None:
        return ""
    places = 1 if scale > 1 else 2
    return f"[{scale * found[0]:+.{places}f},{scale * found[1]:+.{places}f}]"


def p_value(value: float) -> str:
    """Return a p value, never a rounded 0."""
    return "<.001" if value < 0.001 else f"{value:.3f}".removeprefix("0")


def _text(sections: Sequence[Section], width: int, colour: bool) -> str:
    return "\n\n".join("\n".join(_text_of(each, width, colour)) for each in sections)


def _text_of(section: Section, width: int, colour: bool) -> list[str]:
    lines = [section.title.upper()] if section.title else []
    for told in section.told:
        wrapped = paragraph(one_line(told, _LONGEST), width)
        lines += [coloured(line, section.tone, colour) for line in wrapped]
    if section.rows:
        rows = [[one_line(cell, _LONGEST) for cell in row] for row in section.rows]
        head = [each.upper() for each in section.head]
        lines += aligned([head, *rows] if any(head) else rows, section.left)
    return lines


def _markdown(sections: Sequence[Section], _: int, __: bool) -> str:
    parts: list[str] = []
    for number, section in enumerate(sections):
        if section.title:
            parts.append(f"{'##' if number else '#'} {escaped(section.title)}")
        parts += [escaped(told, _LONGEST) for told in section.told]
        if section.rows:
            head = section.head or [""] * len(section.rows[0])
            rule = ["---" if place in section.left else "---:" for place in range(len(head))]
            grid = [[escaped(cell, _LONGEST) for cell in row] for row in (head, *section.rows)]
            parts.append("\n".join(f"| {' | '.join(row)} |" for row in (grid[0], rule, *grid[1:])))
    return "\n\n".join(parts)


def _csv(sections: Sequence[Section], _: int, __: bool) -> str:
    written = io.StringIO()
    lines = csv.writer(written, lineterminator="\n")
    for section in sections:
        if section.rows:
            lines.writerow(["table", *section.head])
            lines.writerows(
                [section.title, *(one_line(cell, _LONGEST) for cell in row)] for row in section.rows
            )
    return written.getvalue()


def _latex(sections: Sequence[Section], _: int, __: bool) -> str:
    parts = []
    for section in sections:
        if section.rows:
            columns = "".join("l" if place in section.left else "r" for place in range(len(section.rows[0])))
            lines = [" & ".join(map(_escaped_latex, row)) + r" \\" for row in (section.head, *section.rows)]
            parts.append(
                "\n".join(
                    (
                        f"% {one_line(section.title)}",
                        f"\\begin{{tabular}}{{{columns}}}",
                        r"\hline",
                        *(lines[:1] if section.head else ()),
                        *((r"\hline",) if section.head else ()),
                        *lines[1:],
                        r"\hline",
                        r"\end{tabular}",
                    )
                )
            )
    return "\n\n".join(parts)


def _escaped_latex(text: str) -> str:
    return "".join(_LATEX.get(each, each) for each in one_line(text, _LONGEST))


FORMATS: dict[str, Callable[[Sequence[Section], int, bool], str]] = {
    "text": _text,
    "markdown": _markdown,
    "csv": _csv,
    "latex": _latex,
}
"""Formats by name; JSON is the value itself."""
