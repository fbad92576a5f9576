"""Limits of the candidate's own figures: those of the question set, the metrics, and some by other names."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from ragharness.calibration import standing
from ragharness.comparing.gates import Limit, limit_of
from ragharness.comparing.rules import Limits, RuleResult
from ragharness.errors import UnknownName, UsageError
from ragharness.records import BUCKETS
from ragharness.scores.metrics import metrics, rate
from ragharness.scores.tally import outcomes
from ragharness.scores.values import Share, YesNoAxis, share

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ragharness.comparing.gates import Gates
    from ragharness.scores.tally import Outcome
    from ragharness.store import RunFolder


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
        found[bucket] = Figure(
            f"Answers in the bucket {bucket}, of all.", partial(_in_buckets, (bucket,)), ways[bucket]
        )
    return found | {
        "unacceptable": Figure(
            "Wrong or unsupported, of all.", partial(_in_buckets, ("wrong", "unsupported")), False
        ),
        "as_desired": Figure(
            "In the desired bucket, of all.",
            lambda all_of, _: rate(all_of, lambda each: each.as_wanted),
            True,
        ),
        "ungraded": Figure(
            "Without a bucket, of all.", lambda all_of, _: rate(all_of, lambda each: not each.bucket), False
        ),
        "precision": Figure("Correct, of those answered.", _precision, True),
        "chr": Figure(
            "Citations all retrieved, one of them with gold evidence, of those answered.",
            _citation_hits,
            True,
        ),
        "under": found["under_refusal"],
        "over": found["over_refusal"],
    }


def check_thresholds(gates: Gates, folder: RunFolder) -> list[RuleResult]:
    """Return each threshold with the candidate's figure; raises UnknownName, UsageError, RunNotUsable."""
    limits = limits_of(gates)
    if not limits:
        return []
    run = folder.run
    all_of = outcomes(folder.questions(), folder.records(), run.settings.epochs)
    k = run.settings.k if run.takes == "passages" else None
    return [_checked(name, limit, all_of, k) for name, limit in limits.items()]


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


def _checked(name: str, limit: Limit, all_of: Sequence[Outcome], k: int | None) -> RuleResult:
    figure = figures()[name]
    within = all_of
    if figure.of_evidence:
        within = [each for each in all_of if each.question.wanted == "correct" and each.question.evidence]
    value = figure.compute(within, k)
    open_ones = (
        [] if figure.of_evidence or name == "ungraded" else [each for each in all_of if not each.bucket]
    )
    span = _span(value, len(open_ones), figure.range, len(all_of))
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
        undecided=list(dict.fromkeys(each.question.id for each in open_ones)) if passes is None else [],
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


def _in_buckets(buckets: tuple[str, ...], all_of: Sequence[Outcome], _: int | None) -> Share:
    return rate(all_of, lambda each: each.bucket in buckets)


def _precision(all_of: Sequence[Outcome], _: int | None) -> Share:
    return rate(_answered(all_of), lambda each: each.bucket == "correct")


def _citation_hits(all_of: Sequence[Outcome], _: int | None) -> Share:
    def hit(each: Outcome) -> bool:
        return each.evidence_cited and each.verdict is not None and each.verdict.citation_exists == "yes"

    return rate(_answered(all_of), hit)


def _answered(all_of: Sequence[Outcome]) -> list[Outcome]:
    return [each for each in all_of if each.bucket and each.bucket != "refused"]
