"""Whether an answer states a text alias, a list of items, or denies a value."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from ragharness.language.dates import DateMention, find_dates
from ragharness.language.numbers import Quantity, find_quantities
from ragharness.language.units import in_base, is_currency, is_duration

_TOKEN = re.compile(r"(?:[^\W\d_]\.){2,}|\d+(?:[.,]\d+)+|[^\W_]+|&")
_ARTICLES = frozenset({"a", "an", "the"})
_FOREIGN_ARTICLES = frozenset(
    [
        "el",
        "la",
        "los",
        "las",
        "lo",
        "un",
        "una",
        "unos",
        "unas",
        "der",
        "die",
        "das",
        "den",
        "dem",
        "des",
        "ein",
        "eine",
        "einen",
        "einem",
        "einer",
        "eines",
        "le",
        "les",
        "l",
        "une",
        "du",
        "d",
    ]
)
Key = tuple[object, ...]


class AliasHit(NamedTuple):
    """Where an alias stands in a text (offsets into the text as given)."""

    start: int
    end: int
    alias: str


class Items(NamedTuple):
    """Which items of a list an answer names, which it leaves out, and what it names besides."""

    found: tuple[str, ...]
    missing: tuple[str, ...]
    extra: tuple[str, ...]


class _Token(NamedTuple):
    start: int
    end: int
    key: object


def normalise(text: str, *, foreign_articles: bool = False) -> str:
    """Return a text NFKC-folded, without case, punctuation, possessive s and articles, single-spaced."""
    return " ".join(
        token.key for token in _plain_tokens(text, foreign_articles) if isinstance(token.key, str)
    )


def find_alias(text: str, aliases: Iterable[str], *, foreign_articles: bool = False) -> list[AliasHit]:
    """Return every place where a text holds all tokens of an alias in a row, in order of place.

    Amounts and dates are compared by value ("three (3) years" holds "36 months"), a plural s and "&" for "and" make
    no difference. Of overlapping hits the longest stays.
    """
    wanted = [
        (alias, key) for alias in dict.fromkeys(aliases) if (key := _alias_key(alias, foreign_articles))
    ]
    folded = _fold(text)
    wanted = [(alias, key) for alias, key in wanted if _possible(key, folded)]
    if not wanted:
        return []
    tokens = _tokens(text, foreign_articles)
    places: dict[object, list[int]] = {}
    for place, token in enumerate(tokens):
        places.setdefault(token.key, []).append(place)
    keys = [token.key for token in tokens]
    hits = [
        AliasHit(tokens[place].start, tokens[place + len(key) - 1].end, alias)
        for alias, key in wanted
        for place in places.get(key[0], ())
        if tuple(keys[place : place + len(key)]) == key
    ]
    return _without_overlap(hits)


def same_kind_values(text: str, alias: str) -> list[Quantity | DateMention]:
    """Return the values of a text that are of the alias's kind (duration, currency, percent, date) but not equal to it."""
    key = _alias_key(alias, False)
    valued = [part for part in key if isinstance(part, tuple)]
    if not valued:
        return []
    if valued[0][0] == "date":
        return [date for date in find_dates(text) if _date_key(date) != valued[0]]
    unit = find_quantities(alias)[0].unit
    return [
        quantity
        for quantity in find_quantities(text)
        if _kind(quantity.unit) == _kind(unit) and _quantity_key(quantity) != valued[0]
    ]


def match_items(text: str, items: Sequence[str], aliases: Mapping[str, Sequence[str]] | None = None) -> Items:
    """Return which items a text names (by themselves or an alias), which not, and what else it enumerates with them."""
    hits: list[AliasHit] = []
    found: list[str] = []
    missing: list[str] = []
    for item in items:
        places = find_alias(text, (item, *(aliases or {}).get(item, ())))
        (found if places else missing).append(item)
        hits += places
    return Items(tuple(found), tuple(missing), tuple(_extras(text, hits, items)))


_NEGATORS = frozenset(
    [
        "not",
        "no",
        "never",
        "without",
        "cannot",
        "neither",
        "nor",
        "none",
        "nunca",
        "sin",
        "jamás",
        "tampoco",
        "nicht",
        "kein",
        "keine",
        "keinen",
        "keiner",
        "keinem",
        "keines",
        "nie",
        "niemals",
        "ohne",
        "ne",
        "pas",
        "jamais",
        "sans",
        "aucun",
        "aucune",
        "ni",
    ]
)
_STATES_ANYWAY = frozenset(
    [
        "more",
        "less",
        "fewer",
        "later",
        "earlier",
        "only",
        "necessarily",
        "longer",
        "exceed",
        "exceeding",
        "greater",
        "just",
        "merely",
        "más",
        "menos",
        "solo",
        "sólo",
        "solamente",
        "necesariamente",
        "mehr",
        "weniger",
        "länger",
        "später",
        "früher",
        "nur",
        "unbedingt",
        "plus",
        "moins",
        "seulement",
        "nécessairement",
        "que",
    ]
)
_NEGATION_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_CLAUSE_START = re.compile(
    r"[;:!?\n,]|\.(?=\s)|\b(?:but|and|while|whereas|although|because|since|so|then|pero|sino|aber|sondern|mais)\b",
    re.IGNORECASE,
)


