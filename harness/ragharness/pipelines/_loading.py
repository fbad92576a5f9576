"""Loads the user's own pipeline: ``module:attribute`` or ``path/file.py:attribute`` to a callable.

A class is instantiated without arguments. A function that needs no argument, and has no parameter named like
a question or like material, is a factory: it is called once and returns the pipeline. An object that is not
called but asked (``chain.invoke``, ``engine.query``) is a pipeline, too.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragharness.errors import CodeNotUsable, PipelineNotUsable
from ragharness.importing import described, find, users_code
from ragharness.pipelines import _shape
from ragharness.pipelines._frameworks import asked_by_method

if TYPE_CHECKING:
    from collections.abc import Callable

_LIKELY = _shape.PASSAGES_NAMES | _shape.RETRIEVE_NAMES | _shape.QUESTION_NAMES


@dataclass(frozen=True)
class Found:
    """A callable, a short name for it, and the hash of the source that defines it."""

    function: Callable[..., object]
    name: str
    fingerprint: str
    spec: str


def load_object(wanted: object) -> Found:
    """Import, look up and, for a class or factory, make the pipeline; raises PipelineNotUsable."""
    try:
        found = find(wanted)
    except CodeNotUsable as error:
        raise PipelineNotUsable(str(error), help=error.help) from (error.__cause__ or error)
    spec = found.spec
    if (by_method := asked_by_method(found.value)) is not None:
        return Found(by_method, found.name, found.fingerprint, spec)
    if not callable(found.value):
        raise PipelineNotUsable(
            f"expected something callable at {spec}, found {described(found.value)}",
            help="wrap it in a function: def answer(question, passages): ...",
        )
    return Found(_made(found.value, spec), found.name, found.fingerprint, spec)


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
    try:
        with users_code(f"calling {spec}", spec):
            made = found()
    except CodeNotUsable as error:
        raise PipelineNotUsable(str(error), help=error.help) from error.__cause__
    if inspect.iscoroutine(made):
        made.close()
    if (by_method := asked_by_method(made)) is not None:
        return by_method
    if not callable(made):
        raise PipelineNotUsable(f"expected {expected} at {spec}, found {described(made)}", help=_shape.HELP)
    return made
