"""The user's own pipeline: found, made where it has to be, and its signature told.

    answer(question, passages)   the harness retrieves
    answer(question, retrieve)   the pipeline retrieves, through the harness
    answer(question)             the pipeline brings its own passages

They are told apart by the names of parameters, then by annotations. Parameters with a default that are
neither are left alone; any other required one is refused. An object that is not called but asked
(``chain.invoke``, ``engine.query``) is a pipeline, too, told by its methods: no framework is imported.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from ragharness.errors import CodeNotUsable, PipelineNotUsable
from ragharness.pipelines.adapters import (
    PASSAGES_NAMES,
    POSITIONAL,
    QUESTION_NAMES,
    Binding,
    UserCode,
    bind,
    described,
    find,
    is_factory,
    make,
    parameters_of,
    plain_name,
    reported_as,
)

Takes = Literal["passages", "retrieve", "own"]

RETRIEVE_NAMES = frozenset({"retrieve", "retriever", "retrieval", "search"})
METHODS = ("invoke", "query", "chat", "ainvoke", "aquery", "achat")
"""The ways to ask, in the order in which they are tried."""

HELP = "write it as answer(question, passages), answer(question, retrieve) or answer(question)"

_ASKED = PASSAGES_NAMES | RETRIEVE_NAMES | QUESTION_NAMES


@dataclass(frozen=True)
class Signature:
    """What a pipeline takes beside the question, and how both are handed over."""

    takes: Takes
    binding: Binding = field(default_factory=Binding)


def load_own(wanted: object) -> tuple[UserCode, Callable[..., object]]:
    """Return the user's code and the callable that answers; raises PipelineNotUsable."""
    with reported_as(PipelineNotUsable):
        code = find(wanted)
        if (by_method := asked_by_method(code.value)) is not None:
            return code, by_method
        if not callable(code.value):
            raise PipelineNotUsable(
                f"expected something callable at {code.spec}, found {described(code.value)}",
                help="wrap it in a function: def answer(question, passages): ...",
            )
        if not is_factory(code.value, _ASKED):
            return code, code.value
        made, _ = make(code.value, code.spec)
        if (by_method := asked_by_method(made)) is not None:
            return code, by_method
        if callable(made):
            return code, made
        if inspect.isclass(code.value):
            expected, found = "a class with __call__", described(made)
        else:
            expected = "a function of a question, or one without parameters that returns such a function,"
            found = f"one without parameters that returns {described(made)}"
        raise PipelineNotUsable(f"expected {expected} at {code.spec}, found {found}", help=HELP)


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


def signature_of(function: Callable[..., object], spec: str) -> Signature:
    """Return the signature of a callable; raises PipelineNotUsable with what was expected and found."""
    with reported_as(PipelineNotUsable):
        parameters = parameters_of(function, spec)
    try:
        return _signature(parameters)
    except CodeNotUsable as error:
        listed = ", ".join(each.name for each in parameters)
        raise PipelineNotUsable(
            f"expected a pipeline that takes a question and either passages or retrieve at {spec}; "
            f"found parameters ({listed}): {error}",
            help=HELP,
        ) from error


def _signature(parameters: list[inspect.Parameter]) -> Signature:
    material, takes = _material(parameters)
    question = _question([each for each in parameters if each is not material])
    values = {question.name: "question"} | ({material.name: "material"} if material is not None else {})
    for each in parameters:
        if each.name not in values and each.default is each.empty:
            raise CodeNotUsable(f"a required parameter {each.name!r} that nothing is known for")
    return Signature(takes, bind(parameters, values))


def _material(parameters: list[inspect.Parameter]) -> tuple[inspect.Parameter | None, Takes]:
    named = [(each, _takes_by_name(each)) for each in parameters]
    annotated = [(each, _takes_by_annotation(each)) for each in parameters[1:]]
    found = [each for each in named if each[1] != "own"] or [each for each in annotated if each[1] != "own"]
    if not found:
        return None, "own"
    if len(found) > 1:
        raise CodeNotUsable(" and ".join(repr(each.name) for each, _ in found) + " at once")
    material, takes = found[0]
    if _annotation(material) == "str":
        raise CodeNotUsable(f"{material.name!r} as text; it gets a list of passages, each with .id and .text")
    return material, takes


def _takes_by_name(parameter: inspect.Parameter) -> Takes:
    name = plain_name(parameter)
    if name in PASSAGES_NAMES:
        return "passages"
    return "retrieve" if name in RETRIEVE_NAMES else "own"


def _takes_by_annotation(parameter: inspect.Parameter) -> Takes:
    annotation = _annotation(parameter)
    # A callable that returns passages names both, so it is looked for first.
    if "Callable" in annotation or "Retriever" in annotation:
        return "retrieve"
    return "passages" if "Passage" in annotation else "own"


def _annotation(parameter: inspect.Parameter) -> str:
    annotation = parameter.annotation
    if annotation is parameter.empty:
        return ""
    return annotation.strip("'\"") if isinstance(annotation, str) else inspect.formatannotation(annotation)


def _question(parameters: list[inspect.Parameter]) -> inspect.Parameter:
    by_name = [each for each in parameters if plain_name(each) in QUESTION_NAMES]
    positional = [each for each in parameters if each.kind in POSITIONAL]
    required = [each for each in parameters if each.default is each.empty]
    # A required parameter of another name is meant before an optional one of a likely name.
    for group in ([each for each in by_name if each in required], positional, by_name, required):
        if group:
            return group[0]
    raise CodeNotUsable("no parameter for the question")
