"""Counts of a run: buckets and desired outcomes by row, agreement between epochs, time, tokens and cost."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from ragharness.analysis.metrics import Share, Span, YesNoAxis, how_many, share, span
from ragharness.analysis.scores.schema import ROW_NAMES, Desired, Intervals, Row, Spending, Stability, Timing
from ragharness.analysis.scores.tally import Outcome, Tally, seconds_at
from ragharness.analysis.statistics.intervals import clopper_pearson, quantile, wilson
from ragharness.records import BUCKETS, ROWS
from ragharness.runner.run_schema import Session

STATUSES = ("ok", "no_answer", "needs_review", "error", "timeout", "not_asked")


def by_row(outcomes: Counter[Outcome]) -> dict[str, Row]:
    """Return the counts of each of the seven rows, also of those that the set does not use."""
    rows = {name: Row() for name in ROWS}
    desired = dict.fromkeys(ROWS, 0)
    for each, times in outcomes.items():
        rows[each.row].add(each.bucket, times)
        desired[each.row] += times * each.as_wanted
    for name, row in rows.items():
        row.desired = share(desired[name], row.n)
    return {ROW_NAMES[name]: row for name, row in rows.items()}


def by_bucket(outcomes: Counter[Outcome]) -> dict[str, int]:
    """Return how many answers are in each bucket."""
    return {
        bucket: sum(times for each, times in outcomes.items() if each.bucket == bucket) for bucket in BUCKETS
    }


def by_status(outcomes: Counter[Outcome]) -> dict[str, int]:
    """Return how many questions have each status, those not asked yet included."""
    return {
        status: sum(times for each, times in outcomes.items() if each.status == status) for status in STATUSES
    }


def intervals(buckets: dict[str, int], n: int) -> Intervals:
    """Return the buckets with their intervals over all questions."""
    unacceptable = buckets["wrong"] + buckets["unsupported"]
    bad = {"wrong": buckets["wrong"], "unsupported": buckets["unsupported"], "unacceptable": unacceptable}
    ungraded = n - sum(buckets.values())
    return Intervals(
        **{bucket: span(count, ungraded, n) for bucket, count in buckets.items()},
        unacceptable=span(unacceptable, ungraded, n),
        at_most={
            name: clopper_pearson(0, n)[1] for name, count in bad.items() if count == 0 and n and not ungraded
        },
    )


def desired(outcomes: Counter[Outcome]) -> Desired:
    """Return how many answers are in the desired bucket: in all, and by what should be done."""
    return Desired(
        total=_as_wanted(outcomes, "correct", "refused"),
        answer=_as_wanted(outcomes, "correct"),
        refusal=_as_wanted(outcomes, "refused"),
        needless_refusals=how_many(
            outcomes, lambda each: each.wanted == "correct" and each.bucket == "refused"
        ),
    )


def _as_wanted(outcomes: Counter[Outcome], *wanted: str) -> Share:
    hits = how_many(outcomes, lambda each: each.as_wanted and each.wanted in wanted)
    return share(hits, how_many(outcomes, lambda each: each.wanted in wanted))


def stability(outcomes: Sequence[Outcome], epochs: int) -> Stability | None:
    """Return how many questions came out the same in every epoch; None where there is one epoch only.

    ``outcomes`` hold the epochs of each question next to each other. A question that is not graded in some
    epoch did not come out the same.
    """
    if epochs == 1:
        return None
    groups = [outcomes[first : first + epochs] for first in range(0, len(outcomes), epochs)]
    same = [group for group in groups if len({each.bucket for each in group}) == 1 and group[0].bucket]
    wanted = sum(group[0].as_wanted for group in same)
    return Stability(
        epochs=epochs,
        same_bucket=share(len(same), len(groups)),
        always_desired=share(wanted, len(groups)),
        ever_desired=share(sum(any(each.as_wanted for each in group) for group in groups), len(groups)),
    )


def widened(part: Any, epochs: int) -> Any:
    """Return a part of the scores with the intervals of dependent answers."""
    if epochs == 1:
        return part
    if isinstance(part, Span):
        low, high = _limits(part.count, part.n, epochs)[0], _limits(part.most, part.n, epochs)[1]
        return replace(part, low=low, high=high)
    if isinstance(part, Share):
        low, high = _limits(part.count, part.n, epochs)
        return replace(part, low=low, high=high)
    if isinstance(part, YesNoAxis):
        low, high = _limits(part.yes, part.yes + part.no, epochs)
        return replace(part, low=low, high=high)
    if isinstance(part, dict):
        return {name: widened(value, epochs) for name, value in part.items()}
    if isinstance(part, Struct):
        made = replace(
            part, **{name: widened(getattr(part, name), epochs) for name in part.__struct_fields__}
        )
        return _at_most(made, epochs) if isinstance(made, Intervals) else made
    return part


def _limits(count: int, n: int, epochs: int) -> tuple[float | None, float | None]:
    return wilson(count / epochs, n / epochs) if n else (None, None)


def _at_most(found: Intervals, epochs: int) -> Intervals:
    n = found.correct.n // epochs
    return replace(found, at_most={name: clopper_pearson(0, n)[1] for name in found.at_most})


Number = TypeVar("Number", int, float)


def timing(tally: Tally) -> Timing:
    """Return the quantiles of the times of calls that returned or timed out.

    An answer that was known without a call took none.
    """
    seconds = sorted(took for took, each in zip(tally.seconds, tally.outcomes, strict=True) if each.called)
    if not seconds:
        return Timing(median=None, p95=None, longest=None)
    return Timing(median=quantile(seconds, 0.5), p95=quantile(seconds, 0.95), longest=seconds[-1])


def spending(tally: Tally) -> Spending:
    """Return the sums of what the answers said that they used; those of earlier calls are not paid again."""
    said = [usage for _, usage in sorted(tally.usages.items(), key=itemgetter(0))]
    usages = [usage for usage in said if not usage.from_cache]
    return Spending(
        known=len(usages),
        from_cache=len(said) - len(usages),
        prompt_tokens=_sum(usage.prompt_tokens for usage in usages),
        completion_tokens=_sum(usage.completion_tokens for usage in usages),
        cost=_sum(usage.cost for usage in usages),
    )


def wall_seconds(calls: Iterable[tuple[float, float]], sessions: Sequence[Session]) -> float:
    """Return how long the sessions took together, each from its start to the end of its last answer.

    It follows from what is on disk, so that a session that was killed counts as long as it lived.
    """
    starts = sorted(seconds_at(session.started) for session in sessions)
    ends = [0.0] * len(starts)
    for start, seconds in calls:
        number = bisect_right(starts, start) - 1
        if number >= 0 and start + seconds > ends[number]:
            ends[number] = start + seconds
    return sum(max(0.0, end - start) for start, end in zip(starts, ends, strict=True))


def _sum(values: Iterable[Number | None]) -> Number | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
