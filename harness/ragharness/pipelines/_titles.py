"""Finds the document that a question is about, by titles alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.language.tokens import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.records import Passage


def best_title(question: str, passages: Sequence[Passage]) -> tuple[str, float]:
    """Return the first title with the largest share of its words in the question, and the share."""
    asked = set(words(question))
    shares = {title: _share(words(title), asked) for title in dict.fromkeys(each.title for each in passages)}
    title = max(shares, key=lambda each: shares[each], default="")
    return title, shares.get(title, 0.0)


def _share(title: list[str], asked: set[str]) -> float:
    return sum(word in asked for word in title) / len(title) if title else 0.0
