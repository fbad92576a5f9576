"""How the composed documents write numbers, durations and dates."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TypeVar
from zlib import crc32

_Variant = TypeVar("_Variant")

_ONES = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
)
_TENS = {2: "twenty", 3: "thirty", 4: "forty", 5: "fifty", 6: "sixty", 7: "seventy", 8: "eighty", 9: "ninety"}


def spelled(number: int) -> str:
    """Return a whole number below one hundred in words."""
    if number < len(_ONES):
        return _ONES[number]
    tens, ones = divmod(number, 10)
    return _TENS[tens] + (f"-{_ONES[ones]}" if ones else "")


def duration(number: int, unit: str, style: str) -> str:
    """Return a duration such as "three (3) years", "3 years" or "three years"."""
    noun = unit.removesuffix("s") if number == 1 else unit
    if style == "legal":
        return f"{spelled(number)} ({number}) {noun}"
    return f"{spelled(number)} {noun}" if style == "words" else f"{number} {noun}"


def day(iso: str, style: str) -> str:
    """Return an ISO date as "March 14, 2022" (american) or "14 March 2022" (british)."""
    when = date.fromisoformat(iso)
    if style == "american":
        return f"{when:%B} {when.day}, {when.year}"
    return f"{when.day} {when:%B} {when.year}"


def money(value: float, digits: int = 1) -> str:
    """Return an amount with thousands separators, negative ones in parentheses."""
    text = f"{abs(value):,.{digits}f}"
    return f"({text})" if value < 0 else text


def joined(items: tuple[str, ...] | list[str]) -> str:
    """Return items as "a, b and c"."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def choice(variants: Sequence[_Variant], *key: object) -> _Variant:
    """Return the variant that a key stands for: scattered, so that two documents seldom choose alike throughout."""
    return variants[crc32(":".join(map(str, key)).encode()) % len(variants)]
