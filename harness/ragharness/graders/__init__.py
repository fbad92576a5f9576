"""Graders: each reads an answer into primitives; found by the name of its file.

Several are chained by commas: the first that can decide does. ``axis=name`` gives one axis another grader.
"""

from __future__ import annotations

import pkgutil
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, cast

from ragharness.errors import UnknownName, UsageError
from ragharness.graders._protocol import Grader, cost_lines, waits
from ragharness.options import Options

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


__all__ = ["Grader", "GraderContext", "cost_lines", "grader_names", "load_grader", "waits"]

FLAG = "--grader-option"


@dataclass(frozen=True)
class GraderContext:
    """What a grader is built from."""

    options: Options = field(default_factory=lambda: Options(flag=FLAG))
    """Its settings."""
    cache: Path | None = None
    """A folder in which replies of services may be kept; None: nothing is kept."""
    dry_run: bool = False
    """Calls of services are counted, not made."""


def grader_names() -> list[str]:
    """Return the names of all graders: the modules beside this one."""
    return sorted(
        found.name
        for found in pkgutil.iter_modules(__path__)
        if not found.ispkg and not found.name.startswith("_")
    )


def load_grader(
    wanted: str = "rules",
    false_correct: float | None = None,
    settings: Iterable[str] = (),
    *,
    ask_all: bool = False,
    offline: bool = False,
    cache: Path | None = None,
    dry_run: bool = False,
) -> Grader:
    """Return a grader by name, or a chain of them: ``rules,judge,citation_supports=nli``.

    ``settings`` are ``GRADER.NAME=VALUE``; ``false_correct`` is that of the rules. With ``ask_all`` every
    grader of the chain is asked, and the first that can decide still does. Raises UnknownName with the
    nearest names, UsageError for a setting that cannot be meant, and CodeNotUsable for the user's own.
    """
    from ragharness.graders._chain import AXES, Chain

    values = _settings(settings, false_correct)
    loaded: dict[str, Grader] = {}
    parts = [part.strip() for part in wanted.split(",")]
    names, axes = [], {}
    for part in parts:
        axis, equals, name = part.partition("=")
        if not part or (equals and not name):
            raise UsageError(f"expected graders parted by commas, found {wanted!r}", help="--grader rules")
        if equals and axis not in AXES:
            raise UnknownName("axis", axis, AXES)
        if equals:
            axes[axis] = name
        elif part in names:
            raise UsageError(f"expected each grader once, found {part!r} twice in {wanted!r}")
        else:
            names.append(part)
    if not names:
        raise UsageError(f"expected a grader for the bucket, found only axes in {wanted!r}")
    for name in (*names, *axes.values()):
        if name not in loaded:
            options = Options(values.pop(name, {}), flag=FLAG, offline=offline, prefix=f"{name}.")
            loaded[name] = _load(name, GraderContext(options, cache, dry_run))
            options.finish(f"the grader {name!r}")
    for name in values:
        raise UnknownName(f"grader in {wanted!r}, of {FLAG} {name}.NAME,", name, loaded)
    if len(names) == 1 and not axes:
        return loaded[names[0]]
    by_axis = {axis: loaded[name] for axis, name in axes.items()}
    return Chain([loaded[name] for name in names], by_axis, ask_all=ask_all, dry_run=dry_run)


def _settings(settings: Iterable[str], false_correct: float | None) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    if false_correct is not None:
        found["rules"] = {"false-correct": repr(false_correct)}
    for text in settings:
        whole, equals, value = text.partition("=")
        # The user's own grader has points in its name.
        grader, point, name = whole.rpartition(".")
        if not (equals and point and grader and name):
            raise UsageError(
                f"expected {FLAG} GRADER.NAME=VALUE, found {text!r}", help=f"{FLAG} judge.model=NAME"
            )
        name = name.strip().replace("_", "-").lower()
        if name in found.setdefault(grader, {}):
            raise UsageError(f"expected {FLAG} {grader}.{name}=... once, found it twice")
        found[grader][name] = value
    return found


def _load(name: str, context: GraderContext) -> Grader:
    if ":" in name:
        from ragharness.graders._own import OwnGrader

        return OwnGrader(name)
    if name not in grader_names():
        raise UnknownName("grader", name, grader_names(), help="or your own: --grader package.module:name")
    return cast("Grader", import_module(f"{__name__}.{name}").build(context))
