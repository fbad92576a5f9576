"""The five rules of the rubric, and the two that can be added, over all questions of two runs.

Ungraded answers make a range of every figure: a rule passes if it does however they turn out,
fails if it does however they turn out, and is undecided between.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from ragharness.analysis.comparison.sides import UNLIMITED, Pair, Pairs, Side, tied

if TYPE_CHECKING:
    from ragharness.analysis.comparison.gates import Gates

_TINY = 1e-9
"""Means of epochs are not exact in binary."""


Count: TypeAlias = tuple[int, int]
"""Of one question in the base and in the candidate, or the least and the most."""


class Limits(Struct, frozen=True):
    """A figure, or the limits between which it lies; None: no limit, or nothing to count."""

    low: float | None
    high: float | None


class RuleResult(Struct, frozen=True, kw_only=True):
    """One rule with both runs' figures and the questions that changed."""

    rule: str
    """G1 to G5 of the rubric; N1 and N2 were added; T: a threshold; C: calibration."""
    name: str
    text: str
    base: Limits | None
    candidate: Limits
    difference: Limits | None
    passes: bool | None
    """None: it depends on ungraded answers."""
    evaluated: bool = True
    """False: there is nothing to compare, so it passes."""
    worse: list[str] = []
    better: list[str] = []
    undecided: list[str] = []
    """Questions with an ungraded answer on which the rule depends."""


def check_rules(base: Side, candidate: Side, pairs: Pairs, gates: Gates) -> list[RuleResult]:
    """Return the five rules, and those that the gates add."""
    shifts = gates.allow_refusal_shift
    rules = [
        _counted(pairs, "G1", "wrong", "wrong may not increase, for any reason", _is("wrong"), at_most=True),
        _counted(
            pairs, "G2", "unsupported", "unsupported may not increase", _is("unsupported"), at_most=True
        ),
        _quality(pairs),
        _claims(pairs),
        _counted(
            pairs,
            "G5",
            "correct",
            "correct may not decrease, but for refusals" if shifts else "correct may not decrease",
            _kept_or_refused if shifts else _is("correct"),
            at_most=False,
        ),
    ]
    if gates.no_new_wrong:
        text = "no question may be newly wrong"
        rules.append(_counted(pairs, "N1", "newly wrong", text, _newly_wrong, at_most=True))
    if gates.citation_supports:
        rules.append(_supports(base, candidate, pairs.by_question))
    return rules


def _is(bucket: str) -> Callable[[str, str], Count]:
    return lambda base, candidate: (int(base == bucket), int(candidate == bucket))


def _newly_wrong(base: str, candidate: str) -> Count:
    return 0, int(candidate == "wrong" and base != "wrong")


def _kept_or_refused(base: str, candidate: str) -> Count:
    kept = candidate == "correct" or (candidate == "refused" and base == "correct")
    return int(base == "correct"), int(kept)


def _counted(
    pairs: Pairs, rule: str, name: str, text: str, count: Callable[[str, str], Count], *, at_most: bool
) -> RuleResult:
    """Return a rule on how many questions have something in either run."""
    limits: dict[Pair, tuple[Count, Count, Count]] = {}
    for pair in pairs.counts:
        both = product(pair.base.buckets, pair.candidate.buckets)
        found = [count(one, other) for one, other in both if one == other or not pair.tied]
        limits[pair] = (
            _ends(one for one, _ in found),
            _ends(other for _, other in found),
            _ends(other - one for one, other in found),
        )
    base, candidate, difference = (
        _total((limits[pair][place], times) for pair, times in pairs.counts.items()) for place in range(3)
    )
    low, high = difference if at_most else (-difference[1], -difference[0])
    up = pairs.where(lambda pair: limits[pair][2][0] > 0)
    down = pairs.where(lambda pair: limits[pair][2][1] < 0)
    passes = True if high <= 0 else False if low > 0 else None
    return RuleResult(
        rule=rule,
        name=name,
        text=text,
        base=_span(base),
        candidate=_span(candidate),
        difference=_span(difference),
        passes=passes,
        worse=up if at_most else down,
        better=down if at_most else up,
        undecided=_open(pairs, lambda pair: limits[pair][2][0] < limits[pair][2][1], passes),
    )


