"""Whether an answer states a text alias or the items of a list."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from ragharness.language.dates import DateMention, find_dates
from ragharness.language.modality import negated
from ragharness.language.numbers import Quantity, find_quantities
from ragharness.language.numerals import lowered
from ragharness.language.patterns import regex
from ragharness.language.tables import word_set
from ragharness.language.units import in_base, is_currency, is_duration

__all__ = ["AliasHit", "find_alias", "is_code", "negated", "normalise", "same_kind_values"]

_TOKEN = regex(r"(?:[^\W\d_]\.){2,}|\d+(?:[.,]\d+)+|[^\W_]+|&")
_CODE = regex(r"0\d{4,}|(?=(?:\D*\d){7})(\d+(?:-\d+)+)")
"""A number that begins with a zero, or groups of digits with hyphens that are too long for a range."""
_ARTICLES = word_set("a an the")
_FOREIGN_ARTICLES = _ARTICLES | word_set(
    "el la los las lo un una unos unas der die das den dem des ein eine einen einem einer le les l une du d"
)
_GAP = r"[\W_]{1,8}(?:(?:ARTICLES)[\W_]{1,4}){0,2}"
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


def normalise(text: str, *, foreign_articles: bool = False) -> str:
    """Return a text NFKC-folded, without case, punctuation, possessive s and articles, single-spaced."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(_tokens(folded, _FOREIGN_ARTICLES if foreign_articles else _ARTICLES))


def find_alias(text: str, aliases: Iterable[str], *, foreign_articles: bool = False) -> list[AliasHit]:
    """Return every place where a text holds all words of an alias in a row, in order of place.

    Case, punctuation, articles, possessives, a plural s and "&" for "and" make no difference; an amount or
    date in the alias is compared by value ("three (3) years" holds "36 months"). Of overlapping hits the
    first and longest stays.
    """
    hits: list[AliasHit] = []
    for alias in dict.fromkeys(aliases):
        ready = _prepare(alias, foreign_articles)
        if ready is not None:
            hits += (AliasHit(start, end, alias) for start, end in _search(text, ready))
    hits.sort(key=lambda hit: (hit.start, -hit.end))
    kept: list[AliasHit] = []
    for hit in hits:
        if not kept or hit.start >= kept[-1].end:
            kept.append(hit)
    return kept


def _search(text: str, alias: _Alias) -> Iterator[tuple[int, int]]:
    lower = lowered(text)
    if alias.value is None:
        if alias.after is not None and all(stem in lower for stem in alias.stems):
            for match in alias.after.finditer(lower):
                if not alias.capitals or not text[match.start() : match.end()].islower():
                    yield match.span()
        return
    for span in _places_of(text, alias.value):
        start, end = span
        if alias.before is not None:
            before = alias.before.search(lower, max(0, start - 120), start)
            if before is None:
                continue
            start = before.start()
        if alias.after is not None:
            after = alias.after.match(lower, end)
            if after is None:
                continue
            end = after.end()
        yield start, end


def _places_of(text: str, value: Key) -> Iterator[tuple[int, int]]:
    if value[0] == "date":
        return ((date.start, date.end) for date in find_dates(text) if _date_key(date) == value)
    return ((amount.start, amount.end) for amount in find_quantities(text) if _amount_key(amount) == value)


@lru_cache(maxsize=4096)
def _prepare(alias: str, foreign_articles: bool) -> _Alias | None:
    folded = unicodedata.normalize("NFKC", alias).strip()
    value, start, end = _value_in(folded)
    lower = lowered(folded)
    articles = _FOREIGN_ARTICLES if foreign_articles else _ARTICLES
    if value is None:
        words = _tokens(lower, articles) or _TOKEN.findall(lower)
        capitals = folded.isupper() and len(folded) <= 4
        stems = tuple(_forms(word)[0] for word in words)
        return _Alias(None, None, regex(_pattern(words, articles)), capitals, stems) if words else None
    before, after = _tokens(lower[:start], articles), _tokens(lower[end:], articles)
    gap = _gap(articles)
    return _Alias(
        value,
        regex(_pattern(before, articles) + rf"(?:{gap})?$") if before else None,
        regex(gap + _pattern(after, articles)) if after else None,
        capitals=False,
    )


def is_code(text: str) -> bool:
    """Whether a text is digits that count nothing: "0000320193", "77-0019522"; no date, no span of years."""
    found = _CODE.fullmatch(text.strip())
    return found is not None and not (found[1] and find_dates(text))


def _value_in(alias: str) -> tuple[Key | None, int, int]:
    """The first date or amount of an alias, and where it stands; none in a code."""
    if is_code(alias):
        return None, 0, 0
    for date in find_dates(alias):
        if date.month and not date.ambiguous:
            return _date_key(date), date.start, date.end
    for amount in find_quantities(alias):
        if not amount.year:
            return _amount_key(amount), amount.start, amount.end
    return None, 0, 0


def _tokens(lower: str, articles: frozenset[str]) -> list[str]:
    tokens = []
    for match in _TOKEN.finditer(lower):
        word, start = match[0], match.start()
        possessive = word == "s" and start and lower[start - 1] in "'’"
        if not possessive and word not in articles:
            tokens.append("and" if word == "&" else word.rstrip("."))
    return tokens


@lru_cache(maxsize=2)
def _gap(articles: frozenset[str]) -> str:
    return _GAP.replace("ARTICLES", "|".join(sorted(articles)))


def _pattern(words: Sequence[str], articles: frozenset[str]) -> str:
    gap = _gap(articles)
    left = r"(?<!\w)(?<!\d[.,])" if words[0][0].isdigit() else r"(?<!\w)"
    right = r"(?![.,]?\d)(?!\w)" if words[-1][-1].isdigit() else r"(?!\w)"
    return left + gap.join(_forms(word)[1] for word in words) + right


def _forms(word: str) -> tuple[str, str]:
    """Return what stands in every form of a word ("" where nothing need), and the pattern of its forms.

    A word has a plural and a possessive; letters with points match without them.
    """
    if word == "and":
        return "", "(?:and|&)"
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


def same_kind_values(text: str, alias: str) -> list[Quantity | DateMention]:
    """Return the values of a text that are of the alias's kind and differ from it.

    Kinds: duration, money, percent, date, and count (a bare number that does not read as a year). Empty when
    the alias holds neither amount nor date.
    """
    value, start, _ = _value_in(alias)
    if value is None:
        return []
    if value[0] == "date":
        return [date for date in find_dates(text) if _date_key(date) != value]
    unit = next(amount.unit for amount in find_quantities(alias) if amount.start == start)
    return [
        amount
        for amount in find_quantities(text)
        if _kind(amount.unit) == _kind(unit) and not amount.year and _amount_key(amount) != value
    ]


def _amount_key(amount: Quantity) -> Key:
    return ("amount", *in_base(amount.value, amount.unit))


def _date_key(date: DateMention) -> Key:
    return ("date", date.year, date.month, date.day, date.ambiguous)


def _kind(unit: str) -> str:
    if is_duration(unit):
        return "duration"
    return "money" if is_currency(unit) else unit
