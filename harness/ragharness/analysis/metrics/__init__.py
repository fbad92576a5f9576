"""Metrics: one file each, found by its name, with a definition and a function that computes it.

A metric's module is named as its value is in the JSON of the scores, begins with the one sentence that says
what it is, and has ``METRIC``. The JSON, its schema, every report and the tables of the documentation iterate
over what is found here and under the entry points ``ragharness.metrics``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from operator import attrgetter
from typing import Any, Literal, TypeAlias, TypeVar

from msgspec import Struct

from ragharness.analysis.scores.tally import Outcome
from ragharness.analysis.statistics.intervals import wilson
from ragharness.errors import CodeNotUsable
from ragharness.support import plugins

Compute = Callable[[Sequence[Outcome], int | None], Any]

Part: TypeAlias = Literal["axes", "retrieval"]


class Share(Struct, frozen=True, kw_only=True):
    """A count out of n with Wilson's 95 % interval of its rate; no interval where n is 0."""

    count: int
    n: int
    low: float | None
    high: float | None


def share(count: int, n: int) -> Share:
    """Return a count out of n with its interval."""
    if n == 0:
        return Share(count=count, n=0, low=None, high=None)
    low, high = wilson(count, n)
    return Share(count=count, n=n, low=low, high=high)


class Span(Share, frozen=True, kw_only=True):
    """A count that ungraded answers may add to: ``low`` is that of the count, ``high`` that of ``most``."""

    most: int


def span(count: int, ungraded: int, n: int) -> Span:
    """Return a count out of n that is ``ungraded`` higher at most, with its interval."""
    low, high = share(count, n).low, share(count + ungraded, n).high
    return Span(count=count, n=n, low=low, high=high, most=count + ungraded)


class YesNoAxis(Struct, frozen=True, kw_only=True):
    """A yes/no axis over the graded answers; those to which it does not apply are counted aloud."""

    yes: int
    no: int
    null: int
    low: float | None
    high: float | None


def yes_no(values: Sequence[str | None]) -> YesNoAxis:
    """Return how often an axis is yes, no, or does not apply (None)."""
    yes, no = values.count("yes"), values.count("no")
    rate = share(yes, yes + no)
    return YesNoAxis(yes=yes, no=no, null=len(values) - yes - no, low=rate.low, high=rate.high)


@dataclass(frozen=True, kw_only=True)
class Declaration:
    """What a file of a metric declares."""

    name: str = ""
    """The name of its file, and ``sentence`` the first one there: filled in where it is found."""
    sentence: str = ""
    label: str
    source: str = "this project"
    higher_is_better: bool = True


Declared = TypeVar("Declared", bound=Declaration)


def declared(
    kind: str, folder: str, of: type[Declared]
) -> tuple[dict[str, Declared], dict[str, CodeNotUsable]]:
    """Declarations of a kind by name, and what is wrong with published ones that cannot be used."""
    found: dict[str, Declared] = {}
    unusable: dict[str, CodeNotUsable] = {}
    for name in plugins.names(kind, folder):
        try:
            module = plugins.load(kind, folder, name, "METRIC")
        except CodeNotUsable as error:
            unusable[name] = error
            continue
        if isinstance(module.METRIC, of):
            sentence = (module.__doc__ or "").split("\n")[0]
            found[name] = replace(module.METRIC, name=name, sentence=sentence)
        else:
            wrong = TypeError(f"METRIC of {module.__name__} is no {of.__name__}")
            unusable[name] = plugins.unusable(kind, name, wrong)
    return found, unusable


@dataclass(frozen=True, kw_only=True)
class Metric(Declaration):
    """Declaration of a metric of the scores: its names, meaning and range, and how it is computed.

    ``{top}`` and ``{at_k}`` in its names become "in top 5" and "@5", where the harness retrieved 5 passages.
    """

    part: Part
    """Where in the scores it stands: ``axes`` are handed all outcomes, ``retrieval`` those with evidence."""
    short: str = ""
    """Its name in the terminal's report, ``label`` the one in Markdown; empty: only Markdown has it."""
    remark: str = ""
    """What the terminal says behind the value, on a line of its own."""
    absent: str = ""
    """How Markdown names the answers to which a yes/no metric does not apply."""
    words: Callable[[Any], str] | None = None
    """The value in words; None: as every value of its type is written."""
    range: tuple[int, int | None] = (0, 1)
    """The least and the greatest value, of the rate where it is a count out of n; None: no limit."""
    type: Any = Share
    compute: Compute
    """From the outcomes, and how many passages the harness retrieved (None: the pipeline decided it)."""


_FIRST = (
    *("citation_exists", "citation_supports", "extra_claim_count", "refusal_quality"),
    *("over_refusal", "over_refusal_all", "under_refusal", "hedged", "mixed"),
    *("any_evidence", "all_evidence", "evidence_first", "document", "evidence_in_document", "mrr", "ndcg"),
)
"""Metrics in the order of the JSON; any other follows in alphabetical order."""


@cache
def _declared() -> tuple[dict[str, Metric], dict[str, CodeNotUsable]]:
    return declared("metrics", __name__, Metric)


@cache
def metrics(part: Part) -> tuple[Metric, ...]:
    """Metrics of a part of the scores, in the order of the JSON."""
    known = _declared()[0]
    ordered = [known[name] for name in dict.fromkeys((*_FIRST, *known)) if name in known]
    return tuple(metric for metric in ordered if metric.part == part)


def unusable_metrics() -> list[str]:
    """A sentence about each published metric that cannot be used."""
    return [str(error) for error in _declared()[1].values()]


def graded(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Return the graded answers, those alike side by side."""
    found = Counter(outcomes)
    return [each for each in found if each.judged and each.status == "ok" for _ in range(found[each])]


def how_many(outcomes: Counter[Outcome], holds: Callable[[Outcome], object]) -> int:
    """Return of how many outcomes something holds."""
    return sum(times for each, times in outcomes.items() if holds(each))


def rate(
    outcomes: Sequence[Outcome],
    hit: Callable[[Outcome], bool],
    among: Callable[[Outcome], object] = lambda _: True,
) -> Share:
    """Return of how many outcomes something holds, of those among which it is looked for."""
    found = Counter(outcomes)
    return share(how_many(found, lambda each: among(each) and hit(each)), how_many(found, among))


def mean_of(outcomes: Sequence[Outcome], value: Callable[[Outcome], float]) -> float | None:
    """Return the mean of what each outcome is worth, added in their order; None where there is none."""
    known = {each: value(each) for each in set(outcomes)}
    return mean([known[each] for each in outcomes])


def mean(values: Sequence[float]) -> float | None:
    """Return the mean of some values; None where there is none."""
    return sum(values) / len(values) if values else None


def rate_of(name: str, among: str = "") -> Compute:
    """Return what computes of how many outcomes a property holds, or of those with another property."""
    holds = attrgetter(name)
    within = attrgetter(among) if among else lambda _: True
    return lambda outcomes, _: rate(outcomes, holds, within)


def mean_by(name: str) -> Compute:
    """Return what computes the mean of a property of the outcomes."""
    return lambda outcomes, _: mean_of(outcomes, attrgetter(name))


def axis_of(name: str) -> Compute:
    """Return what computes how often an axis of the verdicts is yes, no, or does not apply."""
    return lambda outcomes, _: yes_no([getattr(each, name) for each in graded(outcomes)])


def flagged(flag: str) -> Compute:
    """Return what computes how many graded answers have a flag."""
    return lambda outcomes, _: sum(flag in each.flags for each in graded(outcomes))
