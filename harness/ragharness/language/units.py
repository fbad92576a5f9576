"""Numbers and units as they are written, and the marks, labels and codes that hold digits only."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from decimal import Decimal
from functools import lru_cache
from typing import Literal, NamedTuple, cast

from ragharness.language.tables import any_of, phrases, regex, table, words_of

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
    entries = cast("dict[str, list[str]]", table("numbers")[family])
    return {name: entry for entry, names in entries.items() for name in names}


SCALES = {name: Decimal(value) for name, value in _named("scales").items()}
UNITS = {
    name: Measure(several.partition(" ")[2], Decimal(several.partition(" ")[0]))
    for name, several in _named("units").items()
}  # currencies, their hundredths, percentages, durations and measures by their lower-cased names
_CANONICAL = frozenset(measure.unit for measure in UNITS.values())
_LENGTHS, _MEASURES = (
    {unit: row.split() for unit, row in cast("dict[str, str]", table("numbers")[key]).items()}
    for key in ("lengths", "measures")
)


def is_currency(unit: str) -> bool:
    """Whether a canonical unit is a currency (three capital letters)."""
    return len(unit) == 3 and unit.isupper()


def is_duration(unit: str) -> bool:
    """Whether a canonical unit is a length of time."""
    return unit in _LENGTHS


def in_base(value: Decimal, unit: str) -> tuple[Decimal, str]:
    """Duration or measure in the base of its family (seconds, metres); all else stays as it is."""
    count, family = _LENGTHS.get(unit) or _MEASURES.get(unit) or ("1", unit)
    return value * Decimal(count), family


@lru_cache(maxsize=1024)
def read_unit(written: str) -> Measure:
    """What a gold unit such as "USD million" or "thousand employees" means."""
    whole = written.strip().casefold()
    if whole in UNITS:
        return UNITS[whole]
    if written in _CANONICAL:  # as "TRY", a word of texts
        return Measure(written)
    unit, factor = "", Decimal(1)
    for word in whole.split():
        if len(word) > 2 and word in SCALES:
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
    """True start of an amount, the currency before its number, and whether a minus is written."""
    mark = text[max(0, start - 2) : start].rstrip()[-1:]
    may_prefix = mark.isupper() or (mark and mark in f"-−–{_SYMBOLS}")
    match = _PREFIX.search(text, max(0, start - 8), start) if may_prefix else None
    written = match["currency"] if match is not None else None
    named = written and (UNITS.get(written.casefold()) or UNITS.get(written[-1]))
    if match is None or (written and not (named and is_currency(named.unit))):
        return start, "", False
    return match.start(), named.unit if named else "", bool(match["outer"] or match["inner"])


def read_suffix(text: str, position: int, currency: str = "") -> Suffix:
    """Scale words and the unit after a number that may already have its currency."""
    end, scale, scaled = position, Decimal(1), False
    for _ in range(3):
        match = _NEXT.match(text, end)
        if match is None or match[2]:
            break
        word = match[3].casefold()
        # "2.1B USD": what follows the letter tells that it counts money.
        behind = None if currency or word not in _SCALE_LETTERS else _unit_at(text, match.end(3), "")
        money = currency or (behind[1].unit if behind and is_currency(behind[1].unit) else "")
        glued = match[1] != "-" and (money or (not match[1] and word not in {"b", "t"}))
        if not glued if word in _SCALE_LETTERS else word not in SCALES:
            break
        end, scale, scaled = match.end(3), scale * SCALES[word], True
    unit = _unit_at(text, end, currency)
    if unit is None and not currency and (adjectives := _ADJECTIVES.match(text, end)) is not None:
        unit = _unit_at(text, adjectives.end(), "")
    end, measure = unit or (end, Measure(currency))
    return Suffix(end, scale * measure.factor, scaled, measure.unit)


def _unit_at(text: str, position: int, currency: str) -> tuple[int, Measure] | None:
    """Unit written here and its end; a currency takes no other unit than one of its own kind."""
    match = _NEXT.match(text, position)
    if match is None:
        return None
    gap, symbol, word, next_word = match.groups()
    if symbol:
        end, measure = match.end(2), UNITS[symbol]
        begins_next = currency or gap == "\n" or text[end : end + 1].isdecimal()
        return None if begins_next and measure.unit != "percent" else (end, measure)
    for name, end in ((f"{word} {next_word}", match.end(4)), (word, match.end(3))):
        named = UNITS.get(name.casefold())
        if named is not None and (not currency or is_currency(named.unit)):
            return end, named
    return None


_APPROXIMATE = words_of("numbers", "approximate")
_BOUNDS: dict[str, Bound] = {
    **dict.fromkeys(words_of("numbers", "at_least"), "at_least"),
    **dict.fromkeys(words_of("numbers", "at_most"), "at_most"),
}
_LESS = words_of("numbers", "less")
_BOUND_AFTER = regex(rf"\s(?:or|and)\s({any_of(words_of('numbers', 'more') | _LESS)})\b")


def read_qualifiers(text: str, start: int, end: int) -> tuple[Bound, bool, bool]:
    """Bound, whether the amount is approximate, and whether "minus" is written before it."""
    before = text[max(0, start - 34) : start].lower().split()
    if before and before[-1] in {"the", "a", "an", "("}:
        before.pop()
    last, two = " ".join(before[-1:]), " ".join(before[-2:])
    bound = _BOUNDS.get(" ".join(before[-3:])) or _BOUNDS.get(two) or _BOUNDS.get(last, "")
    if not bound and (after := _BOUND_AFTER.match(text, end)) is not None:
        bound = "at_most" if after[1] in _LESS else "at_least"
    return bound, last in _APPROXIMATE or two in _APPROXIMATE, last in words_of("numbers", "minus")


WORD = regex(r"[A-Za-zÀ-ɏ]+")


@lru_cache(maxsize=256)
def lowered(text: str) -> str:
    """Text in lower case, compatibility forms folded, with every character in its place."""
    lower = text.lower()
    if text.isascii() or (len(lower) == len(text) and unicodedata.is_normalized("NFKC", lower)):
        return lower
    folded = ((char, unicodedata.normalize("NFKC", char).lower()) for char in text)
    return "".join(new if len(new) == 1 else char for char, new in folded)


@lru_cache(maxsize=256)
def vocabulary(text: str) -> frozenset[str]:
    """Lower-cased words of a text."""
    return frozenset(WORD.findall(lowered(text)))


def places(text: str, words: Iterable[str]) -> list[tuple[int, str]]:
    """Where each of the words stands as a whole word in the text, in order of place."""
    present = vocabulary(text).intersection(words)
    if not present:
        return []
    return [(match.start(), match[0]) for match in WORD.finditer(lowered(text)) if match[0] in present]


DIGITS = regex(
    r"\d{1,3}(?:(?P<group>[,'’\u00a0\u202f\u2009 ])\d{3})(?:(?P=group)\d{3})*(?!\d)(?:\.\d+)?|\d+(?:[.,]\d+)?"
)  # one numeral with its separators; a leading decimal point (".5") is added by the caller
_DECIMAL_COMMA = regex(r"\d+,(?!\d{3}$)\d+|0,\d+|\d{4,},\d+")
_SEPARATOR = regex(r"[^\d.]")


def read_digits(written: str) -> tuple[Decimal, int]:
    """Value of a numeral and its significant digits; zeros that end an integer do not count."""
    if _DECIMAL_COMMA.fullmatch(written):
        written = written.replace(",", ".")
    plain = _SEPARATOR.sub("", written)
    digits = plain.replace(".", "").lstrip("0") if "." in plain else plain.strip("0")
    return Decimal(plain), len(digits) or 1


_ONES, _TENS = (str(table("numbers")[row]).split() for row in ("ones", "tens"))
_SMALL = dict(zip(_ONES, range(20), strict=True)) | dict(zip(_TENS, range(20, 100, 10), strict=True))
_LARGE = {word: value for word, value in SCALES.items() if len(word) > 3 and value != 100}
AFTER_ARTICLE = frozenset({"hundred", *_LARGE})
TRIGGERS = frozenset({"half", *_SMALL}) | AFTER_ARTICLE  # words that a number in words begins with

_JOINT = r"[-‐‑ \u00a0\n]{1,3}"
_BELOW_HUNDRED = rf"(?:(?:{any_of(_TENS)})(?:{_JOINT}{any_of(_ONES[1:10])})?|{any_of(_ONES)})\b"
_PART = regex(
    rf"(?:{_JOINT})?(?:and{_JOINT})?(?:a(?={_JOINT}{any_of(AFTER_ARTICLE)}\b)|(?P<small>{_BELOW_HUNDRED}))"
    rf"(?P<hundred>{_JOINT}hundred\b(?:{_JOINT}(?:and{_JOINT})?(?P<rest>{_BELOW_HUNDRED})(?!{_JOINT}hundred\b))?)?"
    rf"(?P<half>{_JOINT}and{_JOINT}a{_JOINT}half\b)?(?:{_JOINT}(?P<scale>{any_of(_LARGE)})\b)?"
)  # what one scale word multiplies: "three hundred and forty-five thousand"
_HALF = regex(rf"half(?: an?(?: (?P<scale>{any_of(_LARGE)}))?)?\b")


def read_words(text: str, start: int) -> tuple[int, Decimal, bool] | None:
    """Where the number in words that begins at ``start`` ends, its value, and whether it is scaled."""
    lower = lowered(text)
    if (half := _HALF.match(lower, start)) is not None:
        return half.end(), Decimal(_LARGE.get(half["scale"], 1)) / 2, half["scale"] is not None
    spelled: tuple[int, Decimal, bool] | None = None
    position, last = start, Decimal("Infinity")
    while (part := _PART.match(lower, position)) is not None:
        scale = _LARGE.get(part["scale"], Decimal(1))
        if scale >= last:
            break
        value = Decimal(_below_hundred(part["small"] or "one") * (100 if part["hundred"] else 1))
        value += _below_hundred(part["rest"] or "zero") + (Decimal("0.5") if part["half"] else 0)
        scaled = scale != 1 or spelled is not None
        spelled = (part.end(), value * scale + (spelled[1] if spelled else 0), scaled)
        if scale == 1:
            break
        position, last = part.end(), scale
    return spelled


def _below_hundred(words: str) -> int:
    return sum(_SMALL[word] for word in WORD.findall(words))


_LAW = regex(rf"{phrases('numbers', 'laws')}\s?(?:No\.\s?)?(?:\d{{2,3}}[-–])?\Z")  # as "P.L. 119-4"
LIST_GAP = regex(r"(?:\(\w{1,4}\))*\s*(?:,|;|and|or|to|through|&|-|–|,\s*(?:and|or))\s*(?:§+\s*)?")
"""What stands between two references of one list: "Sections 4, 5(a) and 6"."""
LIST_ITEM = regex(
    r"^[ \t>#*_•(-]{0,11}(?:([0-9]{1,2})[.)](?=\s{1,40}\S)"
    r"|([0-9]{1,2}\.[0-9]{1,2})\.?(?=\s{1,9}[\"“]?[A-Z][a-z]+[”\"]?\s+[a-z]+\s+[a-z]+))",
    re.MULTILINE,
)  # The number of an item or clause: "2. ", "16.5 Notwithstanding anything to ..."
CODE = regex(
    r"[0-9]+(?:-[0-9]+){2,}|(?:19|20)[0-9]{2}[-/][0-9]{2}(?![0-9])|[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]+"
    r"|[0-9]+(?:\.[0-9]+){2,}|[0-9]+(?:[:/][0-9]+)+|[0-9]+\([a-z]{1,4}\)"
)  # A telephone number, time, version, fraction, paragraph or number of another language ("1.234,5")
_NAME_BEFORE = regex(r"(?:[^\W\d]|[#@/]|[^\W\d_][-:.]|(?<![^\W_])[A-Za-z]{1,8}(?:-[0-9]+)+-)\Z")
_NAME_AFTER = regex(r"-[A-Z]{1,2}(?![^\W\d_])")


def is_reference(text: str, start: int) -> bool:
    """Whether the numeral at ``start`` names a part or place ("Section 4.2", "Season 4", "§ 3")."""
    before = text[max(0, start - 24) : start].rstrip(" \u00a0\n.:#([")
    word = before.replace("\n", " ").rpartition(" ")[2].lstrip("([\"'“*_").rstrip("*_")
    if before[-1:] == "§" or (not word.islower() and _LAW.search(text, max(0, start - 16), start)):
        return True
    if word.casefold() in {"no", "nos"}:
        return "." in text[max(0, start - 3) : start] or "#" in text[max(0, start - 2) : start]
    return word.casefold() in words_of("numbers", "labels")


def is_name(text: str, start: int, end: int) -> bool:
    """Whether what touches digits makes a name of them: COVID-19, 10-K, 3rd, p4, x_1, 3M."""
    glued = start > 0 and not text[start - 1].isspace()
    if (glued and _NAME_BEFORE.search(text, max(0, start - 24), start)) or _NAME_AFTER.match(text, end):
        return True
    letters = WORD.match(text, end)
    if letters is None:
        return False
    if end - start == 1 and letters[0] in {"K", "M", "B", "T"}:
        return not read_prefix(text, start)[1]
    word = letters[0].casefold()
    return word != "x" and word not in SCALES and word not in UNITS
