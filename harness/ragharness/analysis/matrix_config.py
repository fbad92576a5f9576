"""``matrix.toml``: the options that all cells share, and the axes whose every combination is a cell."""

from __future__ import annotations

from dataclasses import fields
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from ragharness.config import RunConfig, flag_of
from ragharness.errors import UnknownName, UsageError
from ragharness.support.options import read_toml

_HEADINGS = ("Pipeline", "Retrieval")
"""Options under these may differ between cells: what is asked, how often, and how it is graded may not."""

_TABLES = ("pipeline_option", "retriever_option")
"""Options that hold settings of their own, which may be axes, too: ``pipeline_option.prompt``."""
_REFUSED = ("out", "fresh")
"""Options without a meaning here: each cell has a run folder of its own and is continued."""
_TYPES: dict[str, Any] = {
    "int": int,
    "float": (int, float),
    "float | None": (int, float),
    "bool": bool,
    "tuple[str, ...]": (str, list),
}
"""Types of the options that are not texts."""

_BY_FLAG: dict[str, str] = {flag_of(each.name): each.name for each in fields(RunConfig)}
"""Options are written as on the command line, or as in Python."""

_EXAMPLE = "docs/matrix.md shows a matrix.toml"


class Cell(NamedTuple):
    """One combination."""

    values: dict[str, str]
    """By axis, as they are shown."""
    config: RunConfig

    @property
    def name(self) -> str:
        """The values in words: ``model=a k=5``."""
        return " ".join(f"{axis}={value}" for axis, value in self.values.items())


class Grid(NamedTuple):
    """Every cell of a matrix."""

    axes: dict[str, tuple[str, ...]]
    """The values of each axis as they are shown, in the order of the file."""
    cells: tuple[Cell, ...]


def read_grid(path: Path) -> Grid:
    """Return the cells of a matrix file; raises UsageError for one that cannot be read or meant."""
    held = read_toml(path, _EXAMPLE)
    for name in held:
        if name not in ("run", "axes"):
            raise UnknownName(f"table of {path}", name, ("run", "axes"), help=_EXAMPLE)
    allowed = _axes()
    shared, axes = (_flat(held.get(name, {}), name) for name in ("run", "axes"))
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
    shown = {name: _short(name, axes) for name in axes}
    cells = [
        Cell({shown[name]: _shown(value) for name, value in chosen.items()}, _config({**shared, **chosen}))
        for chosen in (dict(zip(axes, each, strict=True)) for each in product(*axes.values()))
    ]
    return Grid({shown[name]: tuple(map(_shown, values)) for name, values in axes.items()}, tuple(cells))


def _axes() -> list[str]:
    heading, found = "", []
    for each in fields(RunConfig):
        heading = each.metadata["under"] or heading
        found += [each.name] if heading in _HEADINGS else []
    return found


def _flat(table: Any, where: str) -> dict[str, Any]:
    """Return the options of a table by name, settings of a pipeline or retriever as ``option.name``."""
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
    kind = (str, int, float, bool) if setting else _TYPES.get(known[option], str)
    fits = isinstance(value, kind) and (bool in _several(kind) or not isinstance(value, bool))
    if not fits or (isinstance(value, list) and not all(isinstance(each, str) for each in value)):
        names = " or ".join(each.__name__ for each in _several(kind))
        raise UsageError(f"expected {name} to be {names}, found {value!r}", help=_EXAMPLE)


def _several(kind: Any) -> tuple[type, ...]:
    return kind if isinstance(kind, tuple) else (kind,)


def _config(values: dict[str, Any]) -> RunConfig:
    options: dict[str, Any] = {}
    for name, value in values.items():
        option, _, setting = name.partition(".")
        if option in _TABLES:
            given = f"{setting}={_shown(value)}" if setting else value
            options[option] = (*options.get(option, ()), *(given if isinstance(given, list) else [given]))
        else:
            options[option] = value
    return RunConfig(**options)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(value) if isinstance(value, list) else str(value)


def _short(name: str, axes: dict[str, Any]) -> str:
    """Return the name of a setting without its option, where no other axis has that name."""
    last = name.rpartition(".")[2]
    return last if sum(each.rpartition(".")[2] == last for each in axes) == 1 else name
