"""The rules of the gate: the five of the rubric, those that ``gate.toml`` adds, and thresholds of figures.

Ungraded answers make a range of every figure: a rule passes if it does however they turn out,
fails if it does however they turn out, and is undecided between.
"""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec
from msgspec import Struct

from ragharness.analysis.calibrating import standing
from ragharness.analysis.metrics import PARTS, Outcome, Share, Tally, YesNoAxis, metrics, rate, share
from ragharness.analysis.sides import DIFFERENCES, UNLIMITED, Pair, Pairs, Side, tied
from ragharness.errors import UnknownName, UsageError
from ragharness.records import BUCKETS, Citations
from ragharness.runner.run_folder import RunFolder
from ragharness.support.options import read_toml

_SHAPE = re.compile(r"\s*([A-Za-z][\w-]*)\s*(<=|>=|=)\s*(.*?)\s*")
_LIMIT = re.compile(r"\s*(<=|>=)?\s*([-+]?\d*\.?\d+(?:[eE][-+]?\d+)?)\s*(%?)\s*")
_SWITCHES = ("no_new_wrong", "allow_refusal_shift", "citation_supports", "calibrated")
_YES = {"yes": True, "true": True, "no": False, "false": False}
_EXAMPLE = "--gates 'no_new_wrong=yes,over_refusal<=0.1', or a gate.toml (docs/gate.md)"


