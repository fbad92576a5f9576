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
_NAMED = (*POSITIONAL, inspect.Parameter.KEYWORD_ONLY)


@dataclass(frozen=True)
class UserCode:
    """What a name stands for, a short name for it, and the hash of the source that defines it."""

    value: Any
    name: str
    fingerprint: str
    spec: str
    """How it was named, or where an object that was handed over is defined."""


def find(wanted: object) -> UserCode:
    """Import a module and look the attribute up; an object that is no name stands for itself.

    Raises CodeNotUsable with what was expected and found.
    """
    if not isinstance(wanted, str):
        return _given(wanted)
    spec = wanted
    place, _, attribute = spec.rpartition(":")
    if not place or not all(part.isidentifier() for part in attribute.split(".")):
        raise CodeNotUsable(f"expected the name of a function behind the colon, found {spec!r}", help=HELP)
    is_file = place.endswith(".py")
    module = from_file(place, spec) if is_file else from_name(place, spec)
    value = _attribute(module, attribute, spec)
    name = f"{Path(place).stem if is_file else place}.{attribute}"
    return UserCode(value, name, _fingerprint(module, value), spec)


def _given(value: object) -> UserCode:
    defined: Any = inspect.unwrap(getattr(value, "func", value))  # type: ignore[arg-type]
    defined = defined if inspect.isclass(defined) or inspect.isroutine(defined) else type(defined)
    name, home = getattr(defined, "__qualname__", type(value).__name__), defined.__module__
    try:
        source = inspect.getsource(defined)
    except (OSError, TypeError):
        # Typed into an interpreter: its compiled code is what can be told apart.
        code = getattr(defined, "__code__", None)
        source = f"{code.co_code!r}{code.co_consts!r}" if code else repr(defined)
    digest = hashlib.sha256(source.encode()).hexdigest()
    return UserCode(value, name if home == "__main__" else f"{home}.{name}", digest, f"{home}:{name}")


def described(value: object) -> str:
    """Return what a value is, for the second half of a complaint."""
    return "None" if value is None else f"an object of type {type(value).__name__}"


def _attribute(module: ModuleType, attribute: str, spec: str) -> Any:
    found: Any = module
    reached = module.__name__
    for part in attribute.split("."):
        with users_code(f"looking up {part!r}", spec):
            try:
                found = getattr(found, part)
            except AttributeError:
                raise _no_attribute(found, part, reached) from None
        reached = f"{reached}.{part}"
    return found


def _no_attribute(found: object, part: str, reached: str) -> CodeNotUsable:
    names = [name for name in dir(found) if not name.startswith("_") and callable(getattr(found, name, None))]
    hint = near(part, names) or (f"; it has {', '.join(names[:8])}" if names else "")
    return CodeNotUsable(f"expected {part!r} in {reached}, found no such name{hint}", help=HELP)


def _fingerprint(module: ModuleType, found: Any) -> str:
    """Return a hash of the module's file and, where it is another, of the file that defines the object."""
    files = {Path(name) for name in (getattr(module, "__file__", None), _defined_in(found)) if name}
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(path.read_bytes() if path.is_file() else str(path).encode())
    return digest.hexdigest()


def _defined_in(found: Any) -> str | None:
    found = inspect.unwrap(getattr(found, "func", found))
    has_source = inspect.isclass(found) or inspect.isroutine(found)
    try:
        return inspect.getsourcefile(found if has_source else type(found))
    except TypeError:
        return None


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
    """Return the binding of values to parameters by their names; the other parameters receive nothing.

    Raises CodeNotUsable where only a parameter that receives nothing could come before a positional one.
    """
    positional: list[str] = []
    keywords: list[tuple[str, str]] = []
    in_line = True
    for each in parameters:
        in_line = in_line and each.name in values and each.kind in POSITIONAL
        if in_line:
            positional.append(values[each.name])
        elif each.name in values:
            if each.kind is each.POSITIONAL_ONLY:
                raise CodeNotUsable(f"{each.name!r} behind parameters that nothing is known for")
            keywords.append((each.name, values[each.name]))
    return Binding(tuple(positional), tuple(keywords))


def parameters_of(function: Callable[..., object], spec: str) -> list[inspect.Parameter]:
    """Return the named parameters of a callable; raises CodeNotUsable where Python does not know them."""
    parameters = readable_parameters(function)
    if parameters is None:
        raise CodeNotUsable(
            f"expected a callable with readable parameters at {spec}, found {function!r:.80}",
            help="wrap it in a function of your own",
        )
    return parameters


def readable_parameters(function: Callable[..., object]) -> list[inspect.Parameter] | None:
    """Return the named parameters of a callable; None where Python does not know them."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    return [each for each in parameters if each.kind in _NAMED]


def takes_any(function: Callable[..., object]) -> bool:
    """Whether it takes any number of values."""
    return any(each.kind is each.VAR_POSITIONAL for each in inspect.signature(function).parameters.values())


def is_async(function: Callable[..., object]) -> bool:
    """Whether it is an ``async def``, also as a method, a partial or the ``__call__`` of an instance."""
    call = getattr(type(function), "__call__", None)  # noqa: B004 (its kind is asked, not whether it is there)
    kinds = (inspect.iscoroutinefunction, inspect.isasyncgenfunction)
    return any(is_kind(each) for is_kind in kinds for each in (function, call))


def plain_name(parameter: inspect.Parameter) -> str:
    """Return a parameter's name as it is compared."""
    return parameter.name.strip("_").lower()


def is_factory(value: Any, asked: frozenset[str], material: frozenset[str] = frozenset()) -> bool:
    """Whether it is called once and returns what is asked: a class, or a function that can be called so.

    A parameter named as one of ``asked`` says that it is asked itself; one of ``material``, that it is made.
    """
    if inspect.isclass(value) or not callable(value):
        return inspect.isclass(value)
    parameters = readable_parameters(value)
    if parameters is None:
        return False
    names = {plain_name(each) for each in parameters}
    if names & asked:
        return False
    needs_nothing = all(each.default is not each.empty for each in parameters)
    return bool(names & material) or (needs_nothing and not takes_any(value))


def make(
    value: Any, spec: str, names: frozenset[str] = frozenset(), material: object = None
) -> tuple[Any, bool]:
    """Call a class or factory; return what it made, and whether a parameter of these names got the material.

    Raises CodeNotUsable for one that needs more than that, and for whatever the user's code raises.
    """
    given: dict[str, object] = {}
    for each in parameters_of(value, spec):
        if plain_name(each) in names and not given:
            given[each.name] = material
        elif each.default is each.empty:
            source = "passages or nothing" if names else "nothing"
            raise CodeNotUsable(
                f"expected {spec} to be made from {source}, found that it needs {each.name!r}",
                help="give a function that makes it and returns it",
            )
    with users_code(f"calling {spec}", spec):
        made = value(**given)
    if inspect.iscoroutine(made):
        made.close()
    return made, bool(given)


@contextmanager
def reported_as(kind: type[CodeNotUsable]) -> Iterator[None]:
    """Raise a CodeNotUsable as the kind that says what the code was wanted for."""
    try:
        yield
    except kind:
        raise
    except CodeNotUsable as error:
        raise kind(str(error), help=error.help) from (error.__cause__ or error)
