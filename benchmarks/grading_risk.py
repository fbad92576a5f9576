"""Risk against coverage: how often a system errs among the answers of which it is surest, drawn as an SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

POINTS = 40
"""Points of a drawn curve."""
_COLOURS = ("#000000", "#9aa0a6", "#1a73e8", "#e8710a", "#188038", "#a142f4", "#d93025")
_WIDTH, _HEIGHT, _MARGIN = 560, 300, 44


class Column(NamedTuple):
    """What a system said of every answer of a file."""

    errs: NDArray[np.float64]
    """1 where what it says, or would say if it had to, is not what people say; else 0."""
    confidence: NDArray[np.float64]
    graded: NDArray[np.bool_]
    """Whether it says anything; the others are those that it leaves to review."""

    def of(self, rows: NDArray[np.int64]) -> Column:
        """Return the column of some of the answers."""
        return Column(self.errs[rows], self.confidence[rows], self.graded[rows])


def risks(column: Column) -> NDArray[np.float64]:
    """Return the error rate among the surest 1, 2, ... n answers; equally sure ones share their errors.

    What a system leaves to review comes last, whatever its confidence.
    """
    order = np.lexsort((-column.confidence, ~column.graded))
    errs = column.errs[order]
    keys = np.stack((column.graded[order].astype(float), column.confidence[order]))
    starts = np.flatnonzero(np.r_[True, (np.diff(keys) != 0).any(axis=0)])
    sizes = np.diff(np.r_[starts, len(errs)])
    even = np.repeat(np.add.reduceat(errs, starts) / sizes, sizes)
    return np.asarray(np.cumsum(even) / np.arange(1, len(errs) + 1))


def risk_at(column: Column, coverage: float) -> float:
    """Return the error rate among the surest share of the answers."""
    n = max(1, round(coverage * len(column.errs)))
    return float(risks(column)[n - 1])


def area(column: Column) -> float:
    """Return the area under risk against coverage: the mean error over every coverage, 0 the best."""
    return float(risks(column).mean())


def coverage_of(column: Column) -> float:
    """Return the share of the answers that a system grades."""
    return float(column.graded.mean())


def behind(one: Column, other: Column) -> tuple[float, float]:
    """Return by how much one errs more than another at most, over shares from a fortieth on, and where."""
    least = len(one.errs) // POINTS
    more = (risks(one) - risks(other))[least:]
    place = int(more.argmax())
    return float(more[place]), (least + place + 1) / len(one.errs)


def curve(column: Column) -> list[tuple[float, float]]:
    """Return (coverage, risk) at evenly spread coverages."""
    found = risks(column)
    places = np.unique(np.linspace(len(found) / POINTS, len(found), POINTS).astype(int))
    return [(round(float(n / len(found)), 4), round(float(found[n - 1]), 4)) for n in places if n]


def svg(title: str, curves: Mapping[str, Sequence[tuple[float, float]]]) -> str:
    """Return the curves as a drawing, the first one thickest; what lies far above most is left out."""
    highest = [max(risk for _, risk in points) for points in curves.values()]
    most = max(0.1, 1.3 * float(np.median(highest)))
    wide, high = _WIDTH - 4 * _MARGIN, _HEIGHT - 2 * _MARGIN

    def place(coverage: float, risk: float) -> str:
        return f"{_MARGIN + coverage * wide:.1f},{_HEIGHT - _MARGIN - risk / most * high:.1f}"

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}">',
        "<style>text { font: 11px sans-serif }</style>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>',
        f'<text x="{_MARGIN}" y="20">{title}: error among the answers graded, by share graded</text>',
        f'<path d="M{place(0, most)} L{place(0, 0)} L{place(1, 0)}" fill="none" stroke="#5f6368"/>',
    ]
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        x, y = place(share, 0).split(",")
        lines.append(f'<text x="{x}" y="{float(y) + 16:.0f}" text-anchor="middle">{share:.0%}</text>')
        x, y = place(0, share * most).split(",")
        lines.append(
            f'<text x="{float(x) - 6:.0f}" y="{float(y) + 4:.0f}" text-anchor="end">{share * most:.0%}</text>'
        )
    for number, (name, points) in enumerate(curves.items()):
        colour, thick = _COLOURS[number % len(_COLOURS)], 1.5 if number else 3
        path = " ".join(place(*point) for point in points if point[1] <= most)
        name += "" if path else " (above)"  # noqa: PLW2901
        line = _MARGIN + 16 * number
        lines.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{thick}"/>')
        lines.append(f'<text x="{_MARGIN + wide + 12}" y="{line}" fill="{colour}">{name}</text>')
    return "\n".join([*lines, "</svg>", ""])