def _quality(pairs: Pairs) -> RuleResult:
    """The mean refusal quality, over the questions that are refused in both runs."""
    moves = {pair: _quality_move(pair) for pair in pairs.counts}
    low, high = _total((moves[pair], times) for pair, times in pairs.counts.items())
    sure = {
        pair: times
        for pair, times in pairs.counts.items()
        if pair.base.buckets == pair.candidate.buckets == {"refused"}
        and pair.base.quality
        and pair.candidate.quality
    }
    n = sum(sure.values())
    means = [
        _total(((side.quality or (0, 0)), times) for side, times in zip(sides, sure.values(), strict=True))
        for sides in ([pair.base for pair in sure], [pair.candidate for pair in sure])
    ]
    base, candidate = (_span((one / n, other / n)) if n else Limits(None, None) for one, other in means)
    passes = True if low >= -_TINY else False if high < -_TINY else None
    return RuleResult(
        rule="G3",
        name="refusal quality",
        text="the mean over questions refused in both runs may not fall",
        base=base,
        candidate=candidate,
        difference=_span((low / n, high / n)) if n else Limits(None, None),
        passes=passes,
        evaluated=bool(n) or passes is None,
        worse=pairs.where(lambda pair: moves[pair][1] < -_TINY),
        better=pairs.where(lambda pair: moves[pair][0] > _TINY),
        undecided=_open(pairs, lambda pair: moves[pair][0] < moves[pair][1], passes),
    )


def _quality_move(pair: Pair) -> tuple[float, float]:
    """Return the limits of what a question adds to the sum of differences in refusal quality."""
    base, candidate, same = pair
    if same or base.quality is None or candidate.quality is None:
        return 0.0, 0.0
    low = candidate.quality[0] - base.quality[1]
    high = candidate.quality[1] - base.quality[0]
    if base.buckets == candidate.buckets == {"refused"}:
        return low, high
    return min(0.0, low), max(0.0, high)


def _claims(pairs: Pairs) -> RuleResult:
    moves = {
        pair: (0.0, 0.0)
        if pair.tied
        else (pair.candidate.claims[0] - pair.base.claims[1], pair.candidate.claims[1] - pair.base.claims[0])
        for pair in pairs.counts
    }
    low, high = _total((moves[pair], times) for pair, times in pairs.counts.items())
    passes = True if high <= _TINY else False if low > _TINY else None
    return RuleResult(
        rule="G4",
        name="uncited claims",
        text="claims without a citation may not increase",
        base=_span(_total((pair.base.claims, times) for pair, times in pairs.counts.items())),
        candidate=_span(_total((pair.candidate.claims, times) for pair, times in pairs.counts.items())),
        difference=_span((low, high)),
        passes=passes,
        worse=pairs.where(lambda pair: moves[pair][0] > _TINY),
        better=pairs.where(lambda pair: moves[pair][1] < -_TINY),
        undecided=_open(pairs, lambda pair: moves[pair][0] < moves[pair][1], passes),
    )


def _supports(base: Side, candidate: Side, names: Iterable[str]) -> RuleResult:
    """The rate of answers whose citations all support them, of those with citations."""
    names = list(names)
    before, after = _support_rate(base, names), _support_rate(candidate, names)
    same = all(tied(base.marks[name], candidate.marks[name]) for name in names)
    difference = (after[0] - before[1], after[1] - before[0]) if before and after else None
    difference = (0.0, 0.0) if same and difference else difference
    low, high = difference or (0.0, 0.0)
    passes = True if low >= -_TINY else False if high < -_TINY else None

    def share(side: Side, name: str) -> int:
        return sum({True: 1, False: -1, None: 0}[each.supports] for each in side.marks[name])

    return RuleResult(
        rule="N2",
        name="citation supports",
        text="the rate of answers whose citations all support them may not fall",
        base=_span(before) if before else Limits(None, None),
        candidate=_span(after) if after else Limits(None, None),
        difference=_span(difference) if difference else None,
        passes=passes,
        evaluated=difference is not None,
        worse=[name for name in names if share(candidate, name) < share(base, name)],
        better=[name for name in names if share(candidate, name) > share(base, name)],
        undecided=[
            name for name in names if passes is None and (_has_open(base, name) or _has_open(candidate, name))
        ],
    )


def _support_rate(side: Side, names: Sequence[str]) -> tuple[float, float] | None:
    found = Counter(
        "open" if mark.bucket is None else mark.supports for name in names for mark in side.marks[name]
    )
    yes, n = found[True], found[True] + found[False] + found["open"]
    return (yes / n, (yes + found["open"]) / n) if n else None


def _has_open(side: Side, name: str) -> bool:
    return any(mark.bucket is None for mark in side.marks[name])


def _open(pairs: Pairs, varies: Callable[[Pair], bool], passes: bool | None) -> list[str]:
    return pairs.where(varies) if passes is None else []


def _ends(values: Iterable[int]) -> Count:
    found = list(values)
    return min(found), max(found)


def _total(limits: Iterable[tuple[tuple[float, float], int]]) -> tuple[float, float]:
    low = high = 0.0
    for (least, most), times in limits:
        low, high = low + least * times, high + most * times
    return low, high


def _span(limits: tuple[float, float]) -> Limits:
    low, high = limits
    return Limits(None if low == -UNLIMITED else low, None if high == UNLIMITED else high)
