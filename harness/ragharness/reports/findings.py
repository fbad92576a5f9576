"""The part of the terminal report below the table: axes, retrieval, misses, errors, notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.reports import words
from ragharness.reports.text import counted, flow, ids, labelled, one_line, paragraph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.scores import Scores
    from ragharness.scores.metrics import Part

_GROUPS = 5
"""Kinds of errors that are listed; the rest is counted."""

_LONGEST_PROBLEM = 2100
"""Characters of an error's message: more than a record keeps of one."""

_INDENT = 11
_NAME = 17


def findings(scores: Scores, width: int, *, wide: bool, detail: bool) -> list[str]:
    """Return the lines; ``wide`` puts two short figures on one line, ``detail`` adds axes and retrieval."""
    return [
        *_grid("EPOCHS", words.stability(scores), wide=False),
        *_why(scores, width),
        *_worst(scores, width, 5 if wide else 3),
        *_errors(scores, width),
        *(line for note in scores.notes for line in labelled("NOTE", note, width, _INDENT)),
        *(_details(scores, width, wide=wide) if detail else []),
    ]


def _details(scores: Scores, width: int, *, wide: bool) -> list[str]:
    uncited = "no citation", _answers(scores.axes.citation_exists.null)
    desired = scores.desired
    shares = [("should answer", counted(desired.answer)), ("should refuse", counted(desired.refusal))]
    return [
        "",
        *_grid("DESIRED", shares, wide=wide),
        *_grid("AXES", _figures(scores, "axes", (3, *uncited)), wide=wide),
        *_explained(scores, "axes", width),
        *_grid("RETRIEVAL", _figures(scores, "retrieval"), wide=wide),
        *_explained(scores, "retrieval", width),
    ]


def _answers(count: int) -> str:
    return f"{count} answer{'s' * (count != 1)}"


def _figures(scores: Scores, part: Part, *more: tuple[int, str, str]) -> list[tuple[str, str]]:
    """Return names and values in their places, with what else has a place among them."""
    cells = [
        (metric.places[1], words.named(metric.short, scores), words.figure(metric, value))
        for metric, value in words.measured(scores, part)
        if metric.short and not metric.remark
    ]
    return [(name, told) for _, name, told in sorted([*cells, *more])]


def _explained(scores: Scores, part: Part, width: int) -> list[str]:
    size = _INDENT + _NAME + 1
    shown = [each for each in words.measured(scores, part) if each[0].remark]
    return [
        line
        for metric, value in sorted(shown, key=lambda each: each[0].places[1])
        for line in labelled(
            f"{'':<{_INDENT}}{words.named(metric.short, scores):<{_NAME}} ",
            f"{words.figure(metric, value)} {metric.remark}",
            width,
            size,
        )
    ]


def _grid(label: str, cells: Sequence[tuple[str, str]], *, wide: bool) -> list[str]:
    per_line = 2 if wide else 1
    longest = max((len(name) for name, _ in cells[::per_line]), default=0)
    # What the names of the first column need more, those of the second have to spare.
    more = max(0, longest - _NAME)
    sizes = (_NAME + more, _NAME - more)
    lines = []
    for first in range(0, len(cells), per_line):
        pairs = zip(cells[first : first + per_line], sizes, strict=False)
        texts = [f"{name:<{size}} {value:<17}" for (name, value), size in pairs]
        head = label if first == 0 else ""
        lines.append(f"{head:<{_INDENT}}{''.join(texts)}".rstrip())
    return lines


def _why(scores: Scores, width: int) -> list[str]:
    missed = scores.questions - scores.desired.total.count
    items = [f"{name} {count}" for name, count in words.missed(scores)]
    return flow(items, width, f"{f'{missed} MISSES':<{_INDENT - 1}} ") if missed else []


def _worst(scores: Scores, width: int, most: int) -> list[str]:
    return flow(
        [f"{kind} {ids(names, most)}" for kind, names in words.worst(scores)[:3]], width, "WORST      "
    )


def _errors(scores: Scores, width: int) -> list[str]:
    lines: list[str] = []
    groups = words.oddities(scores)
    for text, questions in groups[:_GROUPS]:
        told = f"{len(questions)}x {one_line(text, _LONGEST_PROBLEM)}"
        lines += labelled("" if lines else "ERRORS", told, width, _INDENT)
        lines += paragraph(ids(questions), width, " " * (_INDENT + 3))
    if len(groups) > _GROUPS:
        lines.append(f"{'':<{_INDENT}}and {len(groups) - _GROUPS} other kinds (see --json)")
    return lines
