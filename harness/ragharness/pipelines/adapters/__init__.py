"""The user's own code and objects: found and called (here), read (``fields``).

Code is named ``package.module:name`` or ``path/file.py:name``, or handed over. Pipelines and retrievers are
found, made and read alike; which values they get, and what comes of those they return, is their own affair.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from ragharness.errors import CodeNotUsable
from ragharness.pipelines.adapters.modules import HELP, from_file, from_name, near, users_code

QUESTION_NAMES = frozenset({"question", "query", "q", "prompt", "input", "text", "message"})
PASSAGES_NAMES = frozenset({"passages", "contexts", "context", "documents", "docs", "chunks"})

POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@dataclass(frozen=True)
class UserCode:
    """An object of the user's, a short name for it, and the hash of the source that defines it."""

    value: Any
    name: str
    fingerprint: str
    spec: str
    """How it was named, or where an object that was handed over is defined."""


def find(code: object) -> UserCode:
    """Import a module and look the attribute up; an object that is no name stands for itself.

    Raises CodeNotUsable with what was expected and found.
    """
    if not isinstance(code, str):
        return _handed_over(code)
    spec = code
    module_name, _, attribute = spec.rpartition(":")
    if not module_name or not all(part.isidentifier() for part in attribute.split(".")):
        raise CodeNotUsable(f"expected the name of a function behind the colon, found {spec!r}", help=HELP)
    is_file = module_name.endswith(".py")
    module = (from_file if is_file else from_name)(module_name, spec)
    value = _attribute(module, attribute, spec)
    name = f"{Path(module_name).stem if is_file else module_name}.{attribute}"
    digest = hashlib.sha256()
    # The module's file and, where it is another, the one that defines the object.
    for path in sorted({Path(file) for file in (getattr(module, "__file__", None), _file_of(value)) if file}):
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


def _file_of(value: Any) -> str | None:
    try:
        return inspect.getsourcefile(_definition(value))
    except TypeError:
        return None


def described(value: object) -> str:
    """Type of a value, for the second half of a complaint."""
    return "None" if value is None else f"an object of type {type(value).__name__}"


def _attribute(module: ModuleType, attribute: str, spec: str) -> Any:
    value: Any = module
    path = module.__name__
    for part in attribute.split("."):
        with users_code(f"looking up {part!r}", spec):
            try:
                value = getattr(value, part)
            except AttributeError:
                raise _no_attribute(value, part, path) from None
        path = f"{path}.{part}"
    return value


def _no_attribute(value: object, part: str, path: str) -> CodeNotUsable:
    names = [name for name in dir(value) if not name.startswith("_") and callable(getattr(value, name, None))]
    hint = near(part, names) or (f"; it has {', '.join(names[:8])}" if names else "")
    return CodeNotUsable(f"expected {part!r} in {path}, found no such name{hint}", help=HELP)


@dataclass(frozen=True)
class Binding:
    """Which value each parameter of a callable receives."""

    positional: tuple[str, ...] = ()
    keywords: tuple[tuple[str, str], ...] = ()
    """Names of parameters, each with the value that it receives."""

    def call(self, function: Callable[..., object], values: Mapping[str, object]) -> object:
        """Call a function with the values where they belong."""
        return function(
            *(values[value] for value in self.positional),
            **{name: values[value] for name, value in self.keywords},
        )


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
        raise CodeNotUsable(
            f"expected a callable with readable parameters at {spec}, found {function!r:.80}",
            help="wrap it in a function of your own",
        )
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
            raise CodeNotUsable(
                f"expected {spec} to be made from {source}, found that it needs {parameter.name!r}",
                help="give a function that makes it and returns it",
            )
    with users_code(f"calling {spec}", spec):
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
