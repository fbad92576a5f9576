"""The content words of a sentence, and whether it states a figure."""

from __future__ import annotations

import re

from ragharness.language.tokens import words

FIGURE = re.compile(r"\d[\d,.]*\d|\d")
_SHORTEST = 4
"""Shortest content word, in letters."""

_DULL = frozenset(
    "what when many much percentage does were have been that this with from during into than under amount fiscal year total million billion percent".split()  # noqa: SIM905
)
_STATED = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty|hundred|percent)\b",
    re.IGNORECASE,
)


def states_figure(sentence: str) -> bool:
    """Whether a sentence has a figure in it, in digits or in words."""
    return _STATED.search(sentence) is not None


def content_words(text: str) -> frozenset[str]:
    """Return the content words of a text in the singular."""
    return frozenset(
        word.removesuffix("s") for word in words(text) if len(word) >= _SHORTEST and word not in _DULL
    )
