"""Values of metrics: counts out of n with an interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from ragharness.statistics.intervals import wilson

if TYPE_CHECKING:
    from collections.abc import Sequence


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
