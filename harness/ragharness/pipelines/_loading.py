"""Loads the user's own pipeline: ``module:attribute`` or ``path/file.py:attribute`` to a callable.

A class is instantiated without arguments. A function that needs no argument, and has no parameter named like
a question or like material, is a factory: it is called once and returns the pipeline. An object that is not
called but asked (``chain.invoke``, ``engine.query``) is a pipeline, too: told by its methods, so that no
framework is imported.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragharness.errors import CodeNotUsable, PipelineNotUsable
from ragharness.importing import described, find, users_code
from ragharness.pipelines import _shape
from ragharness.pipelines._shape import QUESTION_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable

_LIKELY = _shape.PASSAGES_NAMES | _shape.RETRIEVE_NAMES | _shape.QUESTION_NAMES

METHODS = ("invoke", "query", "chat", "ainvoke", "aquery", "achat")
"""The ways to ask, in the order in which they are tried."""


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


def asked_by_method(found: Any) -> Callable[..., object] | None:
    """Return a pipeline that asks the object, or None for one that is called, or that has no such method."""
    if inspect.isclass(found) or inspect.isroutine(found):
        return None
    # A chain of the older kind may be called, too, but means something else by it.
    is_chain = callable(getattr(found, "invoke", None)) and callable(getattr(found, "ainvoke", None))
    if callable(found) and not is_chain:
        return None
    name = next((each for each in METHODS if callable(getattr(found, each, None))), "")
    if not name:
        return None
    method = getattr(found, name)
    wrap = _input_of(found) if name.endswith("invoke") else str
    if not name.startswith("a"):
        return lambda question: method(wrap(question))

    async def answer(question: str) -> object:
        return await method(wrap(question))

    return answer


def _input_of(chain: Any) -> Callable[[str], object]:
    """Return how a chain wants its question: as a text, under a name, or as the message of a conversation."""
    schema = _schema_of(chain)
    fields = schema.get("properties") or {}
    if schema.get("type") != "object" or not fields:
        return str
    if "messages" in fields:
        return lambda question: {"messages": [{"role": "user", "content": question}]}
    required = schema.get("required") or list(fields)
    named = [each for each in (*required, *fields) if each.lower() in QUESTION_NAMES]
    name = next(iter(named), required[0])
    empty: dict[str, list[object]] = {each: [] for each in required if each == "chat_history"}
    return lambda question: {**empty, name: question}


def _schema_of(chain: Any) -> dict[str, Any]:
    ask = getattr(chain, "get_input_jsonschema", None)
    try:
        schema = ask() if callable(ask) else {}
    except Exception:  # noqa: BLE001 (a chain of parts without types has none to give)
        return {}
    return schema if isinstance(schema, dict) else {}
