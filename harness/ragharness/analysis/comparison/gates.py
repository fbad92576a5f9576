"""``gate.toml``: what a change must keep to beside the five rules, and whether the candidate does."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec import Struct

from ragharness.analysis.calibration.note import standing
from ragharness.analysis.comparison.rules import Limits, RuleResult
from ragharness.analysis.metrics import Share, YesNoAxis, metrics, rate, share
from ragharness.analysis.scores.tally import Outcome, Tally
from ragharness.errors import UnknownName, UsageError
from ragharness.records import BUCKETS
from ragharness.runner.run_folder import RunFolder
from ragharness.support.options import read_toml

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
    span = _span(value, len(open_ones), figure.range, len(tally.outcomes))
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


def _span(value: Any, open_ones: int, limits: tuple[int, int | None], n: int) -> Limits:
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
