"""Finds what ships beside the code, in a clone and in the wheel: corpora, question sets, baselines."""

from __future__ import annotations

import importlib.util
import sys
from hashlib import sha256
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Literal

from ragharness.errors import RagharnessError, UnknownName

if TYPE_CHECKING:
    from types import ModuleType

Kind = Literal["corpora", "questionsets", "baselines"]

_MANIFESTS: dict[Kind, str] = {
    "corpora": "corpus.toml",
    "questionsets": "questionset.toml",
    "baselines": "baseline.toml",
}
_LOADING = RLock()
"""Held while a module runs, so that no thread finds it half-executed; a module may load others."""
_PACKAGE = Path(__file__).resolve().parent


def root() -> Path:
    """Return the folder that holds the three shelves: in the package of a wheel, else the clone's root."""
    packed = _PACKAGE / "_shelf"
    return packed if packed.is_dir() else _PACKAGE.parents[1]


def names(kind: Kind) -> list[str]:
    """Return the sorted names on a shelf: its folders that hold a manifest."""
    shelf = root() / kind
    if not shelf.is_dir():
        raise RagharnessError(
            f"expected the folder {kind} in {root()}, found none: the installation is incomplete",
            help="pip install --force-reinstall ragharness",
        )
    return sorted(path.parent.name for path in shelf.glob(f"*/{_MANIFESTS[kind]}"))


def folder(kind: Kind, name: str) -> Path:
    """Return the folder of a corpus, question set or baseline; raises UnknownName with the nearest."""
    known = names(kind)
    if name not in known:
        word = _MANIFESTS[kind].removesuffix(".toml")
        raise UnknownName(word, name, known, help="ragharness corpus list" if kind == "corpora" else "")
    return root() / kind / name


def load_module(path: Path) -> ModuleType:
    """Import a Python file of the shelf (``parse.py``, ``recipe.py``) once, under a name of its own."""
    path = path.resolve()
    name = f"_ragharness_shelf_{path.parent.name}_{path.stem}_{sha256(bytes(path)).hexdigest()[:8]}"
    with _LOADING:
        if name in sys.modules:
            return sys.modules[name]
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None or not path.is_file():
            raise RagharnessError(f"expected the Python file {path}, found none", help="ragharness doctor")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except BaseException:
            # A half-executed module must not be found by the next caller.
            del sys.modules[name]
            raise
        return module
