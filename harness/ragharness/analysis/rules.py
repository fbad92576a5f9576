"""The five rules of the rubric, and the two that can be added, over all questions of two runs.

Ungraded answers make a range of every figure: a rule passes if it does however they turn out,
fails if it does however they turn out, and is undecided between.
"""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec
from msgspec import Struct

from ragharness.analysis.calibration_note import standing
from ragharness.analysis.metrics import Outcome, Share, Tally, YesNoAxis, metrics, rate, share
from ragharness.analysis.sides import UNLIMITED, Pair, Pairs, Side, tied
from ragharness.errors import UnknownName, UsageError
from ragharness.records import BUCKETS
from ragharness.runner.run_folder import RunFolder
from ragharness.support.options import read_toml

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


DIFFERENCES = ("corpus", "question_set", "grader", "epochs")
"""What must be the same in both runs, unless it is allowed by name."""

_SHAPE = re.compile(r"\s*([A-Za-z][\w-]*)\s*(<=|>=|=)\s*(.*?)\s*")
_LIMIT = re.compile(r"\s*(<=|>=)?\s*([-+]?\d*\.?\d+(?:[eE][-+]?\d+)?)\s*(%?)\s*")
_SWITCHES = ("no_new_wrong", "allow_refusal_shift", "citation_supports", "calibrated")
_YES = {"yes": True, "true": True, "no": False, "false": False}
_EXAMPLE = "--gates 'no_new_wrong=yes,over_refusal<=0.1', or a gate.toml (docs/gate.md)"


