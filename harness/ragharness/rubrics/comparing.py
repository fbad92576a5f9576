"""Two scores side by side, across versions only under a banner and on shared dimensions; and costs ahead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from ragharness.rubrics.items import Item
from ragharness.rubrics.judge import Taken, prompt_of
from ragharness.rubrics.rubric import JUDGED, Header

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.pipelines._llm.prices import Price
    from ragharness.rubrics.rubric import Rubric
    from ragharness.rubrics.scoring import RubricScores

NOT_ALIKE = "not apples-to-apples: the scores are by different rubrics or versions; shared dimensions only"

_TOKEN = 4
"""Characters of a token, roughly."""

_OUTPUT = 1500
"""Characters of an input with its output, where no outputs are given."""

_REPLY = 200
"""Tokens of a judge's reply, roughly."""


class Beside(Struct, frozen=True):
    """One dimension of two scores."""

    id: str
    first: float | None
    second: float | None


class ScoresBeside(Struct, frozen=True):
    """Two scores; totals only where the rubric is the same."""

    rubrics: tuple[Header, Header]
    banner: str
    dimensions: tuple[Beside, ...]
    totals: tuple[float | None, float | None] | None


def compare_scores(first: RubricScores, second: RubricScores) -> ScoresBeside:
    """Return two scores side by side."""
    same = first.rubric == second.rubric
    theirs = {each.id: each for each in second.dimensions}
    shared = tuple(
        Beside(each.id, each.mean, theirs[each.id].mean) for each in first.dimensions if each.id in theirs
    )
    totals = (first.total, second.total) if same else None
    return ScoresBeside((first.rubric, second.rubric), "" if same else NOT_ALIKE, shared, totals)


def estimate(
    rubric: Rubric, count: int, items: Sequence[Item] = (), price: Price | None = None
) -> dict[str, Taken]:
    """Return what each judged dimension or check will take for so many outputs; advice, no limit."""
    shown = items or (Item(id="1", input="", output="x" * _OUTPUT),)
    found: dict[str, Taken] = {}
    for each in rubric.asked:
        if each.method == JUDGED:
            calls = count * (each.votes or 1)
            length = sum(len(prompt_of(each, item)) for item in shown) // len(shown)
            prompt, reply = calls * (length // _TOKEN), calls * _REPLY
            cost = price.cost(prompt, reply) if price else None
            found[each.id] = Taken(calls, prompt, reply, cost)
    return found
