"""The reference generator that always refuses: a baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.errors import UsageError
from ragharness.pipelines._refusal import refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ragharness.pipelines import Context
    from ragharness.records import Passage


def build(context: Context, argument: str) -> Callable[[str, Sequence[Passage]], str]:  # noqa: ARG001
    """Return the pipeline that gives the same refusal to every question."""
    if argument:
        raise UsageError(
            f"the reference pipeline 'refuse' takes no argument after its name, found {argument!r}"
        )
    return _answer


def _answer(question: str, passages: Sequence[Passage]) -> str:  # noqa: ARG001
    return refusal(passages)
