"""The cells of a matrix, and how far each of its axes moves the buckets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ragharness.analysis.comparison.sides import Side, common, differences, read_side, settle
from ragharness.analysis.scores.schema import Scores
from ragharness.analysis.statistics.intervals import cluster_totals
from ragharness.analysis.statistics.paired import sign_flip
from ragharness.errors import NotComparable
from ragharness.records import BUCKETS
from ragharness.runner.run_folder import RunFolder

FORMAT = 1
_WIDTH = len(BUCKETS) + 1
"""Columns of one effect: a sum for each bucket, and how many pairs of answers they are of."""


class MatrixCell(Struct, frozen=True, kw_only=True):
    """One combination: what it is, what was left to ask, and what came out."""

    values: dict[str, str]
    """By axis."""
    calls: int | None
    """Calls that were left before anything was asked; null: it could not begin."""
    cost: float | None
    """US dollars that they cost at most; null: not known."""
    run: str = ""
    """Its run folder; empty: it has none."""
    error: str = ""
    """Why it has none, or was broken off."""
    scores: Scores | None = None

    @property
    def result(self) -> bool:
        """Whether its numbers say something about its pipeline."""
        return not self.error and self.scores is not None and self.scores.result


class BucketChange(Struct, frozen=True):
    """How the share of one bucket moved, paired over questions and cells that differ in this alone."""

    bucket: str
    difference: float
    interval: tuple[float, float]
    """Bootstrap over documents."""
    p: float
    """Sign-flip permutation test over documents, two-sided."""


class Effect(Struct, frozen=True, kw_only=True):
    """What one value of an axis changes against the first, all other axes being equal."""

    axis: str
    base: str
    value: str
    pairs: int
    """Pairs of cells that differ in this axis alone."""
    n: int
    """Pairs of answers: questions graded in both cells of a pair."""
    documents: int
    changes: list[BucketChange]
    moved: float
    """How far the buckets moved: half the sum of the absolute changes of their shares."""
    interval: tuple[float, float]
    less: float = 0.0
    """By how much it moves them less than the strongest effect of another axis; 0: it is the strongest."""
    less_interval: tuple[float, float] | None = None


class Matrix(Struct, frozen=True, kw_only=True):
    """The JSON of ``ragharness matrix``."""

    format: int = FORMAT
    axes: dict[str, tuple[str, ...]]
    cells: list[MatrixCell]
    effects: list[Effect] = []
    """The strongest first."""


def main_effects(
    axes: Mapping[str, tuple[str, ...]], runs: Sequence[tuple[dict[str, str], RunFolder]]
) -> list[Effect]:
    """Return what each value of each axis changes against the first one, the strongest effect first.

    ``runs`` are the cells that have one. Values without a pair of cells are left out. Raises NotComparable
    where not all cells were asked the same.
    """
    sides: list[tuple[dict[str, str], Side]] = []
    for values, folder in runs:
        side = read_side(folder, sides[0][1] if sides else None)
        if sides and (found := differences(sides[0][1].run.settings, side.run.settings)):
            told = "; ".join(found.values()).replace("the base", sides[0][1].name)
            raise NotComparable(
                f"expected cells on the same questions, found {told.replace('the candidate', side.name)}",
                help="a corpus or question set changed between two cells: run the matrix again",
            )
        sides.append((values, side))
    contrasts = [
        (axis, names[0], value, pairs)
        for axis, names in axes.items()
        for value in names[1:]
        if (pairs := _pairs(sides, axis, names[0], value))
    ]
    return _ranked(contrasts) if contrasts else []


def _pairs(
    sides: Sequence[tuple[dict[str, str], Side]], axis: str, base: str, value: str
) -> list[tuple[Side, Side]]:
    """Return the cells that differ in one axis alone, that of its first value before the other."""
    return [
        (one, other) if mine[axis] == base else (other, one)
        for (mine, one), (theirs, other) in combinations(sides, 2)
        if {mine[axis], theirs[axis]} == {base, value} and {**mine, axis: ""} == {**theirs, axis: ""}
    ]


def _ranked(contrasts: Sequence[tuple[str, str, str, list[tuple[Side, Side]]]]) -> list[Effect]:
    import numpy as np

    moved = [_by_document(pairs) for *_, pairs in contrasts]
    documents = sorted({document for each in moved for document in each})
    zeros = [0.0] * _WIDTH
    sums = np.array([[x for each in moved for x in each.get(name, zeros)] for name in documents])
    totals, drawn = sums.sum(axis=0), cluster_totals(sums)
    found = []
    for place, (axis, base, value, pairs) in enumerate(contrasts):
        columns = slice(place * _WIDTH, (place + 1) * _WIDTH)
        (*shares, n), draws = totals[columns], drawn[:, columns]
        if not n:
            continue
        shares = [float(each / n) for each in shares]
        # A draw may have none of the documents that the contrast is about.
        means = draws[:, :-1] / np.where(draws[:, -1:] > 0, draws[:, -1:], np.nan)
        own = sums[:, columns]
        changes = [
            BucketChange(bucket, share, _interval(means[:, at]), sign_flip([float(x) for x in own[:, at]]))
            for at, (bucket, share) in enumerate(zip(BUCKETS, shares, strict=True))
        ]
        distances = np.abs(means).sum(axis=1) / 2
        effect = Effect(
            axis=axis,
            base=base,
            value=value,
            pairs=len(pairs),
            n=int(n),
            documents=int((own[:, -1] > 0).sum()),
            changes=changes,
            moved=sum(map(abs, shares)) / 2,
            interval=_interval(distances),
        )
        found.append((effect, distances))
    found.sort(key=lambda each: -each[0].moved)
    return [_beside_strongest(effect, distances, found[0]) for effect, distances in found]


def _beside_strongest(effect: Effect, distances: Any, strongest: tuple[Effect, Any]) -> Effect:
    first, draws = strongest
    if effect.axis == first.axis:
        return effect
    return replace(effect, less=first.moved - effect.moved, less_interval=_interval(draws - distances))


def _by_document(pairs: Sequence[tuple[Side, Side]]) -> dict[str, list[float]]:
    """Return for each document the sum of moves into each bucket, and of how many pairs of answers it is."""
    found: dict[str, list[float]] = {}
    for base, other in pairs:
        for name in common(base, other):
            was, now = (settle(side.marks[name], "majority").buckets for side in (base, other))
            if len(was) == len(now) == 1:
                sums = found.setdefault(base.asked[name].document or name, [0.0] * _WIDTH)
                for at, bucket in enumerate(BUCKETS):
                    sums[at] += (bucket in now) - (bucket in was)
                sums[-1] += 1
    return found


def _interval(draws: Any) -> tuple[float, float]:
    import numpy as np

    low, high = np.nanquantile(draws, (0.025, 0.975))
    return float(low), float(high)