class Gates(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of the gate; the five rules always hold."""

    no_new_wrong: bool = False  # reject if any question is newly wrong, also if as many others were fixed
    allow_refusal_shift: bool = False
    """A correct answer that becomes a refusal does not count against the change."""
    citation_supports: bool = False  # the rate of answers whose citations all support may not fall
    calibrated: bool = False  # both runs must be calibrated by people's labels (``ragharness calibrate RUN``)
    citations: Citations | None = None  # what must have supported the answers of both runs; null: anything
    epochs: Literal["majority", "any"] = "majority"
    """Which bucket a question has that was asked several times."""
    allow: tuple[str, ...] = ()  # differences between the runs that are accepted, by name
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
    """Gates from a file's path or from ``name=value,...``; raises UsageError."""
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
        if name in _SWITCHES:
            if value.lower() not in _YES:
                raise UsageError(f"expected {name}=yes or no, found {value!r}", help=_EXAMPLE)
            values[name] = _YES[value.lower()]
        elif name in ("allow", "epochs", "citations"):
            values[name] = value.split("+") if name == "allow" else value
        else:
            values["thresholds"][name] = value if sign == "=" else f"{sign}{value}"
    return _checked(values, "--gates")


def limit_of(name: str, given: float | str) -> Limit:
    """Threshold as it was given; raises UsageError."""
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


_TINY = 1e-9  # means of epochs are not exact in binary

Count: TypeAlias = tuple[int, int]  # of one question in base and candidate, or the least and the most
Ends: TypeAlias = tuple[float, float]  # the least and the most that a figure can be


class Limits(Struct, frozen=True):
    """A figure, or the limits between which it lies; None: no limit, or nothing to count."""

    low: float | None
    high: float | None


class RuleResult(Struct, frozen=True):
    """One rule with both runs' figures and the questions that changed."""

    rule: str  # G1 to G5 of the rubric; N1 and N2 were added; T: a threshold; A: attribution; C: calibration
    name: str
    text: str
    base: Limits | None
    candidate: Limits
    difference: Limits | None
    passes: bool | None  # None: it depends on ungraded answers
    evaluated: bool = True  # false: there is nothing to compare, so it passes
    worse: list[str] = []
    better: list[str] = []
    undecided: list[str] = []  # questions with an ungraded answer on which the rule depends


def check_rules(base: Side, candidate: Side, pairs: Pairs, gates: Gates) -> list[RuleResult]:
    """The five rules, and those that the gates add."""
    shifts = gates.allow_refusal_shift
    correct = "correct may not decrease, but for refusals" if shifts else "correct may not decrease"
    kept = _correct_or_refused if shifts else _is("correct")
    rules = [
        _counted(pairs, "G1", "wrong", "wrong may not increase, for any reason", _is("wrong")),
        _counted(pairs, "G2", "unsupported", "unsupported may not increase", _is("unsupported")),
        _quality(pairs),
        _claims(pairs),
        _counted(pairs, "G5", "correct", correct, kept, at_most=False),
    ]
    if gates.no_new_wrong:
        about = ("N1", "newly wrong", "no question may be newly wrong")
        rules.append(_counted(pairs, *about, lambda was, now: (0, int(now == "wrong" != was))))
    if gates.citation_supports:
        rules.append(_supports(base, candidate, list(pairs.by_question)))
    return rules


def _is(bucket: str) -> Callable[[str, str], Count]:
    return lambda base, candidate: (int(base == bucket), int(candidate == bucket))


def _correct_or_refused(base: str, candidate: str) -> Count:
    retained = candidate == "correct" or (candidate == "refused" and base == "correct")
    return int(base == "correct"), int(retained)


def _result(
    pairs: Pairs,
    about: tuple[str, str, str],
    figures: tuple[Limits, Limits, Limits],
    moves: Mapping[Pair, Ends],
    *,
    at_most: bool,
    evaluated: bool = True,
) -> RuleResult:
    """Rule on the sum of what each question adds, of which only the ends are known."""
    low, high = _total(pairs, moves)
    worst, best = (high, low) if at_most else (-low, -high)
    passes = True if worst <= _TINY else False if best > _TINY else None
    up = pairs.where(lambda pair: moves[pair][0] > _TINY)
    down = pairs.where(lambda pair: moves[pair][1] < -_TINY)
    return RuleResult(
        *about,
        *figures,
        passes,
        evaluated=evaluated or passes is None,
        worse=up if at_most else down,
        better=down if at_most else up,
        undecided=pairs.where(lambda pair: moves[pair][0] < moves[pair][1]) if passes is None else [],
    )


def _counted(
    pairs: Pairs, rule: str, name: str, text: str, count: Callable[[str, str], Count], *, at_most: bool = True
) -> RuleResult:
    before, after, moves = {}, {}, {}
    for pair in pairs.counts:
        outcomes = product(pair.base.buckets, pair.candidate.buckets)
        counts = [count(was, now) for was, now in outcomes if was == now or not pair.tied]
        before[pair] = _ends(was for was, _ in counts)
        after[pair] = _ends(now for _, now in counts)
        moves[pair] = _ends(now - was for was, now in counts)
    base, candidate, difference = (_limits(_total(pairs, ends)) for ends in (before, after, moves))
    return _result(pairs, (rule, name, text), (base, candidate, difference), moves, at_most=at_most)


def _quality(pairs: Pairs) -> RuleResult:
    moves = {pair: _quality_move(pair) for pair in pairs.counts}
    sure = {
        pair: (pair.base.quality, pair.candidate.quality)
        for pair in pairs.counts
        if pair.base.buckets == pair.candidate.buckets == {"refused"}
    }
    known = {pair: (was, now) for pair, (was, now) in sure.items() if was and now}
    n = sum(pairs.counts[pair] for pair in known)
    before, after = ({pair: ends[place] for pair, ends in known.items()} for place in (0, 1))
    base, candidate, difference = (
        _limits((low / n, high / n)) if n else Limits(None, None)
        for low, high in (_total(pairs, ends) for ends in (before, after, moves))
    )
    about = ("G3", "refusal quality", "the mean over questions refused in both runs may not fall")
    return _result(pairs, about, (base, candidate, difference), moves, at_most=False, evaluated=n > 0)


def _quality_move(pair: Pair) -> Ends:
    """Ends of what a question adds to the sum of differences in refusal quality."""
    was, now = pair.base.quality, pair.candidate.quality
    if pair.tied or was is None or now is None:
        return 0.0, 0.0
    low, high = now[0] - was[1], now[1] - was[0]
    if pair.base.buckets == pair.candidate.buckets == {"refused"}:
        return low, high
    return min(0.0, low), max(0.0, high)


def _claims(pairs: Pairs) -> RuleResult:
    before = {pair: pair.base.claims for pair in pairs.counts}
    after = {pair: pair.candidate.claims for pair in pairs.counts}
    moves = {pair: _move(before[pair], after[pair], same=pair.tied) for pair in pairs.counts}
    base, candidate, difference = (_limits(_total(pairs, ends)) for ends in (before, after, moves))
    about = ("G4", "uncited claims", "claims without a citation may not increase")
    return _result(pairs, about, (base, candidate, difference), moves, at_most=True)


def _move(before: Ends, after: Ends, *, same: bool) -> Ends:
    return (0.0, 0.0) if same else (after[0] - before[1], after[1] - before[0])


def _supports(base: Side, candidate: Side, names: Sequence[str]) -> RuleResult:
    before, after = _support_rate(base, names), _support_rate(candidate, names)
    difference: Ends | None = None
    if before and after:
        same = all(tied(base.marks[name], candidate.marks[name]) for name in names)
        difference = _move(before, after, same=same)
    low, high = difference or (0.0, 0.0)
    passes = True if low >= -_TINY else False if high < -_TINY else None

    def balance(side: Side, name: str) -> int:
        return sum({True: 1, False: -1, None: 0}[mark.supports] for mark in side.marks[name])

    ungraded = base.ungraded() | candidate.ungraded()
    return RuleResult(
        "N2",
        "citation supports",
        "the rate of answers whose citations all support them may not fall",
        _limits(before) if before else Limits(None, None),
        _limits(after) if after else Limits(None, None),
        _limits(difference) if difference else None,
        passes,
        evaluated=difference is not None,
        worse=[name for name in names if balance(candidate, name) < balance(base, name)],
        better=[name for name in names if balance(candidate, name) > balance(base, name)],
        undecided=[name for name in names if passes is None and name in ungraded],
    )


def _support_rate(side: Side, names: Sequence[str]) -> Ends | None:
    marks = [mark for name in names for mark in side.marks[name]]
    counts = Counter("open" if mark.bucket is None else mark.supports for mark in marks)
    yes, n = counts[True], counts[True] + counts[False] + counts["open"]
    return (yes / n, (yes + counts["open"]) / n) if n else None


def _ends(values: Iterable[int]) -> Count:
    counts = list(values)
    return min(counts), max(counts)


def _total(pairs: Pairs, ends: Mapping[Pair, Ends]) -> Ends:
    low = sum((least * pairs.counts[pair] for pair, (least, _) in ends.items()), 0.0)
    high = sum((most * pairs.counts[pair] for pair, (_, most) in ends.items()), 0.0)
    return low, high


def _limits(ends: Ends) -> Limits:
    low, high = ends
    return Limits(None if low == -UNLIMITED else low, None if high == UNLIMITED else high)


class Figure(NamedTuple):
    """A figure that can have a limit."""

    sentence: str
    compute: Callable[[Sequence[Outcome], int | None], Any]
    higher_is_better: bool | None  # None: neither, so that a limit needs a sign
    range: tuple[int, int | None] = (0, 1)
    of_evidence: bool = False  # over the questions whose evidence is in reach; grading changes nothing of it


def figures() -> dict[str, Figure]:
    """Every figure by its name in gates."""
    of_metrics = {
        metric.name: Figure(
            metric.sentence, metric.compute, metric.higher_is_better, metric.range, part == "retrieval"
        )
        for part in PARTS
        for metric in metrics(part)
    }
    higher = {"correct": True, "wrong": False, "unsupported": False, "refused": None}
    buckets: dict[str, Figure] = {
        bucket: _of_all(f"Answers in the bucket {bucket}", higher[bucket], _in_bucket(bucket))
        for bucket in BUCKETS
    }
    return {
        **of_metrics,
        **buckets,
        "unacceptable": _of_all("Wrong or unsupported", False, _in_bucket("wrong", "unsupported")),
        "as_desired": _of_all("In the desired bucket", True, lambda outcome: outcome.as_wanted),
        "ungraded": _of_all("Without a bucket", False, lambda outcome: not outcome.bucket),
        "precision": _of_answered("Correct", _in_bucket("correct")),
        "chr": _of_answered(
            "Citations all retrieved, one of them with gold evidence",
            lambda outcome: outcome.evidence_cited and outcome.citation_exists == "yes",
        ),
        "under": of_metrics["under_refusal"],
        "over": of_metrics["over_refusal"],
    }


def _of_all(sentence: str, higher_is_better: bool | None, hit: Callable[[Outcome], bool]) -> Figure:
    return Figure(f"{sentence}, of all.", lambda outcomes, _: rate(outcomes, hit), higher_is_better)


def _of_answered(sentence: str, hit: Callable[[Outcome], bool]) -> Figure:
    def compute(outcomes: Sequence[Outcome], _: int | None) -> Share:
        return rate(outcomes, hit, lambda outcome: outcome.answered)

    return Figure(f"{sentence}, of those answered.", compute, True)


def _in_bucket(*buckets: str) -> Callable[[Outcome], bool]:
    return lambda outcome: outcome.bucket in buckets


def check_thresholds(gates: Gates, folder: RunFolder) -> list[RuleResult]:
    """Each threshold with the candidate's figure; raises UnknownName, UsageError, RunNotUsable."""
    limits = limits_of(gates)
    if not limits:
        return []
    run = folder.run
    tally = Tally(folder.checked_questions(), run.settings.epochs).add(folder.records())
    k = run.settings.k if run.takes == "passages" else None
    return [_held(name, limit, tally, k) for name, limit in limits.items()]


def check_citations(gates: Gates, *sides: Side) -> list[RuleResult]:
    """Whether the answers of the runs had to be supported as the gates ask for; open where not."""
    wanted = gates.citations
    if wanted is None:
        return []
    others = [f"{side.name} by {side.run.citations}" for side in sides if side.run.citations != wanted]
    text = f"both runs are graded by {wanted}"
    if others:
        text = f"{', '.join(others)}, wanted {wanted}: ragharness grade RUN --citations {wanted}"
    return [RuleResult("A", "citations", text, None, Limits(None, None), None, None if others else True)]


def check_calibration(gates: Gates, *runs: RunFolder) -> list[RuleResult]:
    """Whether the grader is calibrated on the runs, where the gates ask for it; open where not."""
    if not gates.calibrated:
        return []
    standings = [(run.name, *standing(run)) for run in runs]
    lacking = [f"{name} is {sentence}" for name, calibrated, sentence in standings if not calibrated]
    text = "; ".join(lacking) or "both runs are calibrated"
    return [RuleResult("C", "calibrated", text, None, Limits(None, None), None, None if lacking else True)]


def limits_of(gates: Gates) -> dict[str, Limit]:
    """Thresholds with their signs by the name of their figure; raises UnknownName, UsageError."""
    limits, known = {}, figures() if gates.thresholds else {}
    for name, text in gates.thresholds.items():
        if name not in known:
            raise UnknownName("figure for a threshold", name, known, help="docs/gate.md lists them")
        limit, figure = limit_of(name, text), known[name]
        least, most = figure.range
        if limit.value < least or (most is not None and limit.value > most):
            to = f" to {most}" if most is not None else " up"
            raise UsageError(f"expected the limit of {name} to be a number from {least}{to}, found {text}")
        if not limit.sign and figure.higher_is_better is None:
            raise UsageError(f"expected {name}<=... or {name}>=..., found {name}={text}")
        limits[name] = Limit(limit.sign or (">=" if figure.higher_is_better else "<="), limit.value)
    return limits


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
        "T",
        name,
        f"{limit.sign} {limit.value:g}",
        None,
        span,
        None,
        passes,
        evaluated=span != Limits(None, None),
        undecided=list(dict.fromkeys(question for question, _ in open_ones)) if passes is None else [],
    )


def _figure_span(value: Any, open_ones: int, limits: tuple[int, int | None], n: int) -> Limits:
    """Limits of a figure over n answers; each ungraded one counts for it or against it."""
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
