"""The amount record that finding and comparing share."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

from msgspec import Struct

Bound = Literal["", "at_least", "at_most"]


class Quantity(Struct, frozen=True, omit_defaults=True):
    """An amount that a text states; ``start`` and ``end`` are offsets into that text."""

    start: int
    end: int
    value: Decimal
    """In ``unit``; scale words and sign are applied."""
    unit: str = ""
    """An ISO currency, "percent", a duration ("days", "years", ...) or "" for everything else."""
    significant: int = 1
    """Significant digits as written."""
    scaled: bool = False
    """A scale word or suffix is written ("million", "k", "(in millions)")."""
    bound: Bound = ""
    """What "at least", "up to" and the like say; the value is unchanged."""
    approximate: bool = False
    range: Literal["", "low", "high"] = ""
    """Its place in a range such as "between 3 and 5"."""
    year: bool = False
    """A bare integer that reads as a calendar year (1500 to 2199)."""
    alternative: Decimal | None = None
    """The other reading of "1.234" where the language of the text makes both possible."""
