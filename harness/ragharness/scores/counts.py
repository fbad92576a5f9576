"""Counts of a run: buckets and desired outcomes by row, agreement between epochs, time, tokens and cost."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from ragharness.records import BUCKETS, ROWS
from ragharness.scores.metrics import Share, Span, YesNoAxis, share, span
from ragharness.scores.schema import ROW_NAMES, Desired, Intervals, Row, Spending, Stability, Timing
from ragharness.statistics.intervals import clopper_pearson, quantile, wilson
from ragharness.store.schema import moment

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ragharness.scores.tally import Outcome
    from ragharness.store.schema import Call, Session

STATUSES = ("ok", "no_answer", "needs_review", "error", "timeout", "not_asked")


def by_row(outcomes: Sequence[Outcome]) -> dict[str, Row]:
    """Return the counts of each of the seven rows, also of those that the set does not use."""
    rows = {name: Row() for name in ROWS}
    desired = dict.fromkeys(ROWS, 0)
    questions = {each.question.id: each.question for each in outcomes}
    alike = Counter((each.question.id, each.bucket, each.as_wanted) for each in outcomes)
    for (question, bucket, as_wanted), times in alike.items():
        place = questions[question].row
        rows[place].add(bucket, times)
        desired[place] += times * as_wanted
    for name, row in rows.items():
        row.desired = share(desired[name], row.n)
    return {ROW_NAMES[name]: row for name, row in rows.items()}


def by_bucket(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """Return how many answers are in each bucket."""
    counts = Counter(outcome.bucket for outcome in outcomes)
    return {bucket: counts[bucket] for bucket in BUCKETS}


def by_status(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """Return how many questions have each status, those not asked yet included."""
    counts = Counter(outcome.status for outcome in outcomes)
    return {status: counts[status] for status in STATUSES}


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


def desired(outcomes: Sequence[Outcome]) -> Desired:
    """Return how many answers are in the desired bucket: in all, and by what should be done."""
    answerable = [each for each in outcomes if each.wanted == "correct"]
    return Desired(
        total=_as_wanted(outcomes),
        answer=_as_wanted(answerable),
        refusal=_as_wanted([each for each in outcomes if each.wanted == "refused"]),
        needless_refusals=sum(each.bucket == "refused" for each in answerable),
    )


def _as_wanted(outcomes: Sequence[Outcome]) -> Share:
    return share(sum(outcome.as_wanted for outcome in outcomes), len(outcomes))


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
    starts = sorted(_seconds_at(session.started) for session in sessions)
    ends = [0.0] * len(starts)
    for call in calls:
        if call.started:
            start = _seconds_at(call.started)
            number = bisect_right(starts, start) - 1
            if number >= 0 and start + call.seconds > ends[number]:
                ends[number] = start + call.seconds
    return sum(max(0.0, end - start) for start, end in zip(starts, ends, strict=True))


def _seconds_at(written: str) -> float:
    found = moment(written)
    return found.timestamp() if found else 0.0


def _sum(values: Iterable[Number | None]) -> Number | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
