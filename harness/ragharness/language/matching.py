"""Whether a text states an alias: the same words in a row, or the same amount or date."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ragharness.language.dates import DateMention, find_dates
from ragharness.language.modality import negated
from ragharness.language.numbers import Quantity, find_quantities
from ragharness.language.numerals import lowered
from ragharness.language.patterns import regex
from ragharness.language.tables import table
from ragharness.language.units import in_base

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["AliasHit", "find_alias", "is_code", "negated", "normalise"]

_TOKEN = regex(r"(?:[^\W\d_]\.){2,}|\d+(?:[.,]\d+)+|[^\W_]+|&")
_CODE = regex(r"0\d{4,}|(?=(?:\D*\d){7})(\d+(?:-\d+)+)")
"""A number that begins with a zero, or groups of digits with hyphens that are too long for a range."""
_ARTICLES = frozenset(("a", "an", "the"))
_GAP = r"[\W_]{1,8}(?:(?:an?|the)[\W_]{1,4}){0,2}"
_AND = "(?:and|&)"
_BEFORE = 120
Key = tuple[object, ...]


class AliasHit(NamedTuple):
    """Where an alias stands in a text (offsets into the text as given)."""

    start: int
    end: int
    alias: str


class _Alias(NamedTuple):
    """An alias made ready for search: plain words, or one amount or date with words around it."""

    value: Key | None
    before: re.Pattern[str] | None
    after: re.Pattern[str] | None
    capitals: bool
    stems: tuple[str, ...] = ()
    """What a text without any value must hold somewhere to be worth a search."""


def normalise(text: str) -> str:
    """Return a text NFKC-folded, without case, punctuation, possessive s and articles, single-spaced."""
    return " ".join(_tokens(unicodedata.normalize("NFKC", text).casefold()))


def find_alias(text: str, aliases: Iterable[str]) -> list[AliasHit]:
    """Return every place where a text holds all words of an alias in a row, in order of place.

    Case, punctuation, articles, possessives, a plural s, "&" for "and" and the way an ordinal is written
    ("VIII", "Eighth", "8th") make no difference; an amount or date is compared by value ("three (3) years"
    holds "36 months"). Of overlapping hits the first and longest stays.
    """
    hits: list[AliasHit] = []
    for alias in dict.fromkeys(aliases):
        ready = _prepare(alias)
        if ready is not None:
            hits += (AliasHit(start, end, alias) for start, end in _search(text, ready))
    hits.sort(key=lambda hit: (hit.start, -hit.end))
    kept: list[AliasHit] = []
    for hit in hits:
        if not kept or hit.start >= kept[-1].end:
            kept.append(hit)
    return kept


def is_code(text: str) -> bool:
    """Return whether a text is digits that count nothing: "0000320193", "77-0019522"; no span of years."""
    found = _CODE.fullmatch(text.strip())
    return found is not None and not (found[1] and find_dates(text))


def _search(text: str, alias: _Alias) -> Iterator[tuple[int, int]]:
    lower = lowered(text)
    if alias.value is None:
        if alias.after is not None and all(stem in lower for stem in alias.stems):
            for match in alias.after.finditer(lower):
                if not alias.capitals or not text[match.start() : match.end()].islower():
                    yield match.span()
        return
    for start, end in _places_of(text, alias.value):
        before = alias.before.search(lower, max(0, start - _BEFORE), start) if alias.before else None
        after = alias.after.match(lower, end) if alias.after else None
        if (alias.before is None or before) and (alias.after is None or after):
            yield before.start() if before else start, after.end() if after else end


def _places_of(text: str, value: Key) -> Iterator[tuple[int, int]]:
    if value[0] == "date":
        return ((date.start, date.end) for date in find_dates(text) if _date_key(date) == value)
    return ((amount.start, amount.end) for amount in find_quantities(text) if _amount_key(amount) == value)


@lru_cache(maxsize=4096)
def _prepare(alias: str) -> _Alias | None:
    folded = unicodedata.normalize("NFKC", alias).strip()
    lower = lowered(folded)
    value, start, end = _value_in(folded)
    if value is None:
        words = _tokens(lower) or _TOKEN.findall(lower)
        capitals = folded.isupper() and len(folded) <= 4
        stems = tuple(_forms(word)[0] for word in words)
        return _Alias(None, None, regex(_pattern(words)), capitals, stems) if words else None
    before, after = _tokens(lower[:start]), _tokens(lower[end:])
    return _Alias(
        value,
        regex(_pattern(before) + rf"(?:{_GAP})?$") if before else None,
        regex(_GAP + _pattern(after)) if after else None,
        capitals=False,
    )


def _value_in(alias: str) -> tuple[Key | None, int, int]:
    """The first date or amount of an alias, and where it stands; none in a code or in an ordinal."""
    if is_code(alias):
        return None, 0, 0
    for date in find_dates(alias):
        if date.month and not date.ambiguous:
            return _date_key(date), date.start, date.end
    for amount in find_quantities(alias):
        if not amount.year and lowered(alias[amount.start : amount.end]) not in _ordinals():
            return _amount_key(amount), amount.start, amount.end
    return None, 0, 0


def _tokens(lower: str) -> list[str]:
    tokens = []
    for match in _TOKEN.finditer(lower):
        word, start = match[0], match.start()
        possessive = word == "s" and start and lower[start - 1] in "'’"
        article = word in _ARTICLES and lower[match.end() : match.end() + 1] != "&"
        if not possessive and not article:
            tokens.append("and" if word == "&" else word.rstrip("."))
    return tokens


def _pattern(words: Sequence[str]) -> str:
    left = r"(?<!\w)(?<!\d[.,])" if words[0][0].isdigit() else r"(?<!\w)"
    right = r"(?![.,]?\d)(?!\w)" if words[-1][-1].isdigit() else r"(?!\w)"
    joined = _GAP.join(_forms(word)[1] for word in words)
    return left + joined.replace(f"{_GAP}{_AND}{_GAP}", rf"(?:\s*&\s*|{_GAP}and{_GAP})") + right


def _forms(word: str) -> tuple[str, str]:
    """Return what stands in every form of a word ("" where nothing need), and the pattern of its forms.

    A word has a plural and a possessive; letters with points match without them.
    """
    if word == "and":
        return "", _AND
    if word in _ordinals():
        return "", _ordinals()[word]
    if "." in word or len(word) == 2:
        letters = word.replace(".", "")
        return "", r"\.?".join(map(re.escape, letters)) + r"\.?(?:['’]s)?"
    if not word.isalpha() or len(word) < 3:
        return word, re.escape(word)
    if word.endswith("ies") or (word.endswith("y") and word[-2] not in "aeiou"):
        stem, endings = (word[:-3] if word.endswith("ies") else word[:-1]), "(?:y|ies)"
    elif word.endswith("s") and word[-2] != "s" and len(word) > 3:
        stem, endings = word[:-1], "s?"
    else:
        stem, endings = word, "(?:s|es)?"
    return stem, f"{re.escape(stem)}{endings}(?:['’]s?)?"


@lru_cache(maxsize=1)
def _ordinals() -> dict[str, str]:
    """Each spelling of a small ordinal ("viii", "eighth", "8th") with the pattern of all of them."""
    rows = [row.split() for row in table("values")["ordinals"]]
    return {spelling: f"(?:{'|'.join(row)})" for row in rows for spelling in row}


def _amount_key(amount: Quantity) -> Key:
    return ("amount", *in_base(amount.value, amount.unit))


def _date_key(date: DateMention) -> Key:
    return ("date", date.year, date.month, date.day, date.ambiguous)
