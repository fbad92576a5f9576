"""Words of a text, its content words each under one name, and whether they are English."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar, cast

from ragharness.language.tables import regex, table, words_of

Result = TypeVar("Result")

_TABLE = cast("dict[str, str]", table("words"))
_FOREIGN = words_of("words", "foreign")
_UNMISTAKABLE = words_of("words", "unmistakable")
_UNSTEMMED = words_of("words", "unstemmed")
STOPWORDS = words_of("words", "stop") | words_of("words", "name_particles")
"""Words that say nothing about what a sentence is about."""
_UNAMBIGUOUS = STOPWORDS - words_of("words", "name_particles") - words_of("words", "ambiguous")

_WORD = regex(r"[^\W_]+(?:['’][^\W_]+)?")
_TOKEN = regex(r"\w+")
_CONTRACTED = frozenset(("t", "s", "re", "ve", "ll", "m", "d"))
_MOST = 2000
"""Characters that tell the language of a text; results on longer ones are not kept, to save memory."""
_PUNCTUATION = '.,;:!?()[]"“”*_'
_FEW = 10
"""A text of fewer words in small letters may do without a single function word, as labels and lists do."""


def remembered(function: Callable[[str], Result]) -> Callable[[str], Result]:
    """Return the function with its last results on short texts kept; results must be immutable."""
    kept = lru_cache(maxsize=4096)(function)

    @wraps(function)
    def recall(text: str) -> Result:
        return kept(text) if len(text) <= _MOST else function(text)

    vars(recall)["cache_clear"] = kept.cache_clear
    return recall


def words(text: str) -> list[str]:
    r"""Return the case-folded runs of word characters (``\w+``) of the NFKC-normalised text.

    The one tokenizer that retrieval, evidence overlap and matching share.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return _TOKEN.findall(text.casefold())


def raw_words(text: str) -> list[str]:
    """Return the case-folded words of a text, apostrophes inside words kept."""
    return _WORD.findall(text.casefold())


@remembered
def content(text: str) -> tuple[str, ...]:
    """Return the concepts of a text's content words, in order, stop words left out."""
    text = text.replace("R&D", "research development")
    return tuple(filter(None, map(_meaning, raw_words(text))))


@remembered
def concepts_of(text: str) -> frozenset[str]:
    """Return the concepts of a text's content words."""
    return frozenset(content(text))


@lru_cache(maxsize=16384)
def _meaning(word: str) -> str:
    return "" if _is_stop_word(word) else concept(word)


def _is_stop_word(word: str) -> bool:
    # "couldn't", "it's"
    before, apostrophe, after = word.replace("’", "'").partition("'")
    return before in STOPWORDS and (not apostrophe or after in _CONTRACTED)


@lru_cache(maxsize=16384)
def concept(word: str) -> str:
    """Return the name under which a case-folded word is compared: its synonym group, or its stem."""
    word = word.removesuffix("'s").removesuffix("’s")
    if word.removesuffix("s") in _UNSTEMMED:
        return word.removesuffix("s")
    stem = _stem(word)
    return _synonyms().get(stem, stem)


def _stem(word: str) -> str:
    for ending in _TABLE["endings"].split():
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            if ending != "y" or word[-2] not in "aeiou":
                word = word[: -len(ending)]
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    if len(word) > 3 and word[-1] == "e":
        word = word[:-1]
    # "appropriated" and "appropriation" are one word.
    return word[:-2] if len(word) > 7 and word.endswith("at") else word


@lru_cache(maxsize=1)
def _synonyms() -> dict[str, str]:
    """The name of each group by the stems of its members."""
    names: dict[str, str] = {}
    for name, members in cast("dict[str, str]", table("words")["synonyms"]).items():
        for member in members.split():
            names[_stem(member)] = name
            for ending in ("s", "ed", "ing"):
                # "reveal" loses its ending, "revealing" only the last one.
                names.setdefault(_stem(member + ending), name)
    return names


@lru_cache(maxsize=1)
def generic_concepts() -> frozenset[str]:
    """Return the concepts of the words that name any document or a part of one."""
    return frozenset(map(concept, words_of("words", "generic")))


def is_english(text: str) -> bool:
    """Say whether a text is English enough to be read; a short text without any sign counts as English."""
    text = text[:_MOST]
    beyond = [] if text.isascii() else [each for each in text if each > "\u024f" and each.isalpha()]
    if beyond and len(beyond) * 3 > sum(map(str.isalpha, text)):
        return False
    said = [word.strip(_PUNCTUATION) for word in text.replace("'", " ").replace("’", " ").split()]
    folded = [word.casefold() for word in said]
    if not _UNMISTAKABLE.isdisjoint(folded):
        return False
    # Names keep their language ("Il Divo", "Universidade de São Paulo").
    small = [word for word in said if word[:1].islower()]
    if said and not said[0][:1].islower() and not "".join(said[1:2])[:1].isupper():
        small.append(folded[0])
    foreign = len([word for word in small if word in _FOREIGN])
    return foreign <= len([word for word in folded if word in _UNAMBIGUOUS]) and (
        len(small) < _FEW or not STOPWORDS.isdisjoint(folded)
    )
