"""A bounded memory for pure functions of short texts: the same sentence is read from many sides."""

from __future__ import annotations

from functools import lru_cache, wraps
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")
LONGEST = 2000
"""Longer texts are read anew each time, so that huge answers do not stay in memory."""


def remembered(function: Callable[[str], Result]) -> Callable[[str], Result]:
    """Return the function with its last results on short texts kept; results must be immutable."""
    kept = lru_cache(maxsize=4096)(function)

    @wraps(function)
    def recall(text: str) -> Result:
        return kept(text) if len(text) <= LONGEST else function(text)

    return recall
