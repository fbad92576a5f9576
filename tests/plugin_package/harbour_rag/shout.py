"""The pipeline that quotes the best passage."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ragharness.pipelines import Context
from ragharness.records import Passage


def build(context: Context, argument: str) -> Callable[[str, Sequence[Passage]], str]:
    return lambda question, passages: f"{passages[0].text} [{passages[0].id}]"
