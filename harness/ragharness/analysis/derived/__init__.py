"""Metrics that others published, from the records of a run: one file each, found by its name.

Such a file begins with the one sentence that says what the metric is, and has ``METRIC``. Reports and
``docs/metrics.md`` iterate over what is found here and under the entry points ``ragharness.derived``; the
report of a run has none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from ragharness.analysis.metrics import Declaration, declared, mean
from ragharness.analysis.scores.items import Answerable, Item
from ragharness.errors import CodeNotUsable, UnknownName

Items: TypeAlias = "Sequence[Item]"
Figures: TypeAlias = "dict[str, float | None]"
Granularity = Literal["question", "data set"]

WEIGHTS = {"correct": 1.0, "wrong": -3.0, "unsupported": -3.0, "refused": 0.0}
"""An answer pays if it is right with a chance above 3/4 (Kalai et al. 2025, t = 0.75)."""


@dataclass(frozen=True)
class How:
    """Options of a metric."""

    answerable: Answerable = "retrieval"
    """Which reading of *answerable* the value of a metric takes; its figures have both."""
    weights: dict[str, float] = field(default_factory=WEIGHTS.copy)
    """What an answer in each bucket is worth."""


@dataclass(frozen=True, kw_only=True)
class Derived(Declaration):
    """Declaration of a metric of others: its names, meaning and range, and how it is computed.

    Either ``of`` gives the value of one answer, which the metric averages, or ``over`` gives figures of all
    answers at once, ``value`` among them.
    """

    formula: str
    range: tuple[float, float | None] = (0, 1)
    """The least and the greatest value; with weights of your own it may be another."""
    from_texts: bool = False
    """Whether texts alone give it (``scores.trust_eval``), or it needs the buckets of a run."""
    remark: str = ""
    """Where it differs from its source, or what it cannot see."""
    of: Callable[[Item, How], float | None] | None = None
    over: Callable[[Items, How], Figures] | None = None

    @property
    def granularity(self) -> Granularity:
        """Whether a value belongs to one answer, or only to all of them."""
        return "question" if self.of else "data set"


class Measured(Struct, frozen=True, kw_only=True):
    """A metric over the graded answers of a run."""

    name: str
    label: str
    granularity: Granularity
    value: float | None
    n: int
    """Graded answers, those to which the metric does not apply included."""
    undefined: int
    """Answers to which it does not apply; they are not in the mean."""
    ungraded: int
    """Answers without a bucket: counted here, and in no figure but the next."""
    if_wrong: float | None
    """The value if each of them were a wrong answer: failing must not raise a score unseen."""
    figures: dict[str, float | None] = {}
    rows: list[float | None] = []
    """The value of each graded answer; of a metric of the data set the same value each time."""


@cache
def _declared() -> tuple[dict[str, Derived], dict[str, CodeNotUsable]]:
    return declared("derived", __name__, Derived)


def derived() -> dict[str, Derived]:
    """Metrics by name, published ones that cannot be used left out."""
    return _declared()[0]


def derived_metric(name: str, advice: str = "docs/metrics.md lists them") -> Derived:
    """Metric of a name; raises UnknownName, CodeNotUsable."""
    known, unusable = _declared()
    if name in unusable:
        raise unusable[name]
    if name not in known:
        raise UnknownName("metric", name, known, help=advice)
    return known[name]


def measure(
    names: Iterable[str], found: Items, how: How | None = None, *, ungraded: Items = ()
) -> list[Measured]:
    """Metrics over answers, each computed in one pass over all of them; raises UnknownName, CodeNotUsable.

    ``ungraded`` are those without a bucket, as if each were wrong.
    """
    wanted = [derived_metric(name) for name in dict.fromkeys(names)]
    return [_measured(metric, found, how or How(), ungraded) for metric in wanted]


def _measured(metric: Derived, found: Items, how: How, ungraded: Items) -> Measured:
    value, rows, figures = _computed(metric, found, how)
    if_wrong = _computed(metric, [*found, *ungraded], how)[0] if ungraded else value
    return Measured(
        name=metric.name,
        label=metric.label,
        granularity=metric.granularity,
        value=value,
        n=len(found),
        undefined=rows.count(None),
        ungraded=len(ungraded),
        if_wrong=if_wrong,
        figures=figures,
        rows=rows,
    )


def _computed(metric: Derived, found: Items, how: How) -> tuple[float | None, list[float | None], Figures]:
    if metric.of is not None:
        rows = [metric.of(item, how) for item in found]
        return mean([each for each in rows if each is not None]), rows, {}
    compute: Any = metric.over
    figures = compute(found, how)
    value = figures.pop("value")
    return value, [value] * len(found), figures


def ratio(count: float, n: float) -> float:
    """Return a share; 0 of nothing, as the publications have it."""
    return count / n if n else 0.0


def harmonic(one: float, other: float) -> float:
    """Return the harmonic mean; 0 where both are 0."""
    return 2 * one * other / (one + other) if one + other else 0.0


def both_readings(
    compute: Callable[[Items, Answerable], Figures], value: str
) -> Callable[[Items, How], Figures]:
    """Return figures of both readings of *answerable*; ``value`` names the one that the metric is."""

    def over(found: Items, how: How) -> Figures:
        readings: dict[str, Figures] = {
            "retrieval": compute(found, "retrieval"),
            "corpus": compute(found, "corpus"),
        }
        told = {f"{where}.{name}": each for where, part in readings.items() for name, each in part.items()}
        return {"value": readings[how.answerable][value], **told}

    return over