def negated(text: str, start: int) -> bool:
    """Whether the value at ``start`` is denied: a negation at most four words before it in its clause.

    "not more than", "no later than", "not only", "not necessarily" and the like state the value.
    """
    before = text[max(0, start - 90) : start]
    for boundary in _CLAUSE_START.finditer(before):
        last = boundary.end()
    before = before[last:] if _CLAUSE_START.search(before) else before
    words = [word.casefold() for word in _NEGATION_WORD.findall(before)][-5:]
    for place, word in enumerate(words):
        if len(words) - place > 4:
            continue
        if (word in _NEGATORS or word.endswith(("n't", "n’t"))) and _STATES_ANYWAY.isdisjoint(
            words[place + 1 :]
        ):
            return True
    return False


def _fold(text: str) -> str:
    return text.casefold() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def _word_key(raw: str) -> str:
    word = _fold(raw).replace(".", "") if raw[-1:] == "." else _fold(raw)
    if word == "&":
        return "and"
    return word[:-1] if len(word) > 3 and word[-1] == "s" and word[-2] != "s" and word.isalpha() else word


def _plain_tokens(text: str, foreign_articles: bool) -> list[_Token]:
    tokens = []
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        raw = match[0]
        if raw in {"s", "S"} and text[start - 1 : start] in {"'", "’"} and start:
            continue
        key = _word_key(raw)
        if key in _ARTICLES or (foreign_articles and key in _FOREIGN_ARTICLES):
            continue
        tokens.append(_Token(start, end, key))
    return tokens


def _tokens(text: str, foreign_articles: bool) -> list[_Token]:
    """Tokens with each amount and date as one token, keyed by its value."""
    values = [_Token(q.start, q.end, _quantity_key(q)) for q in find_quantities(text) if not q.year]
    values += [_Token(d.start, d.end, _date_key(d)) for d in find_dates(text) if d.month and not d.ambiguous]
    if not values:
        return _plain_tokens(text, foreign_articles)
    values.sort()
    tokens: list[_Token] = []
    index = 0
    for token in _plain_tokens(text, foreign_articles):
        while index < len(values) and values[index].start <= token.start:
            tokens.append(values[index])
            index += 1
        if index and token.start < values[index - 1].end:
            continue
        tokens.append(token)
    tokens.extend(values[index:])
    return tokens


def _quantity_key(quantity: Quantity) -> Key:
    value, unit = in_base(quantity.value, quantity.unit)
    return ("amount", value, unit)


def _date_key(date: DateMention) -> Key:
    return ("date", date.year, date.month, date.day)


def _kind(unit: str) -> str:
    if is_duration(unit):
        return "duration"
    return "money" if is_currency(unit) else unit


@lru_cache(maxsize=4096)
def _alias_key(alias: str, foreign_articles: bool) -> Key:
    return tuple(token.key for token in _tokens(alias, foreign_articles))


def _possible(key: Key, folded: str) -> bool:
    return all(not isinstance(part, str) or part == "and" or part in folded or "." in folded for part in key)


def _without_overlap(hits: list[AliasHit]) -> list[AliasHit]:
    kept: list[AliasHit] = []
    for hit in sorted(hits, key=lambda hit: (hit.start - hit.end, hit.start)):
        if all(hit.start >= other.end or hit.end <= other.start for other in kept):
            kept.append(hit)
    return sorted(kept)


_DECORATION = re.compile(r"\[[^\[\]]*\]|【[^】]*】|(?<!\w)(?:the|a|an)\s", re.IGNORECASE)
_SPLIT = re.compile(
    r"\s*(?:[,;\n|]|(?<!\w)(?:and|or|as well as|along with|y|e|und|sowie|et|ou)(?!\w))\s*(?:[-*•]|\(?\d+[.)])?\s*"
)
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)")


def _extras(text: str, hits: list[AliasHit], items: Sequence[str]) -> list[str]:
    """Pieces of an enumeration around the items found that look like items and are none."""
    if not hits:
        return []
    hits.sort()
    longest = max(len(normalise(item).split()) for item in items)
    capital = all(item[:1].isupper() or item[:1].isdigit() for item in items)
    end = _SENTENCE_END.search(text, hits[-1].end)
    region_end = end.start() if end else len(text)
    opening = max(text.rfind(mark, 0, hits[0].start) for mark in (":", ".", "\n"))
    extras = []
    position = opening + 1
    for gap in [*_gaps(text, hits, position, region_end)]:
        piece = _DECORATION.sub("", gap).strip(" .-*•\"'“”()[]")
        words = normalise(piece).split()
        if words and len(words) <= longest + 1 and (not capital or piece[0].isupper()):
            extras.append(piece)
    return extras


def _gaps(text: str, hits: list[AliasHit], start: int, end: int) -> Iterable[str]:
    """The pieces between separators that hold no hit and no citation."""
    cuts = [
        match
        for match in _SPLIT.finditer(text, start, end)
        if not any(h.start <= match.start() < h.end for h in hits)
    ]
    edges = [start, *(edge for cut in cuts for edge in cut.span()), end]
    for low, high in zip(edges[::2], edges[1::2], strict=True):
        inside = any(hit.start < high and hit.end > low for hit in hits)
        if not inside and text[low:high].strip():
            yield text[low:high]
