"""The user's own code and objects: found (here), called (``calling``), read (``fields``).

Code is named ``package.module:name`` or ``path/file.py:name``, or handed over. Pipelines and retrievers are
found, made and read alike; which values they get, and what comes of those they return, is their own affair.
"""

from __future__ import annotations

import hashlib
import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragharness.adapters.modules import HELP, from_file, from_name, near, users_code
from ragharness.errors import CodeNotUsable

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["UserCode", "described", "find"]


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
