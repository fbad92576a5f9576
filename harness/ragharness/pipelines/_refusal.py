"""A refusal that is worth something: it says why, names what is nearest, and what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.records import Passage

NEAREST = 3
"""Passages that a refusal names."""


def refusal(passages: Sequence[Passage], why: str) -> str:
    """Return a refusal that gives ``why`` as its reason; with nothing retrieved that is the reason."""
    if not passages:
        return (
            "I can't answer this question: nothing was retrieved for it, so I have no passage to rely on. "
            "Please check the original document, or ask again with other words."
        )
    nearest = "; ".join(f"{passage.title} [{passage.id}]" for passage in passages[:NEAREST])
    return (
        f"I can't answer this question from the retrieved passages: {why}. "
        f"The nearest passages are: {nearest}. Please check the original document or ask its owner."
    )
