"""Metrics: one file each, found by its name, with a definition and a function that computes it.

A metric's module is named as its value is in the JSON of the scores, begins with the one sentence that says
what it is, and has ``METRIC``. The JSON, its schema, every report and the tables of the documentation iterate
over what is found here.
"""

from __future__ import annotations

import pkgutil
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from operator import attrgetter
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from ragharness.analysis.scores.tally import Outcome
from ragharness.analysis.statistics.intervals import wilson

Compute = Callable[[Sequence[Outcome], int | None], Any]

Part: TypeAlias = Literal["axes", "retrieval"]


class Share(Struct, frozen=True, kw_only=True):
    """A count out of n with Wilson's 95 % interval of its rate; no interval where n is 0."""

    count: int
    n: int
    low: float | None
    high: float | None


def share(count: int, n: int) -> Share:
    """Return a count out of n with its interval."""
    if n == 0:
        return Share(count=count, n=0, low=None, high=None)
    low, high = wilson(count, n)
    return Share(count=count, n=n, low=low, high=high)


class Span(Share, frozen=True, kw_only=True):
    """A count that ungraded answers may add to: ``low`` is that of the count, ``high`` that of ``most``."""

    most: int


def span(count: int, ungraded: int, n: int) -> Span:
    """Return a count out of n that is ``ungraded`` higher at most, with its interval."""
    low, high = share(count, n).low, share(count + ungraded, n).high
    return Span(count=count, n=n, low=low, high=high, most=count + ungraded)


class YesNoAxis(Struct, frozen=True, kw_only=True):
    """A yes/no axis over the graded answers; those to which it does not apply are counted aloud."""

    yes: int
    no: int
    null: int
    low: float | None
    high: float | None


def yes_no(values: Sequence[str | None]) -> YesNoAxis:
    """Return how often an axis is yes, no, or does not apply (None)."""
    yes, no = values.count("yes"), values.count("no")
    rate = share(yes, yes + no)
    return YesNoAxis(yes=yes, no=no, null=len(values) - yes - no, low=rate.low, high=rate.high)


@dataclass(frozen=True, kw_only=True)
class Metric:
    """What one figure is called, what it means, and how it follows from the outcomes.

    ``{top}`` and ``{at_k}`` in its names become "in top 5" and "@5", where the harness retrieved 5 passages.
    """

    name: str = ""
    """The name of its file, and ``sentence`` the first one there: filled in where it is found."""
    sentence: str = ""
    part: Part
    """Where in the scores it stands: ``axes`` are handed all outcomes, ``retrieval`` those with evidence."""
    places: tuple[int, int]
    """Its places in that part: of the JSON and Markdown, and of the terminal's report (0: not shown)."""
    label: str
    """Its name in Markdown."""
    short: str = ""
    """Its name in the terminal's report."""
    remark: str = ""
    """What the terminal says behind the value, on a line of its own."""
    absent: str = ""
    """How Markdown names the answers to which a yes/no metric does not apply."""
    words: Callable[[Any], str] | None = None
    """The value in words; None: as every value of its type is written."""
    range: tuple[int, int | None] = (0, 1)
    """The least and the greatest value, of the rate where it is a count out of n; None: no limit."""
    higher_is_better: bool
    source: str = "this project"
    type: Any = Share
    compute: Compute
    """From the outcomes, and how many passages the harness retrieved (None: the pipeline decided it)."""


@lru_cache
def metrics(part: Part) -> tuple[Metric, ...]:
    """Return the metrics of a part of the scores, in their order."""
    modules = [import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)]
    found = [
        replace(
            each.METRIC, name=each.__name__.rpartition(".")[2], sentence=(each.__doc__ or "").split("\n")[0]
        )
        for each in modules
        if each.METRIC.part == part
    ]
    return tuple(sorted(found, key=lambda each: each.places))


def graded(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Return the graded answers, those alike side by side."""
    found = Counter(outcomes)
    return [each for each in found if each.judged and each.status == "ok" for _ in range(found[each])]


def how_many(outcomes: Counter[Outcome], holds: Callable[[Outcome], object]) -> int:
    """Return of how many outcomes something holds."""
    return sum(times for each, times in outcomes.items() if holds(each))


def rate(
    outcomes: Sequence[Outcome],
    hit: Callable[[Outcome], bool],
    among: Callable[[Outcome], object] = lambda _: True,
) -> Share:
    """Return of how many outcomes something holds, of those among which it is looked for."""
    found = Counter(outcomes)
    return share(how_many(found, lambda each: among(each) and hit(each)), how_many(found, among))


def mean_of(outcomes: Sequence[Outcome], value: Callable[[Outcome], float]) -> float | None:
    """Return the mean of what each outcome is worth, added in their order; None where there is none."""
    known = {each: value(each) for each in set(outcomes)}
    return mean([known[each] for each in outcomes])


def mean(values: Sequence[float]) -> float | None:
    """Return the mean of some values; None where there is none."""
    return sum(values) / len(values) if values else None


def rate_of(name: str, among: str = "") -> Compute:
    """Return what computes of how many outcomes a property holds, or of those with another property."""
    holds = attrgetter(name)
    within = attrgetter(among) if among else lambda _: True
    return lambda outcomes, _: rate(outcomes, holds, within)


def mean_by(name: str) -> Compute:
    """Return what computes the mean of a property of the outcomes."""
    return lambda outcomes, _: mean_of(outcomes, attrgetter(name))


def axis_of(name: str) -> Compute:
    """Return what computes how often an axis of the verdicts is yes, no, or does not apply."""
    return lambda outcomes, _: yes_no([getattr(each, name) for each in graded(outcomes)])


def flagged(flag: str) -> Compute:
    """Return what computes how many graded answers have a flag."""
    return lambda outcomes, _: sum(flag in each.flags for each in graded(outcomes))
