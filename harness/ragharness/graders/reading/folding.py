"""Texts made alike before they are compared: case, accents, spelling of figures, plurals."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from ragharness.language.tables import regex, table, words_of
from ragharness.language.words import remembered

if TYPE_CHECKING:
    from collections.abc import Sequence

_TOKEN = regex(r"\d+(?:\.\d+)?|[^\W\d_]+")
_POSSESSIVE = regex(r"'s\b")
_THOUSANDS = regex(r"(?<=\d),(?=\d{3})")
_INITIALS = regex(r"\b([a-z])\.\s?(?=[a-z]\b)")
_RUN_TOGETHER = regex(r"(?<=[a-z]{2})(?=[A-Z][a-z])")
"""Where a blank is missing ("sung byRufus"); "McCoy" stays whole."""
_PLACE = regex(r"\b(?:state|commonwealth|province) of (?=\w)")
"""What a place is, before its name: "State of Delaware" is Delaware."""
_ORDINAL = frozenset(("st", "nd", "rd", "th"))


@remembered
def fold(text: str) -> str:
    """Return a text without case, accents, possessives, points of initials and separators of thousands."""
    folded = text if text.islower() else _RUN_TOGETHER.sub(" ", text)
    if not folded.isascii():
        folded = unicodedata.normalize("NFKD", folded).replace("’", "'")
        folded = "".join(char for char in folded if not unicodedata.combining(char))
    folded = folded.casefold().replace("&", " and ")
    for sign, what, instead in (("'", _POSSESSIVE, ""), (",", _THOUSANDS, ""), (".", _INITIALS, r"\1")):
        if sign in folded:
            folded = what.sub(instead, folded)
    return _PLACE.sub("", folded) if " of " in folded else folded


def tokens(folded: str) -> list[str]:
    """Return the tokens of a folded text: no articles, numerals as figures, plurals as singulars."""
    articles = words_of("measures", "articles")
    found: list[str] = []
    for token in _TOKEN.findall(folded):
        if token not in articles and not (token in _ORDINAL and found and found[-1].isdigit()):
            found.append(_canonical(token))
    return found


@lru_cache(maxsize=65536)
def _canonical(token: str) -> str:
    if token in _names():
        return _names()[token]
    if token[0].isdigit():
        return token.rstrip("0").rstrip(".") if "." in token else token
    if len(token) > 3 and token.endswith("ies"):
        return f"{token[:-3]}y"
    if len(token) > 4 and token.endswith("es") and token[-3] in "sxz":
        return token[:-2]
    token = token[:-1] if len(token) > 3 and token[-1] == "s" and token[-2] != "s" else token
    return _names().get(token, token)


@lru_cache(maxsize=1)
def _names() -> dict[str, str]:
    """One name for the spellings of a figure, and for a country and its people."""
    rows = [cast("dict[str, str]", table("measures")[key]) for key in ("figures", "countries")]
    return {word: name for named in rows for name, words in named.items() for word in words.split()}


def new_words(found: Sequence[str], asked: frozenset[str]) -> list[str]:
    """Return the tokens that are not asked, function words left out."""
    function_words = words_of("measures", "function_words")
    return [token for token in found if token not in asked and token not in function_words]


def own_words(text: str, asked: frozenset[str]) -> list[str]:
    """Return the words and figures of a text that the question does not have, function words left out."""
    return new_words(tokens(fold(text)), asked)
