"""Units of amounts under one canonical name each, and the sign, currency, scale and unit around a number."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache
from typing import Literal, NamedTuple, cast

from ragharness.language.tables import any_of, regex, table, words_of

Bound = Literal["", "at_least", "at_most"]


class Measure(NamedTuple):
    """The canonical unit of a written one, and by how much its number is to be multiplied."""

    unit: str
    factor: Decimal = Decimal(1)


class Suffix(NamedTuple):
    """What a number is multiplied by, whether a scale is written, the unit, and where they end."""

    end: int
    factor: Decimal
    scaled: bool
    unit: str


def _named(family: str) -> dict[str, str]:
    """Return the names of a table of the language with the entry that each belongs to."""
    entries = cast("dict[str, list[str]]", table("numbers")[family])
    return {name: entry for entry, names in entries.items() for name in names}


SCALES = {name: Decimal(value) for name, value in _named("scales").items()}
UNITS = {
    name: Measure(several.partition(" ")[2], Decimal(several.partition(" ")[0]))
    for name, several in _named("units").items()
}
"""Currencies, their hundredths, percentages and durations by their lower-cased names."""
_DURATIONS = cast("dict[str, str]", table("numbers")["lengths"])
_LENGTHS = {unit: length.split() for unit, length in _DURATIONS.items()}


def is_currency(unit: str) -> bool:
    """Return whether a canonical unit is a currency (three capital letters)."""
    return len(unit) == 3 and unit.isupper()


def is_duration(unit: str) -> bool:
    """Return whether a canonical unit is a length of time."""
    return unit in _LENGTHS


def in_base(value: Decimal, unit: str) -> tuple[Decimal, str]:
    """Return a duration in the base of its family (seconds, months); anything else stays as it is."""
    count, family = _LENGTHS.get(unit, ["1", unit])
    return value * Decimal(count), family


@lru_cache(maxsize=1024)
def read_unit(written: str) -> Measure:
    """Return what a gold unit such as "USD million" or "thousand employees" means."""
    whole = written.strip().casefold()
    if whole in UNITS:
        return UNITS[whole]
    unit, factor = "", Decimal(1)
    for word in whole.split():
        if word in SCALES and len(word) > 2:
            factor *= SCALES[word]
        elif not unit and word in UNITS:
            unit, factor = UNITS[word].unit, factor * UNITS[word].factor
    return Measure(unit, factor)


_SYMBOLS = "$€£¥₹₩₽₺₪"
_MINUS = r"(?<![^\W_])(?<![)\]%-])[-−–]"
_PREFIX = regex(
    rf"(?P<outer>{_MINUS})?(?:(?P<currency>(?<![A-Z])[A-Z]{{0,2}}[{_SYMBOLS}]|(?<![^\W_])[A-Z]{{3}})"
    r"[ \u00a0\u202f]?(?P<inner>[-−–])?)?\Z"
)
_NEXT = regex(
    rf"([ \u00a0\u202f\n-]?)(?:([%‰¢{_SYMBOLS}])|([Uu]\.[Ss]\.|[A-Za-zÀ-ɏ]+)(?:[ \u00a0-]([A-Za-zÀ-ɏ]+))?)"
)
_SCALE_LETTERS = words_of("numbers", "scale_letters")
_ADJECTIVES = regex(rf"(?:[ \u00a0]{any_of(words_of('numbers', 'before_duration'))}\b){{1,3}}")


def read_prefix(text: str, start: int) -> tuple[int, str, bool]:
    """Return the true start of an amount, the currency before its number, and whether a minus is written."""
    mark = text[max(0, start - 2) : start].rstrip()[-1:]
    held = mark.isupper() or (mark and mark in f"-−–{_SYMBOLS}")
    match = _PREFIX.search(text, max(0, start - 8), start) if held else None
    written = match["currency"] if match is not None else None
    named = written and (UNITS.get(written.casefold()) or UNITS.get(written[-1]))
    if match is None or (written and not (named and is_currency(named.unit))):
        return start, "", False
    return match.start(), named.unit if named else "", bool(match["outer"] or match["inner"])


def read_suffix(text: str, position: int, currency: str = "") -> Suffix:
    """Return the scale words and the unit after a number that may already have its currency."""
    end, scale, scaled = position, Decimal(1), False
    for _ in range(3):
        match = _NEXT.match(text, end)
        if match is None or match[2] or not _is_scale(match[1], match[3].casefold(), currency):
            break
        end, scale, scaled = match.end(3), scale * SCALES[match[3].casefold()], True
    found = _unit_at(text, end, currency)
    if found is None and not currency and (adjectives := _ADJECTIVES.match(text, end)) is not None:
        found = _unit_at(text, adjectives.end(), "")
    end, measure = found or (end, Measure(currency))
    return Suffix(end, scale * measure.factor, scaled, measure.unit)


def _is_scale(gap: str, word: str, currency: str) -> bool:
    if word not in _SCALE_LETTERS:
        return word in SCALES
    return gap != "-" and (bool(currency) or (not gap and word not in {"b", "t"}))


def _unit_at(text: str, position: int, currency: str) -> tuple[int, Measure] | None:
    """Return the unit written here and its end; a currency takes no other unit than one of its own kind."""
    match = _NEXT.match(text, position)
    if match is None:
        return None
    gap, symbol, first, second = match.groups()
    if symbol:
        end, measure = match.end(2), UNITS[symbol]
        begins_next = currency or gap == "\n" or text[end : end + 1].isdecimal()
        return None if begins_next and measure.unit != "percent" else (end, measure)
    for name, end in ((f"{first} {second}", match.end(4)), (first, match.end(3))):
        named = UNITS.get(name.casefold())
        if named is not None and (not currency or is_currency(named.unit)):
            return end, named
    return None


_APPROXIMATE = words_of("numbers", "approximate")
_MINUS_WORDS = words_of("numbers", "minus")
_BOUNDS: dict[str, Bound] = {
    **dict.fromkeys(words_of("numbers", "at_least"), "at_least"),
    **dict.fromkeys(words_of("numbers", "at_most"), "at_most"),
}
_LESS = words_of("numbers", "less")
_BOUND_AFTER = regex(rf"\s(?:or|and)\s({any_of(words_of('numbers', 'more') | _LESS)})\b")


def read_qualifiers(text: str, start: int, end: int) -> tuple[Bound, bool, bool]:
    """Return the bound, whether the amount is approximate, and whether "minus" is written before it."""
    before = text[max(0, start - 34) : start].lower().split()
    if before and before[-1] in {"the", "a", "an", "("}:
        before.pop()
    last, two = " ".join(before[-1:]), " ".join(before[-2:])
    bound = _BOUNDS.get(" ".join(before[-3:])) or _BOUNDS.get(two) or _BOUNDS.get(last, "")
    if not bound and (after := _BOUND_AFTER.match(text, end)) is not None:
        bound = "at_most" if after[1] in _LESS else "at_least"
    return bound, last in _APPROXIMATE or two in _APPROXIMATE, last in _MINUS_WORDS
