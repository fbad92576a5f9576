"""Agreement between epochs, and intervals that do not count them as independent.

Counts are over question x epoch. Answers to one question are not independent, so that intervals are those of
as many questions as were asked, not of as many answers: Wilson's at the rate of all answers and n / epochs.
That is the worst case, in which further epochs add nothing (a design effect of ``epochs``; Kish 1965, 5.4).
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from ragharness.scores.schema import Intervals, Stability
from ragharness.scores.values import Share, Span, YesNoAxis, share
from ragharness.statistics import clopper_pearson, wilson

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.scores.tally import Outcome


def stability(outcomes: Sequence[Outcome], epochs: int) -> Stability | None:
    """Return how many questions came out the same in every epoch; None where there is one epoch only.

    ``outcomes`` hold the epochs of each question next to each other. A question that is not graded in some
    epoch did not come out the same.
    """
    if epochs == 1:
        return None
    groups = [list(group) for _, group in groupby(outcomes, key=lambda each: each.question.id)]
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
