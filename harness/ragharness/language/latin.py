"""Words in Latin script: a fast first look at a text before anything is searched in it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from ragharness.language.patterns import regex

WORD = regex(r"[A-Za-zÀ-ɏ]+")
"""A run of letters of the languages read here (English, Spanish, German, French)."""


def word_set(words: str) -> frozenset[str]:
    """Return the words of a table written as one string."""
    return frozenset(words.split())


@lru_cache(maxsize=256)
def lowered(text: str) -> str:
    """Return the text in lower case, compatibility forms folded, with every character in its place."""
    lower = text.lower()
    if text.isascii() or (len(lower) == len(text) and unicodedata.is_normalized("NFKC", lower)):
        return lower
    return "".join(map(_folded, text))


@lru_cache(maxsize=4096)
def _folded(char: str) -> str:
    folded = unicodedata.normalize("NFKC", char).lower()
    return folded if len(folded) == 1 else char


@lru_cache(maxsize=256)
def vocabulary(text: str) -> frozenset[str]:
    """Return the lower-cased words of a text."""
    return frozenset(WORD.findall(lowered(text)))


def places(text: str, words: Iterable[str]) -> list[tuple[int, str]]:
    """Return where each of the words stands as a whole word in the text, in order of place."""
    lower = lowered(text)
    found: list[tuple[int, str]] = []
    for word in words:
        start = lower.find(word)
        while start >= 0:
            end = start + len(word)
            if not (start and lower[start - 1].isalpha()) and not lower[end : end + 1].isalpha():
                found.append((start, word))
            start = lower.find(word, end)
    found.sort()
    return found
