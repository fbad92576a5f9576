"""Units of amounts: currencies, percent, durations and scales, each under one canonical name."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple, cast

from ragharness.language.tables import table


class Measure(NamedTuple):
    """The canonical unit of a written one, and by how much its number is to be multiplied."""

    unit: str
    factor: Decimal = Decimal(1)


def _named(family: str) -> dict[str, str]:
    """Return the names of a table of the language with the entry that each belongs to."""
    entries = cast("dict[str, list[str]]", table("numbers")[family])
    return {name: entry for entry, names in entries.items() for name in names}


CURRENCIES = _named("currencies")
"""Symbols, codes and names, lower-cased, to ISO 4217."""
SCALES = {name: Decimal(value) for name, value in _named("scales").items()}
"""Scale words and suffixes."""
MEASURES = {
    **{name: Measure("percent", Decimal(share)) for name, share in _named("percent").items()},
    **{name: Measure(unit, Decimal("0.01")) for name, unit in _named("hundredths").items()},
    **{name: Measure(unit) for name, unit in _named("durations").items()},
    **{
        name: Measure(unit, Decimal(count))
        for name, several in _named("multiples").items()
        for count, unit in [several.split()]
    },
}
"""Percentages, hundredths of a currency and durations by their names."""
_BASES = {
    "seconds": ("clock", Decimal(1)),
    "minutes": ("clock", Decimal(60)),
    "hours": ("clock", Decimal(3600)),
    "days": ("clock", Decimal(86400)),
    "weeks": ("clock", Decimal(604800)),
    "months": ("calendar", Decimal(1)),
    "years": ("calendar", Decimal(12)),
    "business days": ("business", Decimal(1)),
}
"""Durations convert exactly within a family and not at all between them: 30 days are no month."""


def is_currency(unit: str) -> bool:
    """Return whether a canonical unit is a currency (three capital letters)."""
    return len(unit) == 3 and unit.isupper()


def is_duration(unit: str) -> bool:
    """Return whether a canonical unit is a length of time."""
    return unit in _BASES


def is_unit_word(word: str) -> bool:
    """Return whether a case-folded word is a scale, a unit or the x of "1.5x"."""
    return word in SCALES or word in MEASURES or word in CURRENCIES or word == "x"


def in_base(value: Decimal, unit: str) -> tuple[Decimal, str]:
    """Return a duration in the base of its family (seconds, months); anything else stays as it is."""
    family, factor = _BASES.get(unit, (unit, Decimal(1)))
    return value * factor, family


@lru_cache(maxsize=1024)
def read_unit(written: str) -> Measure:
    """Return what a gold unit such as "USD million", "percent", "thousand employees", "years" or "" means.

    Words that name neither currency, percent, duration nor scale count for nothing.
    """
    whole = written.strip().casefold()
    if whole in MEASURES:
        return MEASURES[whole]
    unit, factor = CURRENCIES.get(whole, ""), Decimal(1)
    for word in whole.split():
        if word in SCALES and len(word) > 2:
            factor *= SCALES[word]
        elif not unit:
            measure = MEASURES.get(word) or Measure(CURRENCIES.get(word, ""))
            unit, factor = measure.unit, factor * measure.factor
    return Measure(unit, factor)
