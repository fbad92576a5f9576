"""Numbers as they are written: numerals with their separators, and words ("one hundred and twenty")."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

from ragharness.language.latin import WORD, lowered
from ragharness.language.patterns import regex
from ragharness.language.tables import any_of, table
from ragharness.language.units import SCALES

DIGITS = regex(
    r"\d{1,3}(?:,\d{2})+,\d{3}(?:\.\d+)?(?!\d)"
    r"|\d{1,3}(?:(?P<group>[,'’\u00a0\u202f\u2009 ])\d{3})(?:(?P=group)\d{3})*(?!\d)(?:\.\d+)?"
    r"|\d+(?:[.,]\d+)?"
)
"""One numeral with its separators; a leading decimal point (".5") is added by the caller."""
_DECIMAL_COMMA = regex(r"\d+,(?!\d{3}$)\d+|0,\d+|\d{4,},\d+")

_SEPARATOR = regex(r"[^\d.]")


class Spelled(NamedTuple):
    """The value of a number in words and where it ends."""

    end: int
    value: Decimal
    scaled: bool
    """A scale word such as "million" is part of it."""


def read_digits(written: str) -> tuple[Decimal, int]:
    """Return the value of a numeral that ``DIGITS`` matched, and how many of its digits are significant.

    Zeros at the end count after a decimal mark, not in an integer.
    """
    if "," in written and _DECIMAL_COMMA.fullmatch(written):
        written = written.replace(",", ".")
    plain = written if written.isdecimal() else _SEPARATOR.sub("", written)
    digits = plain.replace(".", "").lstrip("0") if "." in plain else plain.strip("0")
    return Decimal(plain), len(digits) or 1


_ONES, _TENS = (str(table("numbers")[row]).split() for row in ("ones", "tens"))
_SMALL = {word: value for value, word in enumerate(_ONES)}
_SMALL |= {word: 10 * value for value, word in enumerate(_TENS, 2)}
_LARGE = {word: value for word, value in SCALES.items() if len(word) > 3 and value != 100}
AFTER_ARTICLE = frozenset({"hundred", *_LARGE})
"""Words that begin a number only after "a"."""
TRIGGERS = frozenset({"half", *_SMALL}) | AFTER_ARTICLE
"""A text without any of these words holds no number in words."""

_JOINT = r"[-‐‑ \u00a0\n]{1,3}"
_BELOW_HUNDRED = rf"(?:(?:{any_of(_TENS)})(?:{_JOINT}{any_of(_ONES[1:10])})?|{any_of(_ONES)})\b"
_PART = regex(
    rf"(?:and{_JOINT})?(?:a(?={_JOINT}{any_of(AFTER_ARTICLE)}\b)|(?P<small>{_BELOW_HUNDRED}))"
    rf"(?P<hundred>{_JOINT}hundred\b(?:{_JOINT}(?:and{_JOINT})?(?P<rest>{_BELOW_HUNDRED})(?!{_JOINT}hundred\b))?)?"
    rf"(?P<half>{_JOINT}and{_JOINT}a{_JOINT}half\b)?(?:{_JOINT}(?P<scale>{any_of(_LARGE)})\b)?"
)
"""What one scale word multiplies: "three hundred and forty-five thousand"."""
_HALF = regex(rf"half(?: an?(?: (?P<scale>{any_of(_LARGE)}))?)?\b")
_NEXT_PART = regex(_JOINT)


def read_words(text: str, start: int) -> Spelled | None:
    """Return the number in words that begins at ``start``, as far as it goes; None where there is none."""
    lower = lowered(text)
    half = _HALF.match(lower, start)
    if half is not None:
        return Spelled(half.end(), Decimal(_LARGE.get(half["scale"], 1)) / 2, half["scale"] is not None)
    found: Spelled | None = None
    place, last = start, Decimal("Infinity")
    while (part := _PART.match(lower, place)) is not None:
        scale = _LARGE.get(part["scale"], Decimal(1))
        if scale >= last or (found is None and part[0].startswith("and")):
            break
        value = _value(part) * scale + (0 if found is None else found.value)
        found = Spelled(part.end(), value, scale != 1 or found is not None)
        joint = _NEXT_PART.match(lower, part.end())
        if scale == 1 or joint is None:
            break
        place, last = joint.end(), scale
    return found


def _value(part: re.Match[str]) -> Decimal:
    value = _below_hundred(part["small"] or "one") * (100 if part["hundred"] else 1)
    return value + _below_hundred(part["rest"] or "zero") + (Decimal("0.5") if part["half"] else 0)


def _below_hundred(words: str) -> Decimal:
    return Decimal(sum(_SMALL[word] for word in WORD.findall(words)))
