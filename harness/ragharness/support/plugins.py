"""Modules found by name: those of a folder of ours, and those that other packages publish by entry points.

A package publishes one under the group of its kind, ``ragharness.metrics`` for instance: an entry point names
a module that has what a file in our folder has.
"""

from __future__ import annotations

import os
import pkgutil
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragharness.errors import CodeNotUsable

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


def names(kind: str, folder: str) -> list[str]:
    """Sorted names of a kind, ours and published ones; nothing is imported.

    ``kind`` is ``metrics`` for the group ``ragharness.metrics``, ``folder`` the package that holds ours.
    """
    return sorted({*_own(folder), *_published(kind)})


def load(kind: str, folder: str, name: str, needs: str) -> Any:
    """Import the module of a name, ours before a published one; raises CodeNotUsable with its package.

    ``needs`` is what such a module has: ``METRIC``, ``build`` or ``render``.
    """
    if name in _own(folder):
        return import_module(f"{folder}.{name}")
    entry = _published(kind)[name]
    try:
        module = import_module(entry.module)
        getattr(module, needs)
    except Exception as error:
        raise unusable(kind, name, error) from error
    return module


def published_folder(kind: str, name: str) -> Path | None:
    """Folder of a published module or package, which is not imported; None: nobody publishes the name."""
    entry = _published(kind).get(name)
    if entry is None:
        return None
    try:
        spec = find_spec(entry.module)
    except Exception as error:
        raise unusable(kind, name, error) from error
    if spec is None or spec.origin is None:
        raise unusable(kind, name, ModuleNotFoundError(f"No module named {entry.module!r}"))
    return Path(spec.origin).parent


def published_names(kind: str) -> list[str]:
    """Sorted names that other packages publish."""
    return sorted(_published(kind))


def unusable(kind: str, name: str, error: Exception) -> CodeNotUsable:
    """One sentence about something published that fails, with its package."""
    package = getattr(_published(kind)[name].dist, "name", "")
    reason = " ".join(f"{type(error).__name__}: {error}".split())
    return CodeNotUsable(
        f"{name!r} of {kind}, published by the package {package}, cannot be used: {reason}",
        help=f"pip install --upgrade {package}, or pip uninstall {package}",
    )


def guarded(kind: str, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Function of a published module that raises CodeNotUsable, whatever it raised."""

    def call(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except Exception as error:
            raise unusable(kind, name, error) from error

    return call


@cache
def _own(folder: str) -> tuple[str, ...]:
    path = Path(__file__).parents[1].joinpath(*folder.split(".")[1:])
    modules = pkgutil.iter_modules([str(path)])
    return tuple(module.name for module in modules if not module.ispkg and not module.name.startswith("_"))


@cache
def _published(kind: str) -> dict[str, EntryPoint]:
    if not _anything_published():
        return {}
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in entry_points(group=f"ragharness.{kind}")}


@cache
def _anything_published() -> bool:
    """Whether any installed package has an entry point of ours: importlib.metadata takes 20 ms to import."""
    for path in dict.fromkeys(sys.path):
        with suppress(OSError):
            for folder in os.scandir(path or "."):
                if folder.name.endswith((".dist-info", ".egg-info")):
                    with suppress(OSError, ValueError):
                        if "[ragharness." in Path(folder, "entry_points.txt").read_text(encoding="utf-8"):
                            return True
    return False
