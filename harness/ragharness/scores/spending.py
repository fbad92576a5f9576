"""Time, tokens and cost."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from ragharness.scores.schema import Spending, Timing
from ragharness.statistics import quantile

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ragharness.scores.tally import Outcome
    from ragharness.store import Call, Session

Number = TypeVar("Number", int, float)


def timing(outcomes: Sequence[Outcome]) -> Timing:
    """Return the quantiles of the times of calls that returned or timed out.

    An answer that was known without a call took none.
    """
    called = [each for each in outcomes if each.attempts and each.status not in {"error", "not_asked"}]
    seconds = [each.seconds for each in called]
    if not seconds:
        return Timing(median=None, p95=None, longest=None)
    return Timing(median=quantile(seconds, 0.5), p95=quantile(seconds, 0.95), longest=max(seconds))


def spending(outcomes: Sequence[Outcome]) -> Spending:
    """Return the sums of what the answers said that they used; those of earlier calls are not paid again."""
    said = [each.usage for each in outcomes if each.usage is not None]
    usages = [usage for usage in said if not usage.from_cache]
    return Spending(
        known=len(usages),
        from_cache=len(said) - len(usages),
        prompt_tokens=_sum(usage.prompt_tokens for usage in usages),
        completion_tokens=_sum(usage.completion_tokens for usage in usages),
        cost=_sum(usage.cost for usage in usages),
    )


def wall_seconds(calls: Iterable[Outcome | Call], sessions: Sequence[Session]) -> float:
    """Return how long the sessions took together, each from its start to the end of its last answer.

    It follows from what is on disk, so that a session that was killed counts as long as it lived.
    """
    starts = sorted(datetime.fromisoformat(session.started).timestamp() for session in sessions)
    ends = [0.0] * len(starts)
    for call in calls:
        if call.started:
            start = datetime.fromisoformat(call.started).timestamp()
            number = sum(begin <= start for begin in starts) - 1
            if number >= 0:
                ends[number] = max(ends[number], start + call.seconds)
    return sum(max(0.0, end - start) for start, end in zip(starts, ends, strict=True))


def _sum(values: Iterable[Number | None]) -> Number | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
