"""The user's own pipeline: from ``module:attribute`` or ``path/file.py:attribute`` to something callable.

A class is instantiated without arguments. A function that needs no argument, and has no parameter named like
a question or like material, is a factory: it is called once and returns the pipeline.
"""

from __future__ import annotations

import hashlib
import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragharness.errors import PipelineNotUsable
from ragharness.pipelines import _shape
from ragharness.pipelines._importing import from_file, from_name
from ragharness.pipelines._mishaps import HELP, near, users_code

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

_LIKELY = _shape.PASSAGES_NAMES | _shape.RETRIEVE_NAMES | _shape.QUESTION_NAMES


@dataclass(frozen=True)
class Found:
    """A callable, a short name for it, and the hash of the source that defines it."""

    function: Callable[..., object]
    name: str
    fingerprint: str


def load_object(spec: str) -> Found:
    """Import, look up and, for a class or factory, make the pipeline; raises PipelineNotUsable."""
    place, _, attribute = spec.rpartition(":")
    if not place or not all(part.isidentifier() for part in attribute.split(".")):
        raise PipelineNotUsable(
            f"expected the name of a function behind the colon, found {spec!r}", help=HELP
        )
    is_file = place.endswith(".py")
    module = from_file(place, spec) if is_file else from_name(place, spec)
    found = _attribute(module, attribute, spec)
    if not callable(found):
        raise PipelineNotUsable(
            f"expected something callable at {spec}, found {_described(found)}",
            help="wrap it in a function: def answer(question, passages): ...",
        )
    name = f"{Path(place).stem if is_file else place}.{attribute}"
    return Found(_made(found, spec), name, _fingerprint(module, found))


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


def _no_attribute(found: object, part: str, reached: str) -> PipelineNotUsable:
    names = [name for name in dir(found) if not name.startswith("_") and callable(getattr(found, name, None))]
    hint = near(part, names) or (f"; it has {', '.join(names[:8])}" if names else "")
    return PipelineNotUsable(f"expected {part!r} in {reached}, found no such name{hint}", help=HELP)


def _made(found: Callable[..., object], spec: str) -> Callable[..., object]:
    if inspect.isclass(found):
        needed = [each.name for each in _shape.parameters_of(found, spec) if each.default is each.empty]
        if needed:
            raise PipelineNotUsable(
                f"expected a class without required arguments at {spec}, found {', '.join(needed)}",
                help="give a function that makes it and returns the instance",
            )
        return _called(found, spec, "a class with __call__")
    if _is_factory(found, spec):
        return _called(found, spec, "a factory that returns a callable")
    return found


def _is_factory(found: Callable[..., object], spec: str) -> bool:
    parameters = _shape.parameters_of(found, spec)
    if not parameters and _takes_any(found):
        return False
    return all(
        each.default is not each.empty and _shape.bare(each.name) not in _LIKELY for each in parameters
    )


def _takes_any(found: Callable[..., object]) -> bool:
    return any(each.kind is each.VAR_POSITIONAL for each in inspect.signature(found).parameters.values())


def _called(found: Callable[..., object], spec: str, expected: str) -> Callable[..., object]:
    with users_code(f"calling {spec}", spec):
        made = found()
    if inspect.iscoroutine(made):
        made.close()
    if not callable(made):
        raise PipelineNotUsable(f"expected {expected} at {spec}, found {_described(made)}", help=_shape.HELP)
    return made


def _fingerprint(module: ModuleType, found: Callable[..., object]) -> str:
    """Return a hash of the module's file and, where it is another, of the file that defines the callable."""
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


def _described(value: object) -> str:
    return "None" if value is None else f"an object of type {type(value).__name__}"
