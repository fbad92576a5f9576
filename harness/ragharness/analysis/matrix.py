"""The cells of a ``matrix.toml``: every combination of its axes, and how far each axis moves the buckets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from itertools import combinations, product
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from ragharness.analysis.intervals import cluster_totals, joint_test
from ragharness.analysis.scores import Scores
from ragharness.analysis.sides import Side, common, differences, read_side, settle
from ragharness.config import RunConfig, flag_of
from ragharness.errors import NotComparable, UnknownName, UsageError
from ragharness.records import BUCKETS
from ragharness.runner.run_folder import RunFolder
from ragharness.support.options import read_toml

_HEADINGS = ("Pipeline", "Retrieval")  # of options that may differ: questions, epochs and grading may not
_TABLES = ("pipeline_option", "retriever_option")  # their settings may be axes: ``pipeline_option.prompt``
_REFUSED = ("out", "fresh")  # without a meaning: each cell has a run folder of its own and is continued
_TYPES: dict[str, tuple[type, ...]] = {  # of the options that are not texts
    "int": (int,),
    "float": (int, float),
    "float | None": (int, float),
    "bool": (bool,),
    "tuple[str, ...]": (str, list),
}
_BY_FLAG = {flag_of(field.name): field.name for field in fields(RunConfig)}  # as flags, or as in Python
_EXAMPLE = "docs/matrix.md shows a matrix.toml"


class Cell(NamedTuple):
    """One combination."""

    values: dict[str, str]  # by axis, as they are shown
    config: RunConfig

    @property
    def name(self) -> str:
        """The values in words: ``model=a k=5``."""
        return " ".join(f"{axis}={value}" for axis, value in self.values.items())


class Grid(NamedTuple):
    """Every cell of a matrix."""

    axes: dict[str, tuple[str, ...]]  # the values of each axis as they are shown, in the order of the file
    cells: tuple[Cell, ...]


def read_grid(path: Path) -> Grid:
    """Cells of a matrix file; raises UsageError for one that cannot be read or meant."""
    tables = read_toml(path, _EXAMPLE)
    for name in tables:
        if name not in ("run", "axes"):
            raise UnknownName(f"table of {path}", name, ("run", "axes"), help=_EXAMPLE)
    heading, allowed = "", []
    for field in fields(RunConfig):
        heading = field.metadata["under"] or heading
        allowed += [field.name] if heading in _HEADINGS else []
    shared, axes = (_flat(tables.get(name, {}), name) for name in ("run", "axes"))
    for name, value in shared.items():
        _check(name, value)
    for name, values in axes.items():
        if name.partition(".")[0] not in allowed:
            raise UsageError(
                f"expected an axis that leaves the questions as they are, found {name};"
                f" known: {', '.join(allowed)}",
                help="put it under [run]",
            )
        if not isinstance(values, list) or not values or len({*map(_shown, values)}) < len(values):
            raise UsageError(f"expected different values of {name}, found {values!r}", help=_EXAMPLE)
        for value in values:
            _check(name, value)
    if not axes:
        raise UsageError(f"expected a table [axes] with lists in {path}, found none", help=_EXAMPLE)
    # A setting goes without its option where no other axis has its name.
    last = {name: name.rpartition(".")[2] for name in axes}
    short = {name: end if [*last.values()].count(end) == 1 else name for name, end in last.items()}
    cells = []
    for values in product(*axes.values()):
        chosen = dict(zip(axes, values, strict=True))
        labels = {short[name]: _shown(value) for name, value in chosen.items()}
        cells.append(Cell(labels, _config({**shared, **chosen})))
    return Grid({short[name]: tuple(map(_shown, values)) for name, values in axes.items()}, tuple(cells))


def _flat(table: Any, where: str) -> dict[str, Any]:
    """Options of a table by name, settings of a pipeline or retriever as ``option.name``."""
    if not isinstance(table, dict):
        raise UsageError(f"expected a table [{where}], found {table!r}", help=_EXAMPLE)
    flat: dict[str, Any] = {}
    for written, value in table.items():
        name = _BY_FLAG.get(f"--{written.replace('_', '-')}") or str(written)
        if name in _TABLES and isinstance(value, dict):
            flat |= {f"{name}.{key}": each for key, each in value.items()}
        else:
            flat[name] = value
    return flat


def _check(name: str, value: Any) -> None:
    """Raise UsageError for an option that is none, or a value of another type than its own."""
    option, _, setting = name.partition(".")
    known = {each.name: str(each.type) for each in fields(RunConfig) if each.name not in _REFUSED}
    if option not in known:
        raise UnknownName("option of a cell", option, known, help=_EXAMPLE)
    types = (str, int, float, bool) if setting else _TYPES.get(known[option], (str,))
    fits = isinstance(value, types) and (bool in types or not isinstance(value, bool))
    if not fits or (isinstance(value, list) and not all(isinstance(text, str) for text in value)):
        names = " or ".join(each.__name__ for each in types)
        raise UsageError(f"expected {name} to be {names}, found {value!r}", help=_EXAMPLE)


def _config(values: dict[str, Any]) -> RunConfig:
    options: dict[str, Any] = {}
    for name, value in values.items():
        option, _, setting = name.partition(".")
        if option in _TABLES:
            texts = [f"{setting}={_shown(value)}"] if setting else value
            options[option] = (*options.get(option, ()), *(texts if isinstance(texts, list) else [texts]))
        else:
            options[option] = value
    return RunConfig(**options)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(value) if isinstance(value, list) else str(value)


FORMAT = 1
_WIDTH = len(BUCKETS) + 1  # columns of one effect: a sum for each bucket, and of how many pairs of answers


class MatrixCell(Struct, frozen=True, kw_only=True):
    """One combination: what it is, what was left to ask, and what came out."""

    values: dict[str, str]  # by axis
    calls: int | None  # calls that were left before anything was asked; null: it could not begin
    cost: float | None  # US dollars that they cost at most; null: not known
    run: str = ""  # its run folder; empty: it has none
    error: str = ""  # why it has none, or was broken off
    scores: Scores | None = None

    @property
    def result(self) -> bool:
        """Whether its numbers say something about its pipeline."""
        return not self.error and self.scores is not None and self.scores.result


class BucketChange(Struct, frozen=True):
    """How the share of one bucket moved, paired over questions and cells that differ in this alone."""

    bucket: str
    difference: float
    interval: tuple[float, float]  # bootstrap over documents
    p: float  # sign-flip permutation test over documents, two-sided


class Effect(Struct, frozen=True, kw_only=True):
    """What one value of an axis changes against the first, all other axes being equal."""

    axis: str
    base: str
    value: str
    pairs: int  # pairs of cells that differ in this axis alone
    n: int  # pairs of answers: questions graded in both cells of a pair
    documents: int
    changes: list[BucketChange]
    moved: float  # how far the buckets moved: half the sum of the absolute changes of their shares
    interval: tuple[float, float]
    less: float = 0.0
    """By how much it moves them less than the strongest effect of another axis; 0: it is the strongest."""
    less_interval: tuple[float, float] | None = None


class Matrix(Struct, frozen=True, kw_only=True):
    """The JSON of ``ragharness matrix``."""

    format: int = FORMAT
    axes: dict[str, tuple[str, ...]]
    cells: list[MatrixCell]
    effects: list[Effect] = []  # the strongest first


def main_effects(
    axes: Mapping[str, tuple[str, ...]], runs: Sequence[tuple[dict[str, str], RunFolder]]
) -> list[Effect]:
    """What each value of each axis changes against the first one, the strongest effect first.

    ``runs`` are the cells that have one. Values without a pair of cells are left out. Raises NotComparable
    where not all cells were asked the same.
    """
    sides: list[tuple[dict[str, str], Side]] = []
    for values, folder in runs:
        first = sides[0][1] if sides else None
        side = read_side(folder, first)
        phrases = differences(first.run, side.run) if first else {}
        phrases.pop("citations", None)  # the report says so
        if first and phrases:
            named = "; ".join(phrases.values()).replace("the base", first.name)
            message = (
                f"expected cells on the same questions, found {named.replace('the candidate', side.name)}"
            )
            advice = "a corpus or question set changed between two cells: run the matrix again"
            raise NotComparable(message, help=advice)
        sides.append((values, side))
    contrasts = []
    for axis, (base, *others) in axes.items():
        for value in others:
            # Cells that differ in this axis alone, that of its first value before the other.
            pairs = [
                (one, other) if mine[axis] == base else (other, one)
                for (mine, one), (theirs, other) in combinations(sides, 2)
                if {mine[axis], theirs[axis]} == {base, value} and {**mine, axis: ""} == {**theirs, axis: ""}
            ]
            contrasts += [(axis, base, value, pairs)] if pairs else []
    return _ranked(contrasts) if contrasts else []


def _ranked(contrasts: Sequence[tuple[str, str, str, list[tuple[Side, Side]]]]) -> list[Effect]:
    import numpy as np

    moves = [_by_document(pairs) for *_, pairs in contrasts]
    documents, zeros = sorted({document for move in moves for document in move}), [0.0] * _WIDTH
    sums = np.array([[x for move in moves for x in move.get(name, zeros)] for name in documents])
    totals, draws = sums.sum(axis=0), cluster_totals(sums)
    effects: list[tuple[Effect, Any]] = []
    for number, (axis, base, value, pairs) in enumerate(contrasts):
        columns = slice(number * _WIDTH, (number + 1) * _WIDTH)
        (*moved, n), drawn, observed = totals[columns], draws[:, columns], sums[:, columns]
        if not n:
            continue
        # Both directions are tested together: a move is as clear as the clearer of them.
        tests = [joint_test(np.column_stack((x, -x)), np.arange(len(x)), 0.05) for x in observed.T[:-1]]
        shares = [float(total / n) for total in moved]
        # A draw may have none of the documents that the contrast is about.
        means = drawn[:, :-1] / np.where(drawn[:, -1:] > 0, drawn[:, -1:], np.nan)
        changes = [
            BucketChange(bucket, share, _interval(mean), min(test.p))
            for bucket, share, mean, test in zip(BUCKETS, shares, means.T, tests, strict=True)
        ]
        distances = np.abs(means).sum(axis=1) / 2
        effect = Effect(
            axis=axis,
            base=base,
            value=value,
            pairs=len(pairs),
            n=int(n),
            documents=int((observed[:, -1] > 0).sum()),
            changes=changes,
            moved=sum(map(abs, shares)) / 2,
            interval=_interval(distances),
        )
        effects.append((effect, distances))
    effects.sort(key=lambda pair: -pair[0].moved)
    first, most = effects[0] if effects else (None, None)
    return [
        effect
        if first is None or effect.axis == first.axis
        else replace(effect, less=first.moved - effect.moved, less_interval=_interval(most - distances))
        for effect, distances in effects
    ]


def _by_document(pairs: Sequence[tuple[Side, Side]]) -> dict[str, list[float]]:
    """For each document the sum of moves into each bucket, and of how many pairs of answers it is."""
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
