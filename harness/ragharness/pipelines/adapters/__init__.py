"""The user's own code and objects: imported, found and called (here), read (``fields``).

Code is named ``package.module:name`` or ``path/file.py:name``, or handed over. Pipelines and retrievers are
found, made and read alike; which values they get, and what comes of those they return, is their own affair.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from ragharness.errors import CodeNotUsable, RagharnessError, nearest
from ragharness.support.files import expand_home
from ragharness.support.messages import split_frames

QUESTION_NAMES = frozenset({"question", "query", "q", "prompt", "input", "text", "message"})
PASSAGES_NAMES = frozenset({"passages", "contexts", "context", "documents", "docs", "chunks"})
POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
HELP = "give it as package.module:function or path/to/file.py:function"
_FOLDERS: set[str] = set()  # folders of users' modules loaded here: a name means the module of the last one
_LOADED: dict[str, bytes] = {}  # the hash of each such module's file when it was loaded
_PREFIX = "pipeline_"  # how modules are named whose own name stands for another
_LISTED = 8  # functions of a file that are named


@dataclass(frozen=True)
class UserCode:
    """An object of the user's, a short name for it, and the hash of the source that defines it."""

    value: Any
    name: str
    fingerprint: str
    spec: str  # how it was named, or where an object that was handed over is defined


def find(code: object) -> UserCode:
    """The object of a name, its module imported, or an object that was handed over; raises CodeNotUsable."""
    if not isinstance(code, str):
        return _handed_over(code)
    spec = code
    module_name, _, attribute = spec.rpartition(":")
    if not module_name or not all(part.isidentifier() for part in attribute.split(".")):
        raise CodeNotUsable(f"expected the name of a function behind the colon, found {spec!r}", help=HELP)
    is_file = module_name.endswith(".py")
    module = (_from_file if is_file else _from_name)(module_name, spec)
    value = _attribute(module, attribute, spec)
    name = f"{Path(module_name).stem if is_file else module_name}.{attribute}"
    digest = hashlib.sha256()
    # The module's file and, where it is another, the one that defines the object.
    files = [getattr(module, "__file__", None)]
    with suppress(TypeError):
        files.append(inspect.getsourcefile(_definition(value)))
    for path in sorted({Path(file) for file in files if file}):
        digest.update(path.read_bytes() if path.is_file() else str(path).encode())
    return UserCode(value, name, digest.hexdigest(), spec)


def _handed_over(value: object) -> UserCode:
    definition = _definition(value)
    name, home = getattr(definition, "__qualname__", type(value).__name__), definition.__module__
    try:
        source = inspect.getsource(definition)
    except (OSError, TypeError):
        # Typed into an interpreter: its compiled code is what can be told apart.
        code = getattr(definition, "__code__", None)
        source = f"{code.co_code!r}{code.co_consts!r}" if code else repr(definition)
    digest = hashlib.sha256(source.encode()).hexdigest()
    return UserCode(value, name if home == "__main__" else f"{home}.{name}", digest, f"{home}:{name}")


def _definition(value: Any) -> Any:
    """The function or class that has the source of a value."""
    value = inspect.unwrap(getattr(value, "func", value))
    return value if inspect.isclass(value) or inspect.isroutine(value) else type(value)


def described(value: object) -> str:
    """Type of a value, for the second half of a complaint."""
    return "None" if value is None else f"an object of type {type(value).__name__}"


def _attribute(module: ModuleType, attribute: str, spec: str) -> Any:
    value: Any = module
    path = module.__name__
    for part in attribute.split("."):
        with _users_code(f"looking up {part!r}", spec):
            try:
                value = getattr(value, part)
            except AttributeError:
                public = (name for name in dir(value) if not name.startswith("_"))
                names = [name for name in public if callable(getattr(value, name, None))]
                hint = _near(part, names) or (f"; it has {', '.join(names[:_LISTED])}" if names else "")
                message = f"expected {part!r} in {path}, found no such name{hint}"
                raise CodeNotUsable(message, help=HELP) from None
        path = f"{path}.{part}"
    return value


@dataclass(frozen=True)
class Binding:
    """Which value each parameter of a callable receives."""

    positional: tuple[str, ...] = ()
    keywords: tuple[tuple[str, str], ...] = ()  # names of parameters, each with the value that it receives

    def call(self, function: Callable[..., object], values: Mapping[str, object]) -> object:
        """Call a function with the values where they belong."""
        keywords = {name: values[value] for name, value in self.keywords}
        return function(*(values[value] for value in self.positional), **keywords)


def bind(parameters: list[inspect.Parameter], values: Mapping[str, str]) -> Binding:
    """The binding of values to parameters by their names; the other parameters receive nothing.

    Raises CodeNotUsable where only a parameter that receives nothing could come before a positional one.
    """
    positional: list[str] = []
    keywords: list[tuple[str, str]] = []
    in_line = True
    for parameter in parameters:
        in_line = in_line and parameter.name in values and parameter.kind in POSITIONAL
        if in_line:
            positional.append(values[parameter.name])
        elif parameter.name in values:
            if parameter.kind is parameter.POSITIONAL_ONLY:
                raise CodeNotUsable(f"{parameter.name!r} behind parameters that nothing is known for")
            keywords.append((parameter.name, values[parameter.name]))
    return Binding(tuple(positional), tuple(keywords))


