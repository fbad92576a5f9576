"""Imports the user's module by name, the current folder included, or from a file."""

from __future__ import annotations

import ast
import difflib
import hashlib
import importlib
import importlib.util
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType

from ragharness.errors import CodeNotUsable, RagharnessError
from ragharness.support.files import expand_home
from ragharness.support.messages import split_frames

_FOLDERS: set[str] = set()
"""Folders of users' modules loaded in this process: a name stands for the module of the last one."""

_TOLD = 8
"""Functions of a file that are named."""

_APART = "pipeline_"
"""How modules are named whose own name stands for another."""

_LOADED: dict[str, bytes] = {}
"""The hash of each such module's file when it was loaded."""

HELP = "give it as package.module:function or path/to/file.py:function"


def from_file(place: str, spec: str) -> ModuleType:
    """Import a Python file as Python runs a script: its own folder comes first in the search path."""
    path = expand_home(place).resolve()
    if not path.is_file():
        found = "a folder" if path.is_dir() else "none"
        hint = near(path.name, (each.name for each in _python_files(path.parent)))
        raise CodeNotUsable(f"expected a Python file at {place}, found {found}{hint}", help=HELP)
    _importable(path.parent)
    known = sys.modules.get(path.stem)
    if known is not None and getattr(known, "__file__", None) == str(path):
        return known
    module = _executed(_free_name(path), path, spec)
    _remember()
    return module


def from_name(place: str, spec: str) -> ModuleType:
    """Import a module by its dotted name."""
    if not all(part.isidentifier() for part in place.split(".")):
        path = Path(f"{place}.py")
        hint = near(str(path), (str(each) for each in _python_files(path.parent)))
        raise CodeNotUsable(
            f"expected a module or a file that ends in .py before the colon, found {place!r}{hint}", help=HELP
        )
    _importable(Path.cwd())
    importlib.invalidate_caches()
    with users_code(f"importing {place}", spec):
        try:
            module = importlib.import_module(place)
        except ModuleNotFoundError as error:
            # A module that the user's module misses is the user's error, not a wrong name.
            if error.name is not None and f"{place}.".startswith(f"{error.name}."):
                raise _no_module(error.name) from None
            raise
    _remember()
    return module


def functions_beside(name: str) -> list[str]:
    """Return what a Python file of the current folder defines; it is read, not run."""
    path = Path(name if name.endswith(".py") else f"{name.replace('.', '/')}.py")
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return []
    defined = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    names = [each.name for each in tree.body if isinstance(each, defined) and not each.name.startswith("_")]
    return names[:_TOLD]


def _free_name(path: Path) -> str:
    """Return the file's own name, or another where that would replace a module that exists already."""
    stem = path.stem
    if stem.isidentifier() and stem not in sys.modules:
        found = importlib.util.find_spec(stem)
        if found is not None and found.origin == str(path):
            return stem
    return f"{_APART}{hashlib.sha256(str(path).encode()).hexdigest()[:12]}"


def _executed(name: str, path: Path, spec: str) -> ModuleType:
    if name in sys.modules:
        return sys.modules[name]
    found = importlib.util.spec_from_file_location(name, path)
    if found is None or found.loader is None:
        raise CodeNotUsable(f"expected an importable Python file, found {path}", help=HELP)
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    try:
        with users_code(f"importing {path.name}", spec):
            found.loader.exec_module(module)
    except CodeNotUsable:
        del sys.modules[name]
        raise
    return module


def search_path() -> list[str]:
    """Return where modules are looked for, users' folders last: a ``json.py`` there is not Python's."""
    return sorted(sys.path, key=_FOLDERS.__contains__)


def _importable(folder: Path) -> None:
    """Put a folder first in the search path; its modules go before those of other such folders."""
    place = str(folder)
    if sys.path[:1] != [place]:
        with suppress(ValueError):
            sys.path.remove(place)
        sys.path.insert(0, place)
    _FOLDERS.add(place)
    _forget_changed()
    for name, module in list(sys.modules.items()):
        home = _home(name, module)
        if home != place and home in _FOLDERS and _holds(folder, name.partition(".")[0]):
            del sys.modules[name]


