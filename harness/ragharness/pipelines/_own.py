"""The user's own pipeline: loaded, made where it has to be, and its signature read.

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
from ragharness.pipelines import adapters
from ragharness.pipelines.adapters import PASSAGES_NAMES, POSITIONAL, QUESTION_NAMES, plain_name

Takes = Literal["passages", "retrieve", "own"]
RETRIEVE_NAMES = frozenset({"retrieve", "retriever", "retrieval", "search"})
METHODS = ("invoke", "query", "chat", "ainvoke", "aquery", "achat")  # the ways to ask, in the order of trying
HELP = "write it as answer(question, passages), answer(question, retrieve) or answer(question)"
_PARAMETER_NAMES = PASSAGES_NAMES | RETRIEVE_NAMES | QUESTION_NAMES


@dataclass(frozen=True)
class Signature:
    """The second input of a pipeline beside the question, and how both are handed over."""

    takes: Takes
    binding: adapters.Binding = field(default_factory=adapters.Binding)


def load_own(pipeline: object) -> tuple[adapters.UserCode, Callable[..., object]]:
    """The user's code, named or handed over, and the callable that answers; raises PipelineNotUsable."""
    with adapters.reported_as(PipelineNotUsable):
        code = adapters.find(pipeline)
        if (by_method := asked_by_method(code.value)) is not None:
            return code, by_method
        if not callable(code.value):
            raise PipelineNotUsable(
                f"expected something callable at {code.spec}, found {adapters.described(code.value)}",
                help="wrap it in a function: def answer(question, passages): ...",
            )
        if not adapters.is_factory(code.value, _PARAMETER_NAMES):
            return code, code.value
        made, _ = adapters.make(code.value, code.spec)
        if (by_method := asked_by_method(made)) is not None:
            return code, by_method
        if callable(made):
            return code, made
        if inspect.isclass(code.value):
            problem = "is a class without __call__"
        else:
            shape = adapters.described(made)
            problem = f"takes no question, and returns {shape} rather than a function that does"
        raise PipelineNotUsable(f"{code.spec} {problem}", help=HELP)


def asked_by_method(chain: Any) -> Callable[..., object] | None:
    """A pipeline that asks the object, or None for one that is called, or that has no such method."""
    if inspect.isclass(chain) or inspect.isroutine(chain):
        return None
    # A chain of the older kind may be called, too, but means something else by it.
    is_chain = callable(getattr(chain, "invoke", None)) and callable(getattr(chain, "ainvoke", None))
    if callable(chain) and not is_chain:
        return None
    name = next((name for name in METHODS if callable(getattr(chain, name, None))), "")
    if not name:
        return None
    method = getattr(chain, name)
    wrap = _input_of(chain) if name.endswith("invoke") else str
    if not name.startswith("a"):
        return lambda question: method(wrap(question))

    async def answer(question: str) -> object:
        return await method(wrap(question))

    return answer


def _input_of(chain: Any) -> Callable[[str], object]:
    """How a chain wants its question: as a text, under a name, or as the message of a conversation."""
    schema: Any = None
    if callable(read_schema := getattr(chain, "get_input_jsonschema", None)):
        try:
            schema = read_schema()
        except Exception:  # noqa: BLE001 (a chain of parts without types has none to give)
            return str
    fields = schema.get("properties") if isinstance(schema, dict) else None
    if not fields or schema.get("type") != "object":
        return str
    if "messages" in fields:
        return lambda question: {"messages": [{"role": "user", "content": question}]}
    required = schema.get("required") or list(fields)
    name = next((name for name in (*required, *fields) if name.lower() in QUESTION_NAMES), required[0])
    empty: dict[str, list[object]] = {name: [] for name in required if name == "chat_history"}
    return lambda question: {**empty, name: question}


def signature_of(function: Callable[..., object], spec: str) -> Signature:
    """The signature of a callable; raises PipelineNotUsable with its parameters and what is wrong."""
    with adapters.reported_as(PipelineNotUsable):
        parameters = adapters.parameters_of(function, spec)
    try:
        return _signature(parameters)
    except CodeNotUsable as error:
        listed = ", ".join(parameter.name for parameter in parameters)
        raise PipelineNotUsable(
            f"expected a pipeline that takes a question and either passages or retrieve at {spec}; "
            f"found parameters ({listed}): {error}",
            help=HELP,
        ) from error


def _signature(parameters: list[inspect.Parameter]) -> Signature:
    by_name = [(parameter, _takes_by_name(parameter)) for parameter in parameters]
    by_annotation = [(parameter, _takes_by_annotation(parameter)) for parameter in parameters[1:]]
    for pairs in (by_name, by_annotation):
        if materials := [(parameter, takes) for parameter, takes in pairs if takes != "own"]:
            break
    if len(materials) > 1:
        raise CodeNotUsable(" and ".join(repr(parameter.name) for parameter, _ in materials) + " at once")
    values, takes = {}, materials[0][1] if materials else "own"
    for material, _ in materials:
        if _annotation(material) == "str":
            message = f"{material.name!r} as text; it gets a list of passages, each with .id and .text"
            raise CodeNotUsable(message)
        values[material.name] = "material"
    others = [parameter for parameter in parameters if parameter.name not in values]
    values[_question(others).name] = "question"
    for parameter in others:
        if parameter.name not in values and parameter.default is parameter.empty:
            raise CodeNotUsable(f"a required parameter {parameter.name!r} that nothing is known for")
    return Signature(takes, adapters.bind(parameters, values))


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
    by_name = [parameter for parameter in parameters if plain_name(parameter) in QUESTION_NAMES]
    positional = [parameter for parameter in parameters if parameter.kind in POSITIONAL]
    required = [parameter for parameter in parameters if parameter.default is parameter.empty]
    # A required parameter of another name is meant before an optional one of a likely name.
    likely = [parameter for parameter in by_name if parameter in required]
    for parameter in (*likely, *positional, *by_name, *required):
        return parameter
    raise CodeNotUsable("no parameter for the question")
