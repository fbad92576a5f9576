"""What the shell offers for a value: names on the shelf and in folders of the package, and runs."""

from __future__ import annotations

import pkgutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def modules(*folders: str) -> list[str]:
    """Return the names of the modules of a folder of the package, listed without importing them."""
    place = Path(__file__).parents[1].joinpath(*folders)
    found = pkgutil.iter_modules([str(place)])
    return sorted(each.name for each in found if not each.ispkg and not each.name.startswith("_"))


def _runs() -> list[str]:
    from ragharness.store.search import RUNS

    return sorted((each.parent.name for each in RUNS.glob("*/run.json")), reverse=True)


def _shelf(kind: Any) -> list[str]:
    from ragharness import shelf

    return shelf.names(kind)


_NAMES: dict[str, Callable[[], list[str]]] = {
    "run": _runs,
    "corpus": lambda: _shelf("corpora"),
    "baseline": lambda: _shelf("baselines"),
    "rubric": lambda: _shelf("rubrics"),
    "retriever": lambda: modules("retrievers"),
    "pipeline": lambda: modules("pipelines"),
    "grader": lambda: modules("graders"),
    "format": lambda: modules("reports", "formats"),
    "metric": lambda: ["all", *modules("scores", "derived")],
}


def completion(kind: str) -> Callable[[str], list[str]] | None:
    """Return what completes a value of a kind, the last one of ``NAME,NAME``; None: it has no names."""
    names = _NAMES.get(kind)
    if names is None:
        return None

    def offered(incomplete: str) -> list[str]:
        before, comma, begun = incomplete.rpartition(",")
        return [f"{before}{comma}{name}" for name in names() if name.startswith(begun)]

    return offered
