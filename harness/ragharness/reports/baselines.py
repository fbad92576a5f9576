"""Published baselines side by side: the leaderboard of a corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.records import BUCKETS
from ragharness.reports.tables import Section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.scores import Scores


def baseline_section(found: Sequence[tuple[str, Scores]]) -> Section:
    """Return a table of names and scores, the fewest unacceptable answers first."""
    head = ["baseline", *BUCKETS, "ungraded", "unacceptable", "as desired"]
    ranked = sorted(found, key=lambda each: (_unacceptable(each[1]), -each[1].desired.total.count, each[0]))
    return Section("", (), head, [_row(*each) for each in ranked])


def _unacceptable(scores: Scores) -> int:
    return scores.intervals.unacceptable.most


def _row(name: str, scores: Scores) -> list[str]:
    bad, good = scores.intervals.unacceptable, scores.desired.total
    return [
        name,
        *(str(scores.buckets[each]) for each in BUCKETS),
        str(scores.ungraded),
        *(f"{each.count} of {each.n}{_limits(each.low, each.high)}" for each in (bad, good)),
    ]


def _limits(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f" [{100 * low:.0f}-{100 * high:.0f} %]"
