"""Two scores side by side, across versions only under a banner and on shared dimensions; and costs ahead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from ragharness.rubrics.items import Item
from ragharness.rubrics.judge import Taken, prompt_of
from ragharness.rubrics.rubric import JUDGED, Header

if TYPE_CHECKING:
    from ragharness.pipelines._llm.prices import Price
    from ragharness.rubrics.rubric import Rubric
    from ragharness.rubrics.scores import RubricScores

NOT_ALIKE = "not apples-to-apples: the scores are by different rubrics or versions; shared dimensions only"

_TOKEN = 4
"""Characters of a token, roughly."""

_OUTPUT = 1500
"""Characters of an input with its output, roughly."""

_REPLY = 200
"""Tokens of a judge's reply, roughly."""


class ScoresBeside(Struct, frozen=True):
    """Two scores; totals only where the rubric is the same."""

    rubrics: tuple[Header, Header]
    banner: str
    dimensions: dict[str, tuple[float | None, float | None]]
    totals: tuple[float | None, float | None] | None


def compare_scores(first: RubricScores, second: RubricScores) -> ScoresBeside:
    """Return two scores side by side."""
    same = first.rubric == second.rubric
    theirs = {each.id: each.mean for each in second.dimensions}
    shared = {each.id: (each.mean, theirs[each.id]) for each in first.dimensions if each.id in theirs}
    totals = (first.total, second.total) if same else None
    return ScoresBeside((first.rubric, second.rubric), "" if same else NOT_ALIKE, shared, totals)


def estimate(rubric: Rubric, count: int, price: Price | None = None) -> dict[str, Taken]:
    """Return what each judged dimension or check will take for so many outputs; advice, no limit."""
    found: dict[str, Taken] = {}
    for each in rubric.asked:
        if each.method == JUDGED:
            calls = count * (each.votes or 1)
            prompt = calls * len(prompt_of(each, Item(output="x" * _OUTPUT))) // _TOKEN
            cost = price.cost(prompt, calls * _REPLY) if price else None
            found[each.id] = Taken(calls, prompt, calls * _REPLY, cost)
    return found
