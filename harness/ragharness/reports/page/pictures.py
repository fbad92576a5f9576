"""Pictures of runs: bars with intervals, the plane on which runs are points, buckets for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, NamedTuple

from ragharness.reports.text import one_line
from ragharness.scores.values import Share, YesNoAxis

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ragharness.scores import Scores
    from ragharness.scores.metrics import Metric


class Bar(NamedTuple):
    """A rate and its interval in percent; no interval: None."""

    rate: float
    low: float | None
    high: float | None


class Point(NamedTuple):
    """A run on the plane: how much it answers, and how much of all is acceptable, in percent."""

    letter: str
    answered: Bar
    acceptable: Bar


def share_of(count: int, n: int) -> Bar:
    """Return a count out of n, without an interval."""
    return Bar(100 * count / n if n else 0, None, None)


def bar_of(value: object, metric: Metric | None = None) -> Bar | None:
    """Return the bar of a metric's value; None where it has no rate."""
    if isinstance(value, Share):
        return _bar(value.count, value.n, value.low, value.high)
    if isinstance(value, YesNoAxis):
        return _bar(value.yes, value.yes + value.no, value.low, value.high)
    limit = metric.range[1] if metric else None
    if limit and isinstance(value, float):
        return Bar(100 * value / limit, None, None)
    return None


def plane(runs: Mapping[str, Scores]) -> list[Point]:
    """Return the runs as points: answered is neither refused nor ungraded, acceptable correct or refused."""
    return [_point(letter, scores) for letter, scores in runs.items()]


def _bar(count: int, n: int, low: float | None, high: float | None) -> Bar | None:
    if not n or low is None or high is None:
        return None
    return Bar(100 * count / n, 100 * low, 100 * high)


def _point(letter: str, scores: Scores) -> Point:
    counts, n, intervals = scores.buckets, scores.questions, scores.intervals
    answered = counts["correct"] + counts["wrong"] + counts["unsupported"]
    acceptable = counts["correct"] + counts["refused"]
    return Point(letter, _rest(answered, n, intervals.refused), _rest(acceptable, n, intervals.unacceptable))


def _rest(count: int, n: int, others: Share) -> Bar:
    """Return a count with what the interval of all others leaves."""
    if not n or others.low is None or others.high is None:
        return Bar(0, None, None)
    return Bar(100 * count / n, 100 * (1 - others.high), 100 * (1 - others.low))


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
