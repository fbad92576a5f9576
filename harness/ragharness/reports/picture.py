"""Buckets of runs as bars, for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from ragharness.reports.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

_COLOURS = {
    "correct": "#3a8f5c",
    "refused": "#9fb4c7",
    "unsupported": "#e0a13c",
    "wrong": "#c0392b",
    "ungraded": "#dddddd",
}
_WIDTH, _LABEL, _HEIGHT = 720, 220, 26


def bars(runs: Mapping[str, Mapping[str, int]]) -> str:
    """Return an SVG picture with a bar for each run, parted by bucket."""
    drawn = []
    for number, (name, counts) in enumerate(runs.items()):
        top, total, left = number * _HEIGHT, sum(counts.values()) or 1, float(_LABEL)
        drawn.append(f'<text x="0" y="{top + 16}">{escape(one_line(name, 32))}</text>')
        for bucket, colour in _COLOURS.items():
            width = (_WIDTH - _LABEL) * counts.get(bucket, 0) / total
            if width:
                told = f"{bucket.replace('_', ' ')} {counts[bucket]}"
                drawn.append(
                    f'<rect x="{left:.1f}" y="{top + 2}" width="{width:.1f}" height="{_HEIGHT - 6}"'
                    f' fill="{colour}"><title>{told}</title></rect>'
                )
                left += width
    key = "".join(
        f'<tspan fill="{colour}" dx="{10 if number else 0}">&#9632;</tspan> {bucket.replace("_", " ")}'
        for number, (bucket, colour) in enumerate(_COLOURS.items())
    )
    height = (len(runs) + 1) * _HEIGHT
    drawn.append(f'<text x="{_LABEL}" y="{height - 8}">{key}</text>')
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}"'
    return f'{head} font-family="sans-serif" font-size="13">{"".join(drawn)}</svg>'
