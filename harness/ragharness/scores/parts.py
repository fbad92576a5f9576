"""The two parts of the scores that are metrics alone: what they hold follows from what is declared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from msgspec import Meta, Struct, defstruct

from ragharness.scores.metrics import metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ragharness.scores.metrics import Part
    from ragharness.scores.tally import Outcome

AnyStruct = TypeVar("AnyStruct", bound=type[Struct])


def _holding(part: Part) -> Callable[[AnyStruct], AnyStruct]:
    """Give a struct one more field a metric, behind its own."""

    def extended(base: AnyStruct) -> AnyStruct:
        fields = [
            (each.name, Annotated[each.type, Meta(description=each.sentence)]) for each in metrics(part)
        ]
        told = {"__doc__": base.__doc__}
        return defstruct(  # type: ignore[return-value]
            base.__name__, fields, bases=(base,), namespace=told, module=__name__, frozen=True, kw_only=True
        )

    return extended


@_holding("axes")
class Axes(Struct, frozen=True, kw_only=True):
    """What is measured beside the bucket; over graded answers only."""

    if TYPE_CHECKING:

        def __getattr__(self, metric: str) -> Any: ...


@_holding("retrieval")
class Retrieval(Struct, frozen=True, kw_only=True):
    """Where the evidence was found, over the questions whose evidence is in the index and not held back."""

    n: int
    k: Annotated[int | None, Meta(description="Null: the pipeline decides how much it retrieves.")]

    if TYPE_CHECKING:

        def __getattr__(self, metric: str) -> Any: ...


def axes(outcomes: Sequence[Outcome]) -> Axes:
    """Return all axes; rates of refusal count every question asked, the others graded answers."""
    return Axes(**_computed("axes", outcomes, None))


def retrieval(outcomes: Sequence[Outcome], k: int | None) -> Retrieval:
    """Return how well the evidence was retrieved, before anybody read it.

    Over the questions whose evidence is in reach; one that failed or was not asked counts as not found.
    """
    within = [each for each in outcomes if each.question.wanted == "correct" and each.question.evidence]
    return Retrieval(n=len(within), k=k, **_computed("retrieval", within, k))


def _computed(part: Part, outcomes: Sequence[Outcome], k: int | None) -> dict[str, Any]:
    return {each.name: each.compute(outcomes, k) for each in metrics(part)}