def parameters_of(function: Callable[..., object], spec: str) -> list[inspect.Parameter]:
    """Named parameters of a callable; raises CodeNotUsable where Python does not know them."""
    parameters = readable_parameters(function)
    if parameters is None:
        message = f"expected a callable with readable parameters at {spec}, found {function!r:.80}"
        raise CodeNotUsable(message, help="wrap it in a function of your own")
    return parameters


def readable_parameters(function: Callable[..., object]) -> list[inspect.Parameter] | None:
    """Named parameters of a callable; None where Python does not know them."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [parameter for parameter in parameters if parameter.kind not in variadic]


def takes_any(function: Callable[..., object]) -> bool:
    """Whether it takes any number of values."""
    parameters = inspect.signature(function).parameters.values()
    return any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters)


def is_async(function: Callable[..., object]) -> bool:
    """Whether it is an ``async def``, also as a method, a partial or the ``__call__`` of an instance."""
    call = getattr(type(function), "__call__", None)  # noqa: B004 (its kind matters, not whether it is there)
    kinds = (inspect.iscoroutinefunction, inspect.isasyncgenfunction)
    return any(is_kind(candidate) for is_kind in kinds for candidate in (function, call))


def plain_name(parameter: inspect.Parameter) -> str:
    """A parameter's name as it is compared."""
    return parameter.name.strip("_").lower()


def is_factory(value: Any, inputs: frozenset[str], material: frozenset[str] = frozenset()) -> bool:
    """Whether it is called once and returns what answers: a class, or a function that can be called so.

    A parameter named as one of ``inputs`` says that it answers itself; one of ``material``, that it is made.
    """
    if inspect.isclass(value) or not callable(value):
        return inspect.isclass(value)
    parameters = readable_parameters(value)
    if parameters is None:
        return False
    names = {plain_name(parameter) for parameter in parameters}
    if names & inputs:
        return False
    needs_nothing = all(parameter.default is not parameter.empty for parameter in parameters)
    return bool(names & material) or (needs_nothing and not takes_any(value))


def make(
    value: Any, spec: str, names: frozenset[str] = frozenset(), material: object = None
) -> tuple[Any, bool]:
    """Call a class or factory; return what it made, and whether a parameter of these names got the material.

    Raises CodeNotUsable for one that needs more than that, and for whatever the user's code raises.
    """
    arguments: dict[str, object] = {}
    for parameter in parameters_of(value, spec):
        if plain_name(parameter) in names and not arguments:
            arguments[parameter.name] = material
        elif parameter.default is parameter.empty:
            source = "passages or nothing" if names else "nothing"
            message = f"expected {spec} to be made from {source}, found that it needs {parameter.name!r}"
            raise CodeNotUsable(message, help="give a function that makes it and returns it")
    with _users_code(f"calling {spec}", spec):
        made = value(**arguments)
    if inspect.iscoroutine(made):
        made.close()
    return made, bool(arguments)


@contextmanager
def reported_as(kind: type[CodeNotUsable]) -> Iterator[None]:
    """Raise a CodeNotUsable as the kind that says what the code is for."""
    try:
        yield
    except kind:
        raise
    except CodeNotUsable as error:
        raise kind(str(error), help=error.help) from (error.__cause__ or error)


def _from_file(file: str, spec: str) -> ModuleType:
    """Import a Python file as Python runs a script: its own folder comes first in the search path."""
    path = expand_home(file).resolve()
    if not path.is_file():
        hint = _near(path.name, (neighbour.name for neighbour in _python_files(path.parent)))
        kind = "a folder" if path.is_dir() else "none"
        raise CodeNotUsable(f"expected a Python file at {file}, found {kind}{hint}", help=HELP)
    _importable(path.parent)
    loaded = sys.modules.get(path.stem)
    if loaded is not None and getattr(loaded, "__file__", None) == str(path):
        return loaded
    module = _executed(_free_name(path), path, spec)
    _LOADED.update(_users_modules())
    return module


def _from_name(name: str, spec: str) -> ModuleType:
    if not all(part.isidentifier() for part in name.split(".")):
        path = Path(f"{name}.py")
        hint = _near(str(path), map(str, _python_files(path.parent)))
        message = f"expected a module or a file that ends in .py before the colon, found {name!r}{hint}"
        raise CodeNotUsable(message, help=HELP)
    _importable(Path.cwd())
    importlib.invalidate_caches()
    with _users_code(f"importing {name}", spec):
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
    path = name if name.endswith(".py") else f"{name.replace('.', '/')}.py"
    try:
        tree = ast.parse(Path(path).read_bytes())
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
        with _users_code(f"importing {path.name}", spec):
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
        f"expected a module {missing!r}, found none in {where}{_near(last, names)}",
        help="run it from the folder that holds the module, or give the file: path/to/file.py:function",
    )


def _python_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.py")) if folder.is_dir() else []


@contextmanager
def _users_code(doing: str, spec: str) -> Iterator[None]:
    """Turns whatever the user's code raises, an early exit too, into CodeNotUsable."""
    module = spec.rpartition(":")[0]
    command = f"python '{module}'" if module.endswith(".py") else f"python -c 'import {module}'"
    try:
        yield
    except RagharnessError:
        raise
    except (Exception, SystemExit) as error:
        # Bad syntax says its place in its text, which is named anyway.
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        message = f"{doing} failed: {type(error).__name__}: {reason} ({_line_of(error)})"
        raise CodeNotUsable(message, help=f"{command} shows the whole trace") from error


def _near(name: str, names: Iterable[str]) -> str:
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
