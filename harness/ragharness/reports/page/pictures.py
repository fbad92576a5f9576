"""Numbers of the pictures: bars with intervals, and the plane on which runs are points."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

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
