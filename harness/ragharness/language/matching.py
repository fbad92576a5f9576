"""Whether a text states an alias or an amount, and texts made alike before their words are compared."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from operator import itemgetter
from typing import Literal, NamedTuple, cast

from msgspec.structs import replace

from ragharness.language.dates import DateMention, find_dates
from ragharness.language.numbers import Quantity, find_quantities, other_unit, rounds_to
from ragharness.language.tables import regex, table, words_of
from ragharness.language.units import in_base, is_duration, lowered, read_digits, read_unit
from ragharness.language.words import remembered

_TOKEN = regex(r"(?<!\w)(?:[^\W\d_]\.\s?)+[^\W\d_]\.|\d+(?:[.,]\d+)+|[^\W_]+|&")
_CODE = regex(r"0\d{4,}|(?=(?:\D*\d){7})(\d+(?:-\d+)+)")
"""A number that begins with a zero, or groups of digits with hyphens that are too long for a range."""
_CAPITAL = regex(r"\b([A-Z])[a-z]+")
_POINTS = regex(r"\.\s?")
_ARTICLES = frozenset(("a", "an", "the"))
_ORDINALS = {
    spelling: row.split()[0]
    for row in cast("list[str]", table("values")["ordinals"])
    for spelling in row.split()
}  # each spelling of a small ordinal ("viii", "eighth", "8th") with the first of all of them
_NAMES = {
    word: name
    for key in ("figures", "countries")
    for name, words in cast("dict[str, str]", table("measures")[key]).items()
    for word in words.split()
}  # one name for the spellings of a figure, and for a country and its people
_STATES = {
    name.casefold(): code
    for code, name in (row.split(" ", 1) for row in cast("list[str]", table("measures")["states"]))
}
Key = tuple[object, ...]


class AliasHit(NamedTuple):
    """Where an alias stands in a text (offsets into the text as given)."""

    start: int
    end: int
    alias: str


class _Tokens(NamedTuple):
    """The words of a text, each under one name, and where they stand; articles left out."""

    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]


class _Alias(NamedTuple):
    """An alias ready for search: words in a row, or words around one amount or date."""

    before: tuple[str, ...]
    value: Key | None = None
    after: tuple[str, ...] = ()


def find_alias(text: str, aliases: Iterable[str]) -> list[AliasHit]:
    """Every place where a text holds all words of an alias in a row, in order of place.

    Case, punctuation, articles, possessives, a plural s, "&" for "and" and the way an ordinal is written
    ("VIII", "Eighth", "8th") make no difference; an amount or date is compared by value ("three (3) years"
    holds "36 months"). Of overlapping hits the first and longest stays.
    """
    tokenized = _tokens(text)
    names = dict.fromkeys(aliases)
    hits = (AliasHit(*span, alias) for alias in names for span in _search(text, tokenized, alias))
    disjoint: list[AliasHit] = []
    for hit in sorted(hits, key=lambda hit: (hit.start, -hit.end)):
        if not disjoint or hit.start >= disjoint[-1].end:
            disjoint.append(hit)
    return disjoint


def states_in_full(text: str, golds: Iterable[str]) -> str:
    """Text with the postal codes of states and the initials of names that are golds written out."""
    for gold in golds:
        code = _STATES.get(gold.casefold()) or "".join(_CAPITAL.findall(gold))
        if code in text.replace(".", "") and (len(code) > 2 or gold.casefold() in _STATES):
            text = re.sub(r"\b" + r"\.?".join(code) + r"\b\.?", gold, text)
    return text


def is_code(text: str) -> bool:
    """Whether a text is digits that count nothing: "0000320193", "77-0019522"; no span of years."""
    match = _CODE.fullmatch(text.strip())
    return match is not None and not (match[1] and find_dates(text))


def _search(text: str, tokenized: _Tokens, alias: str) -> Iterator[tuple[int, int]]:
    before, value, after = _ready(alias)
    words, spans = tokenized
    if code := _STATES.get(alias.casefold()):
        yield from (span for span in _search(text, tokenized, code) if text[slice(*span)].isupper())
    if value is None:
        short_name = alias.isupper() and len(alias) <= 4
        for index in _places(words, before):
            start, end = spans[index][0], spans[index + len(before) - 1][1]
            if not (short_name and text[start:end].islower()):
                yield start, end
        return
    if value[0] == "date":
        stated = [(date.start, date.end) for date in find_dates(text) if _date_key(date) == value]
    else:
        amounts = find_quantities(text)
        stated = [(amount.start, amount.end) for amount in amounts if _amount_key(amount) == value]
    for start, end in stated:
        low = bisect_right(spans, start, key=itemgetter(1)) if before else 0
        high = bisect_left(spans, end, key=itemgetter(0)) if after else 0
        if words[max(0, low - len(before)) : low] == before and words[high : high + len(after)] == after:
            head, tail = low - len(before), high + len(after) - 1
            yield spans[head][0] if before else start, spans[tail][1] if after else end


def _places(words: tuple[str, ...], sequence: tuple[str, ...]) -> Iterator[int]:
    index = -1
    while sequence:
        try:
            index = words.index(sequence[0], index + 1)
        except ValueError:
            return
        if words[index : index + len(sequence)] == sequence:
            yield index


@lru_cache(maxsize=4096)
def _ready(alias: str) -> _Alias:
    """Take the first date or amount of an alias for its value; a code or an ordinal is none."""
    dates = [date for date in find_dates(alias) if date.month and not date.ambiguous]
    amounts = [amount for amount in find_quantities(alias) if not amount.year]
    amounts = [amount for amount in amounts if lowered(alias[amount.start : amount.end]) not in _ORDINALS]
    if is_code(alias) or not (dates or amounts):
        return _Alias(_tokens(alias).words)
    mention = dates[0] if dates else amounts[0]
    value = _date_key(dates[0]) if dates else _amount_key(amounts[0])
    return _Alias(_tokens(alias[: mention.start]).words, value, _tokens(alias[mention.end :]).words)


@remembered
def _tokens(text: str) -> _Tokens:
    lower = lowered(text)
    words: list[str] = []
    spans: list[tuple[int, int]] = []
    for match in _TOKEN.finditer(lower):
        word, (start, end) = match[0], match.span()
        if word == "s" and words and lower[start - 1] in "'’":
            spans[-1] = (spans[-1][0], end)
        elif word not in _ARTICLES or lower[end : end + 2].lstrip().startswith("&"):
            words.append(_name_of(word))
            spans.append((start, end))
    return _Tokens(tuple(words), tuple(spans))


@lru_cache(maxsize=16384)
def _name_of(word: str) -> str:
    """One name for all forms of a word: singular and plural, the spellings of an ordinal."""
    word = "and" if word == "&" else _POINTS.sub("", word) if word[0].isalpha() else word
    if word in _ORDINALS or not word.isalpha() or len(word) < 4:
        return _ORDINALS.get(word, word)
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    word = word[:-1] if word.endswith("s") and word[-2] != "s" else word
    return word[:-1] if word.endswith("e") and word[:-1].endswith(("s", "x", "z", "ch", "sh")) else word


def _amount_key(amount: Quantity) -> Key:
    return ("amount", *in_base(amount.value, amount.unit))


def _date_key(date: DateMention) -> Key:
    return ("date", date.year, date.month, date.day, date.ambiguous)


_FOLDED_TOKEN = regex(r"\d+(?:\.\d+)?|[^\W\d_]+")
_POSSESSIVE = regex(r"'s\b")
_THOUSANDS = regex(r"(?<=\d),(?=\d{3})")
_INITIALS = regex(r"\b([a-z])\.\s?(?=[a-z]\b)")
_RUN_TOGETHER = regex(r"(?<=[a-z]{2})(?=[A-Z][a-z])")  # "sung byRufus"; "McCoy" stays whole
_PLACE = regex(r"\b(?:state|commonwealth|province) of (?=\w)")  # "State of Delaware" is Delaware
_ORDINAL = frozenset(("st", "nd", "rd", "th"))


@remembered
def fold(text: str) -> str:
    """Text without case, accents, possessives, points of initials and separators of thousands."""
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
    """Tokens of a folded text: no articles, numerals as figures, plurals as singulars."""
    every = list(filter(None, map(_canonical, _FOLDED_TOKEN.findall(folded))))
    if _ORDINAL.isdisjoint(every):
        return every
    joined: list[str] = []
    for token in every:
        if not (token in _ORDINAL and joined and joined[-1].isdigit()):
            joined.append(token)
    return joined


@lru_cache(maxsize=65536)
def _canonical(token: str) -> str:
    """Name of a token; empty: it is an article."""
    if token in words_of("measures", "articles"):
        return ""
    if token in _NAMES:
        return _NAMES[token]
    if token[0].isdigit():
        return token.rstrip("0").rstrip(".") if "." in token else token
    if len(token) > 3 and token.endswith("ies"):
        return f"{token[:-3]}y"
    if len(token) > 4 and token.endswith("es") and token[-3] in "sxz":
        return token[:-2]
    token = token[:-1] if len(token) > 3 and token[-1] == "s" and token[-2] != "s" else token
    return _NAMES.get(token, token)


def new_words(found: Sequence[str], asked: frozenset[str]) -> list[str]:
    """Tokens that are not asked, function words left out."""
    function_words = words_of("measures", "function_words")
    return [token for token in found if token not in asked and token not in function_words]


def own_words(text: str, asked: frozenset[str]) -> list[str]:
    """Words and figures of a text that the question does not have, function words left out."""
    return new_words(tokens(fold(text)), asked)


Relation = Literal["match", "mismatch", "other_unit"]
_TOLERANCE = Decimal("0.005")
_MOST_DIGITS = 24
_FARTHEST = 1000  # places before or behind the point of a gold amount; one written 1e999999999 is none


def compare_quantity(gold: str | Decimal, gold_unit: str, quantity: Quantity) -> tuple[Relation, bool]:
    """Compare an amount with the gold one; the second value says that its scale was taken from the question.

    A missing unit is the question's. The more exact of the two must equal the other when it is rounded to
    the digits of that one, and be at most 0.5 % away, unless the gold has decimals and the answer rounds to
    it; calendar years, durations and counts below 1,000 must be equal. A fraction below one matches a
    percentage.
    """
    try:
        number = Decimal(gold.replace(",", "") if isinstance(gold, str) else gold)
    except InvalidOperation:
        return "mismatch", False
    if not number.is_finite() or abs(number.adjusted()) > _FARTHEST:
        return "mismatch", False
    unit, factor = read_unit(gold_unit)
    digits = min(read_digits(f"{abs(number):f}")[1], _MOST_DIGITS)
    if quantity.unit and (not unit or other_unit(unit, quantity)):
        return "other_unit", False
    if _equal(number * factor, unit, quantity, digits):
        return "match", False
    if unit == "percent" and not quantity.unit and abs(quantity.value) < 1:
        percent = replace(quantity, value=quantity.value * 100)
        return ("match" if _equal(number * factor, unit, percent, digits) else "mismatch"), False
    plain = factor != 1 and not quantity.scaled and not is_duration(unit)
    implied = plain and _equal(number, unit, quantity, digits)
    return ("match" if implied else "mismatch"), implied


def _equal(gold: Decimal, unit: str, quantity: Quantity, digits: int) -> bool:
    value = quantity.value
    if is_duration(unit):
        return in_base(gold, unit) == in_base(value, quantity.unit or unit)
    if quantity.unit not in ("", unit):
        value *= in_base(Decimal(1), quantity.unit)[0] / in_base(Decimal(1), unit)[0]
    if gold == value:
        return True
    counted = not unit and abs(gold) < 1000 and gold == gold.to_integral_value()
    if counted or quantity.year:
        return False
    rounded = rounds_to(value, gold, digits)
    if abs(gold - value) > _TOLERANCE * abs(gold):
        return rounded and gold != gold.to_integral_value()
    return rounded or rounds_to(gold, value, quantity.significant)
