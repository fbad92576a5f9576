"""What stands around a number: sign, currency, scale, unit, "about", "at least"; and what makes it a name."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Literal, NamedTuple

from ragharness.language.latin import lowered
from ragharness.language.patterns import regex
from ragharness.language.tables import any_of, phrases, words_of
from ragharness.language.units import CURRENCIES, MEASURES, SCALES, Measure, is_currency, is_unit_word

Bound = Literal["", "at_least", "at_most"]

_SYMBOLS = "$€£¥₹₩₽₺₪"
_MINUS = r"(?:(?<![^\W_])(?<![)\]%-])[-−–])"
_PREFIX = regex(
    rf"(?P<outer>{_MINUS})?(?P<currency>(?<![A-Z])[A-Z]{{0,2}}[{_SYMBOLS}]|(?<![^\W_])[A-Z]{{3}})"
    rf"[ \u00a0\u202f]?(?P<inner>[-−–])?\Z|(?P<minus>{_MINUS})\Z"
)
_MARKS = frozenset("-−–" + _SYMBOLS)
_NEXT = regex(
    r"([ \u00a0\u202f\n-]?)(?:([%‰¢" + _SYMBOLS + r"])"
    r"|([Uu]\.[Ss]\.|[A-Za-zÀ-ɏ]+)(?:[ \u00a0-]([A-Za-zÀ-ɏ]+))?)"
)
_SCALE_LETTERS = words_of("numbers", "scale_letters")
_ADJECTIVES = regex(rf"(?:[ \u00a0]{any_of(words_of('numbers', 'before_duration'))}\b){{1,3}}")


class Suffix(NamedTuple):
    """Scale and unit after a number, and where they end."""

    end: int
    scale: Decimal = Decimal(1)
    scaled: bool = False
    measure: Measure = Measure("")


def read_prefix(text: str, start: int) -> tuple[int, str, bool]:
    """Return the true start of an amount, the currency before its number, and whether a minus is written."""
    mark = text[max(0, start - 2) : start].rstrip()[-1:]
    match = _PREFIX.search(text, max(0, start - 8), start) if mark in _MARKS or mark.isupper() else None
    if match is None:
        return start, "", False
    written = match["currency"]
    if written is None:
        return match.start(), "", True
    currency = CURRENCIES.get(written.casefold()) or CURRENCIES.get(written[-1])
    if currency is None:
        return start, "", False
    return match.start(), currency, bool(match["outer"] or match["inner"])


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
    unit_end, measure = found or (end, Measure(currency))
    return Suffix(unit_end, scale, scaled, measure)


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
        end = match.end(2)
        measure = MEASURES.get(symbol) or Measure(CURRENCIES.get(symbol, ""))
        begins_next = currency or gap == "\n" or text[end : end + 1].isdecimal()
        return None if begins_next and measure.unit != "percent" else (end, measure)
    for name, end in ((f"{first} {second}", match.end(4)), (first, match.end(3))):
        named = _measure(name, gap)
        if named is not None and (not currency or is_currency(named.unit)):
            return end, named
    return None


def _measure(written: str, gap: str) -> Measure | None:
    name = written.casefold()
    if name == "second" and gap != "-":
        return None
    if name in CURRENCIES and (len(name) > 3 or written.isupper() or name == "yen"):
        return Measure(CURRENCIES[name])
    return MEASURES.get(name)


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
    before = lowered(text)[max(0, start - 34) : start].split()
    if before and before[-1] in {"the", "a", "an", "("}:
        before.pop()
    if before[-2:] == ["period", "of"]:
        before = before[:-3]
    last, two = " ".join(before[-1:]), " ".join(before[-2:])
    bound = _BOUNDS.get(" ".join(before[-3:])) or _BOUNDS.get(two) or _BOUNDS.get(last, "")
    if not bound and (after := _BOUND_AFTER.match(text, end)) is not None:
        bound = "at_most" if after[1] in _LESS else "at_least"
    return bound, last in _APPROXIMATE or two in _APPROXIMATE, last in _MINUS_WORDS


_CITATION = regex(r"\^?[\w./:-]*[\d#][\w.#/:-]*(?:\s*[,;]\s*[\w.#/:-]+)*\s*")
_LABELS = words_of("numbers", "labels")
_LAW = regex(rf"{phrases('numbers', 'laws')}\s?(?:No\.\s?)?(?:\d{{2,3}}[-–])?\Z")
"""The number of a bill or law is a name: "H.R. 1988", "S. 1761", "P.L. 119-4"."""
_LIST_GAP = regex(r"(?:\(\w{1,4}\))*\s*(?:,|;|and|or|to|through|&|-|–|,\s*(?:and|or))\s*(?:§+\s*)?")
_CODE = regex(
    r"\+?[0-9]+(?:-[0-9]+){2,}|\+[0-9][0-9 ()-]{7,}[0-9]|(?:19|20)[0-9]{2}[-/][0-9]{2}(?![0-9])"
    r"|[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]+|[0-9]+(?:\.[0-9]+){2,}|[0-9]+(?:[:/][0-9]+)+|[0-9]+\([a-z]{1,4}\)"
)
"""A telephone number, time, version, fraction, paragraph or number of another language ("1.234,5")."""
_CODE_BEFORE = regex(r"(?<![^\W_])[A-Za-z]{1,8}(?:-[0-9]+)+-\Z")
_LETTERS_BEFORE = regex(r"[^\W\d_]+\Z")
_LETTERS = regex(r"[^\W\d_]+")
_COUNTED = regex(rf"\s+{any_of(words_of('numbers', 'counted'))}\b", re.IGNORECASE)
_REACH = 64


def in_citation(text: str, start: int, end: int) -> bool:
    """Return whether ``text[start:end]`` lies in a mark such as [c1#3], [12], 【p4】 or (c1#3)."""
    floor, ceiling = max(0, start - _REACH), end + _REACH
    for left, right in ("[]", "()", "【】"):
        opening = text.rfind(left, floor, start)
        if opening < 0 or text.find(right, opening, start) >= 0:
            continue
        closing = text.find(right, end, ceiling)
        if closing < 0:
            continue
        inside = text[opening + 1 : closing]
        if left == "【" or ((left == "[" or "#" in inside) and _CITATION.fullmatch(inside)):
            return True
    return False


def is_reference(text: str, start: int) -> bool:
    """Return whether the numeral at ``start`` names a part or place ("Section 4.2", "Season 4", "§ 3")."""
    before = text[max(0, start - 24) : start].rstrip(" \u00a0\n.:#([")
    word = before.replace("\n", " ").rpartition(" ")[2].lstrip("([\"'“*_").rstrip("*_")
    if before[-1:] == "§" or (not word.islower() and _LAW.search(text, max(0, start - 16), start)):
        return True
    word = word.casefold()
    if word in {"no", "nos"}:
        return "." in text[max(0, start - 3) : start] or "#" in text[max(0, start - 2) : start]
    return word in _LABELS


def continues_list(text: str, previous: int, start: int) -> bool:
    """Return whether the numeral at ``start`` carries on the list of references that ends at ``previous``."""
    return 0 <= previous < start <= previous + 12 and _LIST_GAP.fullmatch(text, previous, start) is not None


def is_enumerator(text: str, start: int, end: int) -> bool:
    """Return whether the numeral begins a list item ("1. ", "(3) ") or a clause ("2.5 Term")."""
    if "." in text[start:end]:
        before, after = text[max(0, start - 3) : start].rstrip(), text[end : end + 3].lstrip(". ")
        opens = start != 0 and (not before or before[-1] in ".;\n")
        return opens and text[end : end + 1] in {" ", "."} and after[:1].isupper()
    if end - start > 2 or text[end : end + 1] not in {".", ")"} or not text[end + 1 : end + 2].isspace():
        return False
    line = text.rfind("\n", max(0, start - 12), start)
    if line < 0 and start > 12:
        return False
    return not text[line + 1 : start].strip(" \t>#*_-•(") and bool(text[end + 1 : end + 40].strip())


def code_end(text: str, start: int, end: int) -> int:
    """Return the end of a telephone number, time, version, fraction or code that begins here; else -1."""
    if text[start - 1 : start] == "+":
        start -= 1
    elif not text[end : end + 1] or text[end] not in "-:/.,(":
        return -1
    match = _CODE.match(text, start)
    return -1 if match is None else match.end()


def is_name(text: str, start: int, end: int) -> bool:
    """Return whether what touches digits makes a name of them: COVID-19, 10-K, 3rd, p4, x_1, 3M, 777X."""
    before = text[start - 1 : start]
    if before.isalpha():
        letters = _LETTERS_BEFORE.search(text, max(0, start - 8), start)
        if letters is not None and letters[0].casefold() not in CURRENCIES:
            return True
    elif before == "-" and _CODE_BEFORE.search(text, max(0, start - 24), start):
        return True
    elif before and (before in "_#@/" or (before in "-:." and text[start - 2 : start - 1].isalpha())):
        return text[max(0, start - 3) : start].casefold() != "rs."
    after = text[end : end + 1]
    if after in {"_", "#", "@"}:
        return True
    if after == "-":
        letters = _LETTERS.match(text, end + 1)
        return letters is not None and len(letters[0]) <= 2 and letters[0].isupper()
    letters = _LETTERS.match(text, end) if after.isalpha() else None
    return letters is not None and _is_letter_name(text, start, end, letters[0])


def _is_letter_name(text: str, start: int, end: int, letters: str) -> bool:
    """Return whether digits with letters right behind them are a name: "3rd", "3M", "777X", not "1.5X"."""
    if not is_unit_word(letters.casefold()):
        return True
    digits = text[start:end]
    if not (letters.isupper() and len(letters) == 1 and digits.isdecimal()):
        return False
    if letters == "X":
        return len(digits) > 2
    if len(digits) > 1 or read_prefix(text, start)[1]:
        return False
    after = end + 1
    return not (_COUNTED.match(text, after) or _unit_at(text, after, ""))


def in_link(text: str, start: int) -> bool:
    """Return whether a place lies in a web or mail address."""
    before, after = text[max(0, start - 80) : start], text[start : start + 80]
    word = re.split(r"[ \n]", before)[-1] + after.partition(" ")[0]
    return "://" in word or "www." in word or "@" in word
