"""Data shipped with the code, in a clone or in the wheel: corpora, question sets, baselines, rubrics."""

from __future__ import annotations

import sys
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Literal

from ragharness.errors import RagharnessError, UnknownName
from ragharness.support import plugins

Kind = Literal["corpora", "questionsets", "baselines", "rubrics"]
_MANIFESTS: dict[Kind, str] = {
    "corpora": "corpus.toml",
    "questionsets": "questionset.toml",
    "baselines": "baseline.toml",
    "rubrics": "rubric.yaml",
}
_PACKAGE = Path(__file__).resolve().parents[1]


def root() -> Path:
    """The folder that holds the data: in the package of a wheel, else the clone's root."""
    packed = _PACKAGE / "_data"
    return packed if packed.is_dir() else _PACKAGE.parents[1]


def names(kind: Kind) -> list[str]:
    """Sorted names of a kind: its folders that hold a manifest, and published corpora."""
    parent = root() / kind
    if not parent.is_dir():
        raise RagharnessError(
            f"the installation is incomplete: {root()} has no folder {kind}",
            help="pip install --force-reinstall ragharness",
        )
    published = plugins.published_names(kind) if kind == "corpora" else []
    return sorted({*(path.parent.name for path in parent.glob(f"*/{_MANIFESTS[kind]}")), *published})


def folder(kind: Kind, name: str) -> Path:
    """The folder of a name; raises UnknownName with the nearest."""
    if name not in (known_names := names(kind)):
        word = Path(_MANIFESTS[kind]).stem
        command = "" if kind == "questionsets" else f"ragharness {word} list"
        raise UnknownName(word, name, known_names, help=command)
    home = root() / kind / name
    if kind == "corpora" and not home.is_dir():
        return plugins.published_folder(kind, name) or home
    return home


def load_module(path: Path) -> ModuleType:
    """Import a Python file (``parse.py``, ``recipe/__init__.py``) as a module of its folder.

    The folder is a package, wherever it lies: its files import each other (``from .naming import Name``).
    """
    path = path.resolve()
    if not path.is_file():
        raise RagharnessError(f"there is no Python file {path}", help="ragharness doctor")
    home, name = path.parent, path.stem
    while (home / "__init__.py").is_file():  # a package within the folder
        home, name = home.parent, f"{home.name}.{name}".removesuffix(".__init__")
    package = ModuleType(f"_ragharness_{home.name.replace('.', '_')}_{sha256(bytes(home)).hexdigest()[:8]}")
    package.__path__ = [str(home)]
    sys.modules.setdefault(package.__name__, package)
    return import_module(f"{package.__name__}.{name}")
