"""The three signatures of a pipeline, told apart by parameter names, then by annotations.

    answer(question, passages)   the harness retrieves
    answer(question, retrieve)   the pipeline retrieves, through the harness
    answer(question)             the pipeline brings its own passages

Parameters with a default that are neither are left alone; any other required one is refused.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ragharness.errors import PipelineNotUsable

if TYPE_CHECKING:
    from collections.abc import Callable

Takes = Literal["passages", "retrieve", "own"]
Slot = Literal["question", "material"]

PASSAGES_NAMES = frozenset({"passages", "contexts", "context", "documents", "docs", "chunks"})
RETRIEVE_NAMES = frozenset({"retrieve", "retriever", "retrieval", "search"})
QUESTION_NAMES = frozenset({"question", "query", "q", "prompt", "input", "text", "message"})

HELP = "write it as answer(question, passages), answer(question, retrieve) or answer(question)"

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_NAMED = (*_POSITIONAL, inspect.Parameter.KEYWORD_ONLY)


@dataclass(frozen=True)
class Shape:
    """What a pipeline takes and how it is handed over."""

    takes: Takes
    positional: tuple[Slot, ...]
    keywords: tuple[tuple[str, Slot], ...] = ()
    """Parameter names and what they receive."""

    def apply(self, function: Callable[..., object], question: str, material: object) -> object:
        """Call ``function`` with the question and, if it takes any, the material, each where it belongs."""
        values: dict[Slot, object] = {"question": question, "material": material}
        return function(
            *(values[slot] for slot in self.positional),
            **{name: values[slot] for name, slot in self.keywords},
        )


def shape_of(function: Callable[..., object], spec: str) -> Shape:
    """Return the shape of a callable; raises PipelineNotUsable with what was expected and found."""
    parameters = parameters_of(function, spec)
    material, takes = _material(parameters, spec)
    question = _question([each for each in parameters if each is not material], spec)
    slots: dict[str, Slot] = {question.name: "question"}
    if material is not None:
        slots[material.name] = "material"
    for each in parameters:
        if each.name not in slots and each.default is each.empty:
            raise _refused(spec, parameters, f"a required parameter {each.name!r} that nothing is known for")
    return _placed(parameters, slots, takes, spec)


def parameters_of(function: Callable[..., object], spec: str) -> list[inspect.Parameter]:
    """Return the named parameters of a callable; raises PipelineNotUsable where Python does not know them."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError) as error:
        raise PipelineNotUsable(
            f"expected a callable with readable parameters at {spec}, found {function!r:.80}", help=HELP
        ) from error
    return [each for each in parameters if each.kind in _NAMED]


def is_async(function: Callable[..., object]) -> bool:
    """Whether it is an ``async def``, also as a method, a partial or the ``__call__`` of an instance."""
    call = getattr(type(function), "__call__", None)  # noqa: B004 (its kind is asked, not whether it is there)
    kinds = (inspect.iscoroutinefunction, inspect.isasyncgenfunction)
    return any(is_kind(each) for is_kind in kinds for each in (function, call))


def bare(name: str) -> str:
    """Return a parameter's name as it is compared."""
    return name.strip("_").lower()


def _material(parameters: list[inspect.Parameter], spec: str) -> tuple[inspect.Parameter | None, Takes]:
    named = {each.name: _takes_by_name(each) for each in parameters}
    found = [each for each in parameters if named[each.name] != "own"]
    if not found:
        named = {each.name: _takes_by_annotation(each) for each in parameters[1:]}
        found = [each for each in parameters[1:] if named[each.name] != "own"]
    if not found:
        return None, "own"
    if len(found) > 1:
        raise _refused(spec, parameters, " and ".join(repr(each.name) for each in found) + " at once")
    (material,) = found
    if _annotation(material) == "str":
        raise _refused(
            spec,
            parameters,
            f"{material.name!r} as text; it gets a list of passages, each with .id and .text",
        )
    return material, named[material.name]


def _takes_by_name(parameter: inspect.Parameter) -> Takes:
    name = bare(parameter.name)
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


def _question(parameters: list[inspect.Parameter], spec: str) -> inspect.Parameter:
    by_name = [each for each in parameters if bare(each.name) in QUESTION_NAMES]
    positional = [each for each in parameters if each.kind in _POSITIONAL]
    required = [each for each in parameters if each.default is each.empty]
    # A required parameter of another name is meant before an optional one of a likely name.
    for group in ([each for each in by_name if each in required], positional, by_name, required):
        if group:
            return group[0]
    raise _refused(spec, parameters, "no parameter for the question")


def _placed(parameters: list[inspect.Parameter], slots: dict[str, Slot], takes: Takes, spec: str) -> Shape:
    positional: list[Slot] = []
    keywords: list[tuple[str, Slot]] = []
    in_line = True
    for each in parameters:
        in_line = in_line and each.name in slots and each.kind in _POSITIONAL
        if in_line:
            positional.append(slots[each.name])
        elif each.name in slots:
            if each.kind is each.POSITIONAL_ONLY:
                raise _refused(spec, parameters, f"{each.name!r} behind parameters that nothing is known for")
            keywords.append((each.name, slots[each.name]))
    return Shape(takes, tuple(positional), tuple(keywords))


def _refused(spec: str, parameters: list[inspect.Parameter], found: str) -> PipelineNotUsable:
    listed = ", ".join(each.name for each in parameters)
    return PipelineNotUsable(
        f"expected a pipeline that takes a question and either passages or retrieve at {spec}; "
        f"found parameters ({listed}): {found}",
        help=HELP,
    )
