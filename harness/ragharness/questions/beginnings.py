"""How numbers and names begin: most passages need not be read to tell that they do not state an answer."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

from ragharness.language import numerals
from ragharness.language.tables import any_of, regex
from ragharness.language.units import is_duration, read_unit

if TYPE_CHECKING:
    from ragharness.records import Question

_WORDED = regex(
    rf"[½¼¾]| [1-9]/[1-9]|\b(?:{any_of(sorted(numerals.TRIGGERS - numerals.AFTER_ARTICLE))}"
    rf"|a\s{any_of(sorted(numerals.AFTER_ARTICLE))})\b",
    re.IGNORECASE,
)
_STEM = 4
"""Letters that a name begins with in whatever number it stands."""

_DIGIT = re.compile(r"\d")
IN_WORDS = "in words"
"""Numbers that are not, or not only, written in digits: what they begin with is not looked at."""


def heads_of_answer(question: Question) -> frozenset[str]:
    """Return how numbers begin that may be the answer; nothing where any may, or it is no number."""
    measure = read_unit(question.unit)
    if question.kind != "number" or is_duration(measure.unit):
        return frozenset()
    if measure.factor.normalize().as_tuple().digits != (1,):
        return frozenset()
    return frozenset((*heads_of(question.answers[0]), IN_WORDS))


def stems_of_answer(question: Question) -> frozenset[str]:
    """Return how the names begin that are the answer; nothing where some name is short or has digits."""
    spelled = [*question.answers, *chain.from_iterable(question.aliases.values())]
    stems = {each[:_STEM] for each in spelled}
    # "USA" stands for "U.S.A." too, and "3 Main Street" for "three".
    plain = all(each.isascii() and each.isalpha() and not each.isupper() for each in stems)
    if question.kind != "text" or not plain or any(map(_DIGIT.search, spelled)):
        return frozenset()
    return frozenset(map(str.casefold, stems))


def heads_in(text: str) -> frozenset[str]:
    """Return how the numerals of a text begin, and whether it has numbers in words or fractions."""
    found = set(chain.from_iterable(map(heads_of, {each[0] for each in numerals.DIGITS.finditer(text)})))
    return frozenset(found | {IN_WORDS} if _WORDED.search(text) else found)


def heads_of(written: str) -> tuple[str, ...]:
    """Return the first two digits of a numeral, cut off and rounded up: "3" and "30" begin alike."""
    digits = "".join(filter(str.isdigit, written)).lstrip("0")
    head = int(digits[:2].ljust(2, "0"))
    return (str(head), str(head + 1)[:2]) if digits[2:3] >= "5" else (str(head),)
