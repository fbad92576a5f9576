"""Imports the user's module by name, the current folder included, or from a file."""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.util
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType

from ragharness.errors import CodeNotUsable, RagharnessError, nearest
from ragharness.support.files import expand_home
from ragharness.support.messages import split_frames

_FOLDERS: set[str] = set()
"""Folders of users' modules loaded in this process: a name stands for the module of the last one."""

_LISTED = 8
"""Functions of a file that are named."""

_PREFIX = "pipeline_"
"""How modules are named whose own name stands for another."""

_LOADED: dict[str, bytes] = {}
"""The hash of each such module's file when it was loaded."""

HELP = "give it as package.module:function or path/to/file.py:function"


def from_file(file: str, spec: str) -> ModuleType:
    """Import a Python file as Python runs a script: its own folder comes first in the search path."""
    path = expand_home(file).resolve()
    if not path.is_file():
        hint = near(path.name, (neighbour.name for neighbour in _python_files(path.parent)))
        kind = "a folder" if path.is_dir() else "none"
        raise CodeNotUsable(f"expected a Python file at {file}, found {kind}{hint}", help=HELP)
    _importable(path.parent)
    loaded = sys.modules.get(path.stem)
    if loaded is not None and getattr(loaded, "__file__", None) == str(path):
        return loaded
    module = _executed(_free_name(path), path, spec)
    _LOADED.update(_users_modules())
    return module


def from_name(name: str, spec: str) -> ModuleType:
    """Import a module by its dotted name."""
    if not all(part.isidentifier() for part in name.split(".")):
        path = Path(f"{name}.py")
        hint = near(str(path), map(str, _python_files(path.parent)))
        raise CodeNotUsable(
            f"expected a module or a file that ends in .py before the colon, found {name!r}{hint}", help=HELP
        )
    _importable(Path.cwd())
    importlib.invalidate_caches()
    with users_code(f"importing {name}", spec):
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError as error:
            # A module that the user's module misses is the user's error, not a wrong name.
            if error.name is not None and f"{name}.".startswith(f"{error.name}."):
                raise _no_module(error.name) from None
            raise
    _LOADED.update(_users_modules())
    return module


def functions_beside(name: str) -> list[str]:
    """Names that a Python file of the current folder defines; it is read, not run."""
    path = Path(name if name.endswith(".py") else f"{name.replace('.', '/')}.py")
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return []
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    names = [node.name for node in tree.body if isinstance(node, kinds) and not node.name.startswith("_")]
    return names[:_LISTED]


def _free_name(path: Path) -> str:
    """The file's own name, or another where that would replace a module that exists already."""
    stem = path.stem
    if stem.isidentifier() and stem not in sys.modules:
        module_spec = importlib.util.find_spec(stem)
        if module_spec is not None and module_spec.origin == str(path):
            return stem
    return f"{_PREFIX}{hashlib.sha256(str(path).encode()).hexdigest()[:12]}"


def _executed(name: str, path: Path, spec: str) -> ModuleType:
    if name in sys.modules:
        return sys.modules[name]
    module_spec = importlib.util.spec_from_file_location(name, path)
    if module_spec is None or module_spec.loader is None:
        raise CodeNotUsable(f"expected an importable Python file, found {path}", help=HELP)
    module = importlib.util.module_from_spec(module_spec)
    sys.modules[name] = module
    try:
        with users_code(f"importing {path.name}", spec):
            module_spec.loader.exec_module(module)
    except CodeNotUsable:
        del sys.modules[name]
        raise
    return module


def search_path() -> list[str]:
    """Where modules are looked for, users' folders last: a ``json.py`` there is not Python's."""
    return sorted(sys.path, key=_FOLDERS.__contains__)


def _importable(folder: Path) -> None:
    """Put a folder first in the search path; its modules go before those of other such folders."""
    path = str(folder)
    if sys.path[:1] != [path]:
        with suppress(ValueError):
            sys.path.remove(path)
        sys.path.insert(0, path)
    _FOLDERS.add(path)
    _forget_changed()
    for name, module in list(sys.modules.items()):
        home, top = _home(name, module), folder / name.partition(".")[0]
        is_elsewhere = home != path and home in _FOLDERS
        if is_elsewhere and (top.with_name(f"{top.name}.py").is_file() or top.is_dir()):
            del sys.modules[name]


def _forget_changed() -> None:
    """Let go of all users' modules when the file of one has changed: others may hold what it held."""
    users = _users_modules()
    if all(_LOADED.get(name, digest) == digest for name, digest in users.items()):
        return
    for name in users:
        cached = getattr(sys.modules.pop(name), "__cached__", None)
        if cached:
            # Compiled code is known by the second and the size of its source: too coarse for an edit.
            Path(cached).unlink(missing_ok=True)
    importlib.invalidate_caches()


def _users_modules() -> dict[str, bytes]:
    """The modules that came from users' folders, each with the present hash of its file."""
    digests = {}
    for name, module in list(sys.modules.items()):
        ours = name == "__main__" or name.partition(".")[0] == "ragharness"
        renamed = name.startswith(_PREFIX) and getattr(module, "__file__", None)
        if not ours and (renamed or _home(name, module) in _FOLDERS):
            path = Path(str(module.__file__))
            digests[name] = hashlib.sha256(path.read_bytes() if path.is_file() else b"").digest()
    return digests


def _home(name: str, module: ModuleType) -> str:
    """The folder of the search path from which a module came; "" for one without a file."""
    path = getattr(module, "__file__", None) or ""
    for _ in range(name.count(".") + hasattr(module, "__path__") + 1):
        path = os.path.dirname(path)  # noqa: PTH120 (of all modules that are loaded: a Path takes long)
    return path


def _no_module(missing: str) -> CodeNotUsable:
    parent, _, last = missing.rpartition(".")
    folders = [Path(path) for path in getattr(sys.modules.get(parent), "__path__", [])]
    folders = folders if parent else [Path.cwd()]
    if not folders:
        message = f"expected a package at {parent!r}, found a module, which holds no {last!r}"
        return CodeNotUsable(message, help=f"{parent}:{last} names a function of the module")
    names = [file.stem for folder in folders for file in _python_files(folder)]
    names += [file.parent.name for folder in folders for file in folder.glob("*/__init__.py")]
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
        # Bad syntax says its place in its text, which is named anyway.
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        raise CodeNotUsable(
            f"{doing} failed: {type(error).__name__}: {reason} ({_line_of(error)})",
            help=f"{command} shows the whole trace",
        ) from error


def near(name: str, names: Iterable[str]) -> str:
    """Either "; did you mean ...?" or nothing."""
    likely = nearest(name, sorted(set(names)))
    return f"; did you mean {' or '.join(likely)}?" if likely else ""


def _line_of(error: BaseException) -> str:
    """File and line of the user's own code that is nearest to the error."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}, line {error.lineno}"
    frames, users = split_frames(error)
    for frame in (users or [frame for frame in frames if not frame.filename.startswith("<")])[-1:]:
        return f"{frame.filename}, line {frame.lineno}"
    return "in no file"
