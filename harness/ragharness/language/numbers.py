"""Amounts in answers: figures, money, percentages and durations, with what is written about them."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Literal

from msgspec import Struct

from ragharness.language.dates import find_dates
from ragharness.language.number_words import NEEDS_UNIT, TRIGGERS, WORD, Word, read_words, split_words
from ragharness.language.numerals import DIGITS, Numeral, read_digits
from ragharness.language.references import in_citation, is_enumerator, is_reference
from ragharness.language.units import (
    CURRENCIES,
    DURATIONS,
    LETTER_SCALES,
    PERCENT,
    SCALES,
    Measure,
    in_base,
    is_currency,
    is_duration,
    read_unit,
)

Relation = Literal["match", "mismatch", "other_unit"]
Bound = Literal["", "at_least", "at_most"]


class Quantity(Struct, frozen=True, omit_defaults=True):
    """An amount that a text states; ``start`` and ``end`` are offsets into that text."""

    start: int
    end: int
    value: Decimal
    """In ``unit``, scale words and sign applied."""
    unit: str = ""
    """An ISO currency, "percent", a duration ("days", "years", ...) or "" for everything else."""
    significant: int = 1
    """Significant digits as written."""
    scaled: bool = False
    """A scale word or suffix is written ("million", "k", "(in millions)")."""
    bound: Bound = ""
    """"at least", "up to" and the like stand with it; the value is unchanged."""
    approximate: bool = False
    range: Literal["", "low", "high"] = ""
    """Its place in a range such as "between 3 and 5"."""
    year: bool = False
    """A bare integer that reads as a calendar year (1500 to 2199)."""
    alternative: Decimal | None = None
    """The other reading of "1.234" where the text does not settle it."""


class _Atom(Struct):
    """A bare number while it is being extended to a quantity."""

    start: int
    end: int
    numeral: Numeral
    scaled: bool
    spelled: bool


_DIGIT = re.compile(r"\d")
_SYMBOLS = frozenset("$€£¥₹₩₽₺₪")
_MINUS = frozenset("-−–")
_NEXT = re.compile(
    r"([ \u00a0\u202f\n-]?)(?:(%|‰|[$€£¥₹₩₽₺₪])|([^\W\d_]+(?:\.[^\W\d_]\.)?)(?:[ -]([^\W\d_]+))?)"
)
_OF = re.compile(r"\s(?:de|d['’]|of|d)\s?(?=\S)")
_BETWEEN = frozenset(
    [
        "calendar",
        "consecutive",
        "full",
        "additional",
        "further",
        "more",
        "fiscal",
        "whole",
        "successive",
        "entire",
        "continuous",
        "complete",
        "consecutivos",
        "naturales",
        "volle",
        "vollen",
        "weitere",
        "weiteren",
        "aufeinanderfolgende",
    ]
)
_IDENTIFIER = re.compile(
    r"\+?\d+(?:-\d+){2,}|\d{3}-\d{4}(?!\d)|\+\d[\d ()-]{7,}\d|\d+(?:\.\d+){2,}|\d+(?:[:/]\d+)+"
)
_IN_SCALE = re.compile(
    r"\(?\bin (?:[A-Z$€£.]{1,4} ?)?(thousand|million|billion)s?\b(?= ?(?:of|,|\)|$|\]|;|except|US))"
    r"|\(\s?(?:US|USD|EUR|GBP)?\s?[$€£]? ?(?:in )?(thousand|million|billion)s?\s?\)",
    re.IGNORECASE,
)
_VALUE_POSITION = re.compile(
    r"(?:[|:=\t$€£]|\b(?:of|was|were|is|are|be|to|from|and|or|at|versus|vs\.?|by)|^|\n)\s*$"
)
_APPROXIMATE = frozenset(
    [
        "about",
        "approximately",
        "around",
        "roughly",
        "nearly",
        "almost",
        "circa",
        "ca",
        "some",
        "c",
        "over",
        "under",
        "below",
        "above",
        "ungefähr",
        "etwa",
        "rund",
        "aproximadamente",
        "unos",
        "unas",
        "cerca",
        "casi",
        "environ",
        "presque",
        "quelque",
        "~",
        "≈",
        "near",
        "exceeding",
    ]
)
_BOUNDS: dict[str, Bound] = {
    **dict.fromkeys(
        ("at least", "no less than", "not less than", "no fewer than", "not fewer than", "more than", "minimum of",
         "over", "exceeding", "above", "a minimum", "al menos", "por lo menos", "más de", "mindestens", "mehr als",
         "au moins", "plus de", "greater than", "no earlier than", "upwards of", "≥", ">"),
        "at_least",
    ),
    **dict.fromkeys(
        ("at most", "up to", "no more than", "not more than", "less than", "under", "within", "maximum of",
         "fewer than", "below", "not exceed", "not exceeding", "no later than", "not later than", "not to exceed",
         "como máximo", "hasta", "menos de", "höchstens", "bis zu", "weniger als", "au plus", "jusqu'à", "moins de",
         "a maximum", "not longer than", "no longer than", "≤", "<"),
        "at_most",
    ),
}  # fmt: skip
_BOUND_AFTER = re.compile(
    r"\s(?:or|and|oder|o|ou)\s(more|greater|above|longer|over|less|fewer|under|below|más|mehr|plus)\b"
)
_LESS = frozenset({"less", "fewer", "under", "below"})
_CONNECTOR = re.compile(
    r"\s?(-|–|—|to|through|and|or|bis|und|oder|à|et|ou|y|o|a|hasta)\s?(?:[$€£]|USD |EUR )?"
)
_COMPOUND = re.compile(r"\s?(?:,\s?)?(?:and|y|und|et)?\s?")
_PRONOUN_AFTER = frozenset(
    [
        "of",
        "or",
        "another",
        "time",
        "sided",
        "way",
        "off",
        "party",
        "side",
        "hand",
        "else",
        "thing",
        "who",
        "that",
        "such",
        "can",
        "must",
        "should",
        "may",
    ]
)
_PRONOUN_BEFORE = frozenset(
    [
        "no",
        "any",
        "each",
        "every",
        "the",
        "this",
        "that",
        "which",
        "either",
        "only",
        "another",
        "some",
        "such",
    ]
)
_ORDINAL_TAIL = re.compile(
    r"[- ](?:first|second|thirds?|fourths?|fifths?|sixths?|sevenths?|eighths?|ninths?|tenths?|half|halves"
    r"|quarters?(?= of)|hundredths?|thousandths?)\b"
)


def find_quantities(text: str) -> list[Quantity]:
    """Return the amounts that a text states, in order of place.

    Left out: citation marks, references to sections and pages, list enumerators, dates with a month, identifiers.
    "three (3) years" is one quantity, "two years and six months" is one of 30 months, a range is two.
    """
    has_words = not TRIGGERS.isdisjoint(WORD.findall(text.casefold()))
    has_digits = _DIGIT.search(text) is not None
    if not has_digits and not has_words:
        return []
    atoms = _digit_atoms(text) if has_digits else []
    if has_words:
        atoms = sorted(atoms + _word_atoms(text), key=lambda atom: atom.start)
    found: list[Quantity] = []
    for atom in atoms:
        quantity = _extend(text, atom)
        if quantity is None or (found and quantity.start < found[-1].end):
            continue
        if found and (merged := _merge(text, found[-1], quantity)) is not None:
            found[-1] = merged
        else:
            found.append(quantity)
    return _in_scale(text, _ranges(text, found))


def _digit_atoms(text: str) -> list[_Atom]:
    dates = [(date.start, date.end) for date in find_dates(text) if date.month or date.fiscal or date.quarter]
    marks = "[" in text or "【" in text or "#" in text
    links = "://" in text or "www." in text or "@" in text
    atoms: list[_Atom] = []
    skip, reference = -1, -1
    for match in DIGITS.finditer(text):
        start, end = match.span()
        if start < skip or any(low <= start < high for low, high in dates):
            continue
        if (
            identifier := _IDENTIFIER.match(text, start - 1 if text[start - 1 : start] == "+" else start)
        ) is not None:
            skip = identifier.end()
            continue
        if not _stands_free(text, start, end) or (links and _in_link(text, start)):
            continue
        if marks and in_citation(text, start, end):
            continue
        if is_reference(text, start, reference):
            reference = end
            continue
        if is_enumerator(text, start, end):
            continue
        written = match[0]
        if text[start - 1 : start] == "." and not text[start - 2 : start - 1].isalnum():
            start, written = start - 1, "0." + written
        atoms.append(_Atom(start, end, read_digits(written, text), False, False))
    return atoms


def _stands_free(text: str, start: int, end: int) -> bool:
    """Whether the digits are not glued to letters, codes, times or fractions."""
    before = text[start - 1 : start]
    if before.isalpha():
        code = WORD.findall(text[max(0, start - 4) : start])[-1]
        if code.casefold() not in CURRENCIES:
            return False
    elif before in {"_", "#", "@", "/"} or (
        before in {"-", ":", "."} and text[start - 2 : start - 1].isalpha()
    ):
        return before == "." and text[max(0, start - 4) : start].casefold() in {" rs.", " ca."}
    after = text[end : end + 1]
    if after.isalpha():
        glued = WORD.match(text, end)
        return glued is not None and _known(glued[0].casefold())
    if after == "-":
        glued = WORD.match(text, end + 1)
        return glued is None or len(glued[0]) > 2 or not glued[0].isupper()
    return after not in {"_", "#", "@"}


def _known(word: str) -> bool:
    return word in SCALES or word in DURATIONS or word in PERCENT or word in CURRENCIES or word == "x"


def _in_link(text: str, start: int) -> bool:
    token = text[max(0, start - 80) : start + 80]
    place = min(start, 80)
    left = max(token.rfind(space, 0, place) for space in " \n\t") + 1
    token = token[left:].split(maxsplit=1)[0]
    return "://" in token or "www." in token or "@" in token


def _word_atoms(text: str) -> list[_Atom]:
    words = split_words(text)
    atoms: list[_Atom] = []
    index = 0
    while index < len(words):
        spelled = _spelled(text, words, index)
        if spelled is None:
            index += 1
            continue
        atom, index = spelled
        atoms.append(atom)
    return atoms


def _spelled(text: str, words: list[Word], index: int) -> tuple[_Atom, int] | None:
    word = words[index]
    if word.text not in TRIGGERS and word.text not in {"a", "an"}:
        return None
    spelled = read_words(text, words, index)
    if spelled is None or (text[word.start - 1 : word.start] in {"-", "_"} and word.start > 0):
        return None
    end = words[spelled.stop - 1].end
    if _ORDINAL_TAIL.match(text, end) or is_reference(text, word.start, -1):
        return None
    alone = spelled.stop == index + 1
    if alone and word.text == "one" and _is_pronoun(text, words, index):
        return None
    if word.text in {"half", "a", "an"} and spelled.value == Decimal("0.5") and index and words[index - 1].text in {
        "first", "second", "other", "latter", "a"}:  # fmt: skip
        return None
    if alone and word.text in NEEDS_UNIT and _suffix(text, end, "").measure.unit == "" and not spelled.scaled:
        return None
    digits = str(spelled.value.normalize().as_tuple().digits).count(",") or 1
    digits = len(spelled.value.normalize().as_tuple().digits)
    return _Atom(word.start, end, Numeral(spelled.value, digits), spelled.scaled, True), spelled.stop


def _is_pronoun(text: str, words: list[Word], index: int) -> bool:
    if (
        index
        and words[index - 1].text in _PRONOUN_BEFORE
        and text[words[index - 1].end : words[index].start] == " "
    ):
        following = words[index + 1].text if index + 1 < len(words) else ""
        return not _known(following)
    if index + 1 >= len(words) or text[words[index].end : words[index + 1].start] not in {" ", "-", "’", "'"}:
        return False
    return words[index + 1].text in _PRONOUN_AFTER or text[words[index].end] in "’'"


class _Suffix(Struct):
    end: int
    scale: Decimal
    scaled: bool
    measure: Measure


def _suffix(text: str, position: int, currency: str) -> _Suffix:
    """Read scale words and the unit that follow a number."""
    suffix = _Suffix(position, Decimal(1), False, Measure(currency))
    for _ in range(4):
        match = _NEXT.match(text, suffix.end)
        if match is None:
            break
        gap, symbol, first, second = match.groups()
        if symbol:
            if symbol in "%‰" or (not currency and gap != "\n"):
                suffix.measure = PERCENT.get(symbol) or Measure(CURRENCIES[symbol])
                suffix.end = match.end()
            break
        word = first.casefold()
        pair = f"{word} {second.casefold()}" if second else ""
        if (scale := _scale_of(word, gap, currency)) is not None and not (suffix.scaled and gap == ""):
            suffix.scale, suffix.scaled = suffix.scale * scale, True
            suffix.end = match.end(3) + (
                text[match.end(3) : match.end(3) + 1] == "." and word in {"tsd", "mio", "mrd"}
            )
            if (of := _OF.match(text, suffix.end)) is not None and _starts_unit(text, of.end()):
                suffix.end = of.end() - 1 if text[of.end() - 1] == " " else of.end()
            continue
        if word in _BETWEEN and second and (second.casefold() in DURATIONS or second.casefold() in _BETWEEN):
            if f"{second.casefold()}" in DURATIONS:
                suffix.measure, suffix.end = DURATIONS[second.casefold()], match.end(4)
                break
            suffix.end = match.end(3)
            continue
        for name, end in ((pair, match.end(4)), (word, match.end(3))):
            measure = _measure_of(name, gap, first)
            if measure is not None and not (currency and not is_currency(measure.unit)):
                suffix.measure, suffix.end = measure, end
                break
        break
    return suffix


def _starts_unit(text: str, position: int) -> bool:
    word = WORD.match(text, position)
    return word is not None and word[0].casefold() in CURRENCIES


def _scale_of(word: str, gap: str, currency: str) -> Decimal | None:
    if word not in SCALES or (word in LETTER_SCALES and (gap == "-" or (gap and not currency))):
        return None
    return None if word in {"b", "t"} and not currency else SCALES[word]


def _measure_of(name: str, gap: str, written: str) -> Measure | None:
    if not name or (name == "second" and gap != "-") or (name == "an" and gap != " "):
        return None
    measure = PERCENT.get(name) or DURATIONS.get(name)
    if measure is None and name in CURRENCIES and not (len(name) < 4 and not written.isupper()):
        measure = Measure(CURRENCIES[name])
    return measure


def _prefix(text: str, start: int) -> tuple[int, str, bool]:
    """Read currency and sign before a number: its true start, the currency, whether it is negative."""
    position, currency, negative = start, "", False
    if text[position - 1 : position] in _MINUS and position and not _is_dash(text, position - 1):
        position, negative = position - 1, True
    space = 1 if position and text[position - 1] in " \u00a0\u202f" else 0
    at = position - space - 1
    if at >= 0 and text[at] in _SYMBOLS:
        left = at
        while left > 0 and at - left < 2 and text[left - 1].isalpha() and text[left - 1].isupper():
            left -= 1
        currency = CURRENCIES.get(text[left : at + 1].casefold(), CURRENCIES.get(text[at], ""))
        position = left
    elif at >= 2:
        code = text[at - 2 : at + 1]
        if code.isupper() and code.casefold() in CURRENCIES and not text[at - 3 : at - 2].isalnum():
            currency, position = CURRENCIES[code.casefold()], at - 2
    if currency and position and text[position - 1] in _MINUS and not _is_dash(text, position - 1):
        position, negative = position - 1, True
    return position, currency, negative


def _is_dash(text: str, place: int) -> bool:
    """Whether a hyphen joins what stands before it rather than being a minus."""
    return place > 0 and (text[place - 1].isalnum() or text[place - 1] in ")]%")


def _extend(text: str, atom: _Atom) -> Quantity | None:
    start, currency, negative = (atom.start, "", False) if atom.spelled else _prefix(text, atom.start)
    suffix = _suffix(text, atom.end, currency)
    if text[start - 1 : start] == "(" and start and text[suffix.end : suffix.end + 1] == ")":
        bracketed = _bracketed(text, start, suffix, currency, atom)
        if bracketed is None:
            return None
        start, suffix, minus = bracketed
        negative = negative or minus
    before = text[max(0, start - 34) : start].casefold().split()
    if before and before[-1] in {"minus", "negative", "menos", "moins"} and text[start - 1 : start] == " ":
        negative = True
    value = atom.numeral.value * suffix.scale * suffix.measure.factor
    alternative = atom.numeral.alternative
    if alternative is not None:
        alternative *= suffix.scale * suffix.measure.factor
    unit = suffix.measure.unit
    scaled = atom.scaled or suffix.scaled
    bound, approximate = _qualifiers(text, before, suffix.end)
    return Quantity(
        start, suffix.end, -value if negative else value, unit, atom.numeral.significant, scaled, bound, approximate,
        year=not (unit or scaled or negative) and _is_year(text, atom), alternative=alternative,
    )  # fmt: skip


def _is_year(text: str, atom: _Atom) -> bool:
    return (
        atom.end - atom.start == 4
        and not atom.spelled
        and text[atom.start : atom.end].isdecimal()
        and (1500 <= atom.numeral.value < 2200)
    )


def _bracketed(
    text: str, start: int, suffix: _Suffix, currency: str, atom: _Atom
) -> tuple[int, _Suffix, bool] | None:
    """Read "(1,234)": a negative figure, a repetition of the number before, an aside, or an enumerator (None)."""
    outside = _suffix(text, suffix.end + 1, currency)
    before = text[max(0, start - 24) : start - 1]
    if outside.measure.unit == "percent" and suffix.measure.unit != "percent":
        return start - 1, outside, True
    repeats = before[-1:].isspace() and before.rstrip()[-1:].isalnum()
    plain = atom.end == suffix.end
    if plain and _VALUE_POSITION.search(before) and (currency or atom.spelled or atom.end - atom.start > 2):
        return start - 1, _Suffix(suffix.end + 1, suffix.scale, suffix.scaled, suffix.measure), True
    return (start, suffix, False) if repeats or currency or suffix.measure.unit or suffix.scaled else None


def _qualifiers(text: str, before: list[str], end: int) -> tuple[Bound, bool]:
    if before and before[-1] in {"$", "(", "the", "a", "an"}:
        before = before[:-1]
    if before[-3:-1] == ["period", "of"] or before[-2:] == ["period", "of"]:
        before = before[:-3]
    last = before[-1] if before else ""
    bound: Bound = (
        _BOUNDS.get(" ".join(before[-3:])) or _BOUNDS.get(" ".join(before[-2:])) or _BOUNDS.get(last) or ""
    )
    after = _BOUND_AFTER.match(text, end)
    if after is not None and not bound:
        bound = "at_most" if after[1] in _LESS else "at_least"
    return bound, last in _APPROXIMATE or before[-2:] == ["close", "to"]


def _merge(text: str, left: Quantity, right: Quantity) -> Quantity | None:
    """Join "three (3) years" and "two years and six months"; None when they are two quantities."""
    gap = text[left.end : right.start]
    if gap.strip() == "(" and len(gap) <= 3:
        return _repetition(text, left, right)
    if (
        is_duration(left.unit)
        and is_duration(right.unit)
        and left.unit != right.unit
        and _COMPOUND.fullmatch(gap)
    ):
        left_base, family = in_base(left.value, left.unit)
        right_base, other = in_base(right.value, right.unit)
        size = in_base(Decimal(1), left.unit)[0]
        if family == other and right_base < size:
            value = (left_base + right_base) / in_base(Decimal(1), right.unit)[0]
            return Quantity(
                left.start, right.end, value, right.unit, 3, bound=left.bound, approximate=left.approximate
            )
    if not gap.strip() and left.unit == "" and right.start == left.end:
        return None
    return None


def _repetition(text: str, left: Quantity, right: Quantity) -> Quantity | None:
    if text[right.end : right.end + 1] != ")":
        return None
    suffix = _suffix(text, right.end + 1 + (text[right.end + 1 : right.end + 2] == "]"), "")
    if left.value != right.value:
        return None
    unit = left.unit or right.unit
    value, end, scaled = right.value, right.end + 1, left.scaled or right.scaled
    if not unit or (suffix.scaled and not scaled):
        value, unit, scaled = (
            value * suffix.scale * suffix.measure.factor,
            unit or suffix.measure.unit,
            scaled or suffix.scaled,
        )
        end = max(end, suffix.end) if suffix.scaled or suffix.measure.unit else end
    return Quantity(
        left.start, end, value, unit, max(left.significant, right.significant), scaled, left.bound or right.bound,
        left.approximate,
    )  # fmt: skip


def _ranges(text: str, found: list[Quantity]) -> list[Quantity]:
    """Mark ranges, and give "3 to 5 years", "$3 to $5 million" and "30 or 60 days" one unit and scale."""
    for index in range(len(found) - 1):
        left, right = found[index], found[index + 1]
        match = _CONNECTOR.fullmatch(text, left.end, right.start) if right.start - left.end < 12 else None
        if match is None or left.year != right.year:
            continue
        changes: dict[str, object] = {}
        if not left.unit and right.unit and (left.unit != right.unit):
            changes["unit"] = right.unit
        if (
            right.scaled
            and not left.scaled
            and right.unit in {left.unit, "", *([right.unit] if not left.unit else [])}
        ):
            scale = _scale_between(text, right)
            if scale != 1 and left.value * scale <= right.value:
                changes |= {"value": left.value * scale, "scaled": True}
        if match[1] not in {"and", "or", "und", "oder", "et", "ou", "y", "o"} or (
            match[1] in {"and", "und", "et", "y"} and _after_between(text, left.start)
        ):
            changes["range"] = "low"
            found[index + 1] = _with(right, range="high")
        if changes:
            found[index] = _with(left, **changes)
    return found


def _after_between(text: str, start: int) -> bool:
    words = text[max(0, start - 12) : start].casefold().split()
    return bool(words) and words[-1] in {"between", "entre", "zwischen"}


def _scale_between(text: str, quantity: Quantity) -> Decimal:
    for word in WORD.findall(text[quantity.start : quantity.end].casefold()):
        if word in SCALES:
            return SCALES[word]
    return Decimal(1)


def _with(quantity: Quantity, **changes: object) -> Quantity:
    values = {name: getattr(quantity, name) for name in quantity.__struct_fields__}
    return Quantity(**(values | changes))


def _in_scale(text: str, found: list[Quantity]) -> list[Quantity]:
    """Apply "(in millions)" to the plain and money figures of the text."""
    if "illion" not in text and "ousand" not in text:
        return found
    match = _IN_SCALE.search(text)
    if match is None:
        return found
    scale = SCALES[(match[1] or match[2]).casefold()]
    return [
        _with(quantity, value=quantity.value * scale, scaled=True)
        if not quantity.scaled and not quantity.year and (not quantity.unit or is_currency(quantity.unit))
        else quantity
        for quantity in found
    ]


_TOLERANCE = Decimal("0.005")
_SMALL = Decimal(1000)
_HUNDRED = Decimal(100)


def compare_quantity(gold: str | Decimal, gold_unit: str, quantity: Quantity) -> tuple[Relation, bool]:
    """Compare an amount with the gold one; the second value says that the scale had to be taken from the question.

    A missing unit is the question's; another unit or currency is ``other_unit``. It is a match iff the gold, rounded to
    the significant digits written, equals it and the relative error is at most 0.5 %; calendar years, and durations and
    counts below 1,000, must be equal. A fraction below one matches a percentage.
    """
    try:
        number = Decimal(str(gold).replace(",", ""))
    except InvalidOperation:
        return "mismatch", False
    measure = read_unit(gold_unit)
    wanted = number * measure.factor
    unit = measure.unit
    if quantity.unit and not _same_kind(unit, quantity.unit):
        return "other_unit", False
    if gold_unit.strip().casefold() in {"year", "calendar year", "fiscal year"} and quantity.year:
        return ("match" if quantity.value == wanted else "mismatch"), False
    for value in (quantity.value, quantity.alternative):
        if value is None:
            continue
        if _equal(wanted, unit, value, quantity.unit or unit, quantity):
            return "match", False
        if (
            unit == "percent"
            and not quantity.unit
            and abs(value) < 1
            and _equal(wanted, unit, value * _HUNDRED, unit, quantity)
        ):
            return "match", False
        if (
            measure.factor != 1
            and not quantity.scaled
            and unit != "percent"
            and not is_duration(unit)
            and _equal(number, unit, value, unit, quantity)
        ):
            return "match", True
    return "mismatch", False


def _same_kind(gold: str, written: str) -> bool:
    return gold == written or (is_duration(gold) and is_duration(written))


def _equal(wanted: Decimal, unit: str, value: Decimal, written_unit: str, quantity: Quantity) -> bool:
    if is_duration(unit):
        return in_base(wanted, unit) == in_base(value, written_unit)
    if wanted == value:
        return True
    exact = quantity.year or (not unit and wanted == wanted.to_integral_value() and abs(wanted) < _SMALL)
    if exact or wanted == 0 or abs(wanted - value) > _TOLERANCE * abs(wanted):
        return False
    return value in (
        _rounded(wanted, quantity.significant, ROUND_HALF_UP),
        _rounded(wanted, quantity.significant, ROUND_HALF_EVEN),
    )


def _rounded(value: Decimal, significant: int, rounding: str) -> Decimal:
    return value.quantize(Decimal(1).scaleb(value.adjusted() - significant + 1), rounding=rounding)