def _forget_changed() -> None:
    """Let go of all users' modules when the file of one has changed: others may hold what it held."""
    users = _users_modules()
    if all(_LOADED.get(name, now) == now for name, now in users.items()):
        return
    for name in users:
        cached = getattr(sys.modules.pop(name), "__cached__", None)
        if cached:
            # Compiled code is known by the second and the size of its source: too coarse for an edit.
            Path(cached).unlink(missing_ok=True)
    importlib.invalidate_caches()


def _remember() -> None:
    _LOADED.update(_users_modules())


def _users_modules() -> dict[str, bytes]:
    """Return the modules that came from users' folders, each with the hash of its file as it is now."""
    found = {}
    for name, module in list(sys.modules.items()):
        ours = name == "__main__" or name.partition(".")[0] == "ragharness"
        named_apart = name.startswith(_APART) and getattr(module, "__file__", None)
        if not ours and (named_apart or _home(name, module) in _FOLDERS):
            path = Path(str(module.__file__))
            found[name] = hashlib.sha256(path.read_bytes() if path.is_file() else b"").digest()
    return found


def _home(name: str, module: ModuleType) -> str:
    """Return the folder of the search path from which a module came; "" for one without a file."""
    place = getattr(module, "__file__", None) or ""
    for _ in range(name.count(".") + hasattr(module, "__path__") + 1):
        place = os.path.dirname(place)  # noqa: PTH120 (of all modules that are loaded: a Path takes long)
    return place


def _holds(folder: Path, name: str) -> bool:
    return (folder / f"{name}.py").is_file() or (folder / name).is_dir()


def _no_module(missing: str) -> CodeNotUsable:
    parent, _, last = missing.rpartition(".")
    folders = (
        [Path(each) for each in getattr(sys.modules.get(parent), "__path__", [])] if parent else [Path.cwd()]
    )
    if not folders:
        message = f"expected a package at {parent!r}, found a module, which holds no {last!r}"
        return CodeNotUsable(message, help=f"{parent}:{last} names a function of the module")
    names = [each.stem for folder in folders for each in _python_files(folder)]
    names += [each.parent.name for folder in folders for each in folder.glob("*/__init__.py")]
    where = f"the package {parent!r}" if parent else f"{folders[0]} or among the installed packages"
    return CodeNotUsable(
        f"expected a module {missing!r}, found none in {where}{near(last, names)}",
        help="run it from the folder that holds the module, or give the file: path/to/file.py:function",
    )


def _python_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.py")) if folder.is_dir() else []


@contextmanager
def users_code(doing: str, spec: str) -> Iterator[None]:
    """Turn whatever the user's code raises, an early exit too, into CodeNotUsable."""
    module = spec.rpartition(":")[0]
    command = f"python '{module}'" if module.endswith(".py") else f"python -c 'import {module}'"
    try:
        yield
    except RagharnessError:
        raise
    except (Exception, SystemExit) as error:
        raise CodeNotUsable(
            f"{doing} failed: {type(error).__name__}: {_said(error)} ({_where(error)})",
            help=f"{command} shows the whole trace",
        ) from error


def near(name: str, names: Iterable[str]) -> str:
    """Return "; did you mean ...?" or nothing."""
    found = difflib.get_close_matches(name, sorted(set(names)), n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(found)}?" if found else ""


def _said(error: BaseException) -> str:
    """Return what an exception says; of bad syntax without the place, which is said anyway."""
    return error.msg if isinstance(error, SyntaxError) else str(error)


def _where(error: BaseException) -> str:
    """Return file and line of the user's own code that is nearest to the error."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}, line {error.lineno}"
    frames, users = split_frames(error)
    for frame in (users or [each for each in frames if not each.filename.startswith("<")])[-1:]:
        return f"{frame.filename}, line {frame.lineno}"
    return "in no file"