class Gates(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of the gate; the five rules always hold."""

    no_new_wrong: bool = False
    """Reject if any question is newly wrong, also if as many others were fixed."""
    allow_refusal_shift: bool = False
    """A correct answer that becomes a refusal does not count against the change."""
    citation_supports: bool = False
    """The rate of answers whose citations all support may not fall."""
    calibrated: bool = False
    """Both runs must be calibrated by people's labels (``ragharness calibrate RUN``)."""
    epochs: Literal["majority", "any"] = "majority"
    """Which bucket a question has that was asked several times."""
    allow: tuple[str, ...] = ()
    """Differences between the runs that are accepted, by name."""
    thresholds: dict[str, float | str] = {}
    """Limits of the candidate's own figures: a number, or a text such as ``"<= 0.1"``."""


class Limit(Struct, frozen=True):
    """A limit of one figure; without a sign it is meant in the figure's own direction."""

    sign: Literal["", "<=", ">="]
    value: float

    def holds(self, value: float) -> bool:
        """Whether a value keeps to it."""
        return bool((operator.le if self.sign == "<=" else operator.ge)(value, self.value))


def read_gates(text: str) -> Gates:
    """Return the gates from a file's path or from ``name=value,...``; raises UsageError."""
    if not text.strip():
        return Gates()
    if text.endswith(".toml") or Path(text).is_file():
        return _checked(read_toml(text, _EXAMPLE), text)
    values: dict[str, Any] = {"thresholds": {}}
    for part in filter(str.strip, text.split(",")):
        found = _SHAPE.fullmatch(part)
        if found is None:
            raise UsageError(f"expected name=value, found {part.strip()!r}", help=_EXAMPLE)
        name, sign, value = found[1].replace("-", "_"), found[2], found[3]
        if name in values or name in values["thresholds"]:
            raise UsageError(f"expected {name} once, found it twice", help=_EXAMPLE)
        if name in _SWITCHES and value.lower() not in _YES:
            raise UsageError(f"expected {name}=yes or no, found {value!r}", help=_EXAMPLE)
        if name in _SWITCHES:
            values[name] = _YES[value.lower()]
        elif name == "allow":
            values[name] = value.split("+")
        elif name == "epochs":
            values[name] = value
        else:
            values["thresholds"][name] = value if sign == "=" else f"{sign}{value}"
    return _checked(values, "--gates")


def limit_of(name: str, given: float | str) -> Limit:
    """Return a threshold as it was given; raises UsageError."""
    found = _LIMIT.fullmatch(str(given))
    if found is None:
        raise UsageError(f"expected {name} with a limit such as 0.1, <= 0.1 or >= 90%, found {given!r}")
    sign: Any = found[1] or ""
    return Limit(sign, float(found[2]) / (100 if found[3] else 1))


def _checked(values: Any, where: str) -> Gates:
    for name in values:
        if name not in Gates.__struct_fields__:
            raise UnknownName("setting of the gate", name, Gates.__struct_fields__)
    try:
        gates = msgspec.convert(values, Gates)
    except msgspec.ValidationError as error:
        raise UsageError(f"expected gates in {where}, found: {error}", help=_EXAMPLE) from error
    for name in gates.allow:
        if name not in DIFFERENCES:
            raise UnknownName("difference to allow", name, DIFFERENCES)
    for name, given in gates.thresholds.items():
        limit_of(name, given)
    return gates


class Figure(NamedTuple):
    """A figure that can have a limit."""

    sentence: str
    compute: Callable[[Sequence[Outcome], int | None], Any]
    higher_is_better: bool | None
    """None: neither, so that a limit needs a sign."""
    range: tuple[int, int | None] = (0, 1)
    of_evidence: bool = False
    """Over the questions whose evidence is in reach; grading changes nothing of it."""


def figures() -> dict[str, Figure]:
    """Return every figure by its name in gates."""
    found = {
        each.name: Figure(
            each.sentence, each.compute, each.higher_is_better, each.range, each.part == "retrieval"
        )
        for part in ("axes", "retrieval")
        for each in metrics(part)
    }
    ways = {"correct": True, "wrong": False, "unsupported": False, "refused": None}
    for bucket in BUCKETS:
        found[bucket] = _of_all(f"Answers in the bucket {bucket}", ways[bucket], _in_bucket(bucket))
    return found | {
        "unacceptable": _of_all("Wrong or unsupported", False, _in_bucket("wrong", "unsupported")),
        "as_desired": _of_all("In the desired bucket", True, lambda each: each.as_wanted),
        "ungraded": _of_all("Without a bucket", False, lambda each: not each.bucket),
        "precision": _of_answered("Correct", _in_bucket("correct")),
        "chr": _of_answered("Citations all retrieved, one of them with gold evidence", _hits),
        "under": found["under_refusal"],
        "over": found["over_refusal"],
    }


def _of_all(told: str, higher_is_better: bool | None, holds: Callable[[Outcome], bool]) -> Figure:
    return Figure(f"{told}, of all.", lambda all_of, _: rate(all_of, holds), higher_is_better)


def _of_answered(told: str, holds: Callable[[Outcome], bool]) -> Figure:
    def compute(all_of: Sequence[Outcome], _: int | None) -> Share:
        return rate(all_of, holds, lambda each: each.answered)

    return Figure(f"{told}, of those answered.", compute, True)


def _in_bucket(*buckets: str) -> Callable[[Outcome], bool]:
    return lambda each: each.bucket in buckets


def _hits(each: Outcome) -> bool:
    return each.evidence_cited and each.citation_exists == "yes"


def check_thresholds(gates: Gates, folder: RunFolder) -> list[RuleResult]:
    """Return each threshold with the candidate's figure; raises UnknownName, UsageError, RunNotUsable."""
    limits = limits_of(gates)
    if not limits:
        return []
    run = folder.run
    tally = Tally(folder.checked_questions(), run.settings.epochs).add(folder.records())
    k = run.settings.k if run.takes == "passages" else None
    return [_held(name, limit, tally, k) for name, limit in limits.items()]


def check_calibration(gates: Gates, *runs: RunFolder) -> list[RuleResult]:
    """Return whether the grader is calibrated on the runs, where the gates ask for it; open where not."""
    if not gates.calibrated:
        return []
    lacking = [f"{each.name} is {told}" for each in runs for holds, told in [standing(each)] if not holds]
    return [
        RuleResult(
            rule="C",
            name="calibrated",
            text="; ".join(lacking) or "both runs are calibrated",
            base=None,
            candidate=Limits(None, None),
            difference=None,
            passes=None if lacking else True,
        )
    ]


def limits_of(gates: Gates) -> dict[str, Limit]:
    """Return the thresholds by the name of their figure; raises UnknownName, UsageError."""
    return {name: _limit(name, given) for name, given in gates.thresholds.items()}


def _limit(name: str, given: float | str) -> Limit:
    """Return a limit with its sign; a bare number is meant in the figure's own direction."""
    known = figures()
    if name not in known:
        raise UnknownName("figure for a threshold", name, known, help="docs/gate.md lists them")
    limit, figure = limit_of(name, given), known[name]
    least, most = figure.range
    if limit.value < least or (most is not None and limit.value > most):
        to = f" to {most}" if most is not None else " up"
        raise UsageError(f"expected the limit of {name} to be a number from {least}{to}, found {given}")
    if limit.sign:
        return limit
    if figure.higher_is_better is None:
        raise UsageError(f"expected {name}<=... or {name}>=..., found {name}={given}")
    return Limit(">=" if figure.higher_is_better else "<=", limit.value)


def _held(name: str, limit: Limit, tally: Tally, k: int | None) -> RuleResult:
    figure = figures()[name]
    within = tally.outcomes
    if figure.of_evidence:
        within = [each for each in within if each.wanted == "correct" and each.located]
    value = figure.compute(within, k)
    closed = figure.of_evidence or name == "ungraded"
    open_ones = [] if closed else tally.named(lambda each: not each.bucket)
    span = _figure_span(value, len(open_ones), figure.range, len(tally.outcomes))
    ends = [limit.holds(end) if end is not None else False for end in (span.low, span.high)]
    if span.high is None and limit.sign == ">=" and span.low is not None:
        ends[1] = True
    passes = None if ends[0] != ends[1] or span == Limits(None, None) else ends[0]
    return RuleResult(
        rule="T",
        name=name,
        text=f"{limit.sign} {limit.value:g}",
        base=None,
        candidate=span,
        difference=None,
        passes=passes,
        evaluated=span != Limits(None, None),
        undecided=list(dict.fromkeys(question for question, _ in open_ones)) if passes is None else [],
    )


def _figure_span(value: Any, open_ones: int, limits: tuple[int, int | None], n: int) -> Limits:
    """Return the limits of a figure over n answers; each ungraded one counts for it or against it."""
    if isinstance(value, YesNoAxis):
        value = share(value.yes, value.yes + value.no)
    if isinstance(value, Share):
        if not value.n + open_ones:
            return Limits(None, None)
        # Of all answers, or of those of one kind, to which more may come.
        most = value.n if value.n == n else value.n + open_ones
        return Limits(value.count / most, min(1.0, (value.count + open_ones) / max(value.n, 1)))
    if hasattr(value, "sum"):
        return Limits(float(value.sum), None if open_ones else float(value.sum))
    if hasattr(value, "mean"):
        total, of = (value.mean or 0.0) * value.n, value.n + open_ones
        ends = [(total + (end or 0) * open_ones) / of for end in limits] if of else [None, None]
        return Limits(*ends)
    if isinstance(value, int):
        return Limits(value, value + open_ones)
    return Limits(value, value)
