"""Numbers in words, English, Spanish, German and French: "one hundred and twenty", "fünfundzwanzig"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import NamedTuple

from ragharness.language.units import SCALES

WORD = re.compile(r"[^\W\d_]+")

_ENGLISH = ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
            "seventeen eighteen nineteen")  # fmt: skip
_ENGLISH_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SPANISH = ("cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis "
            "diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis "
            "veintisiete veintiocho veintinueve")  # fmt: skip
_SPANISH_TENS = "treinta cuarenta cincuenta sesenta setenta ochenta noventa"
_SPANISH_HUNDREDS = ("ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos "
                     "novecientos")  # fmt: skip
_FRENCH = "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize"
_FRENCH_TENS = "vingt trente quarante cinquante soixante"
_GERMAN = ("null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn "
           "siebzehn achtzehn neunzehn")  # fmt: skip
_GERMAN_TENS = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig"


def _numbered(words: str, first: int = 0, step: int = 1) -> Iterator[tuple[str, int]]:
    return ((word, first + step * index) for index, word in enumerate(words.split()))


def _german() -> Iterator[tuple[str, int]]:
    digits = ["", "ein", *_GERMAN.split()[2:10]]
    below = dict(_numbered(_GERMAN))
    for tens, ten in _numbered(_GERMAN_TENS, 20, 10):
        below[tens] = ten
        below |= {f"{digit}und{tens}": ten + value for value, digit in enumerate(digits) if value}
    yield from below.items()
    for value, digit in enumerate(digits):
        hundreds = 100 * max(value, 1)
        yield f"{digit}hundert", hundreds
        yield from ((f"{digit}hundert{word}", hundreds + rest) for word, rest in below.items() if rest)


def _small() -> dict[str, int]:
    table: dict[str, int] = {}
    rows: tuple[Iterable[tuple[str, int]], ...] = (
        _numbered(_ENGLISH), _numbered(_ENGLISH_TENS, 20, 10),
        _numbered(_SPANISH), _numbered(_SPANISH_TENS, 30, 10), _numbered(_SPANISH_HUNDREDS, 100, 100),
        (("cien", 100), ("una", 1), ("veintiún", 21), ("veintiuna", 21)),
        _numbered(_FRENCH), _numbered(_FRENCH_TENS, 20, 10), (("une", 1), ("quatorze", 14), ("vingts", 20)),
        _german(), _numbered("ein eine einen einem einer", 1, 0),
    )  # fmt: skip
    for row in rows:
        for word, value in row:
            table.setdefault(word.casefold(), value)
    return table


SMALL: dict[str, int] = _small()
"""Words below one thousand that stand for a number by themselves."""

_HUNDRED = {"hundred": 100, "cent": 100, "cents": 100}
_LARGE = {word: int(value) for word, value in SCALES.items() if len(word) > 2 and word not in {
    "hundred", "hundreds", "tsd", "mio", "mrd", "mds", "mln", "bln", "trn", "mil millones"}}  # fmt: skip
_DOZEN = {word for word, value in SCALES.items() if value == 12}
_AND = frozenset({"and", "y", "und", "et"})
_ALONE = frozenset({"mil", "tausend", "mille"})

NEEDS_UNIT = frozenset({
    "once", "seize", "cent", "cents", "sept", "un", "une", "una", "ein", "eine", "einen", "einem", "einer", "elf",
    "mil", "mille", "null", "six", "acht", "tausend", "son",
}) - {"six"}  # fmt: skip
"""Number words that are something else more often: they count only before a unit, a scale or a number."""

STARTS = (
    frozenset(SMALL) | _ALONE | frozenset({"a", "half"}) - {"a"} | frozenset({"cent", *_DOZEN}) | {"hundred"}
)
"""Every word that a number in words may begin with (after "a" or "an": hundred, dozen, half)."""

TRIGGERS = STARTS | frozenset(_LARGE)
"""A text without any of these words holds no number in words."""


class Word(NamedTuple):
    """A case-folded word and its place in the text."""

    text: str
    start: int
    end: int


class Spelled(NamedTuple):
    """A number in words: its value and the index of the word after it."""

    value: Decimal
    stop: int
    scaled: bool


def split_words(text: str) -> list[Word]:
    """Return the runs of letters of a text, case-folded, with their places."""
    return [Word(match[0].casefold(), match.start(), match.end()) for match in WORD.finditer(text)]


def read_words(text: str, words: list[Word], start: int) -> Spelled | None:
    """Read the number in words that begins with ``words[start]``, as long as it goes on."""
    reader = _Reader()
    index = start
    best: Spelled | None = None
    if words[start].text in {"a", "an", "half"}:
        return _read_article(text, words, start)
    while index < len(words):
        word = words[index].text
        if index > start and not _joined(text, words[index - 1], words[index]):
            break
        if word in _AND:
            if not reader.may_continue(word):
                break
            index += 1
            if index + 1 < len(words) and words[index].text == "a" and words[index + 1].text == "half":
                reader.add_half()
                index += 2
                best = Spelled(reader.value, index, reader.scaled)
            continue
        if not reader.take(word, text[words[index - 1].end : words[index].start] if index > start else ""):
            break
        index += 1
        best = Spelled(reader.value, index, reader.scaled)
    return best


def _read_article(text: str, words: list[Word], start: int) -> Spelled | None:
    """Read "a hundred", "a dozen", "half a million", "half a dozen", "half"."""
    following = [word.text for word in words[start + 1 : start + 3]]
    if words[start].text == "half":
        if (
            following[:1] == ["a"]
            and len(following) > 1
            and (following[1] in _LARGE or following[1] in _DOZEN)
        ):
            value = Decimal(_LARGE.get(following[1], 12)) / 2
            return Spelled(value, start + 3, scaled=True)
        stop = start + 2 if following[:1] in (["a"], ["an"]) else start + 1
        return Spelled(Decimal("0.5"), stop, scaled=False)
    if not following or (following[0] not in _HUNDRED and following[0] not in _LARGE):
        return None
    reader = _Reader(current=1)
    if not reader.take(following[0], " "):
        return None
    return Spelled(reader.value, start + 2, scaled=True)


def _joined(text: str, left: Word, right: Word) -> bool:
    gap = text[left.end : right.start]
    return gap in {" ", "-"} or (len(gap) <= 3 and not gap.strip(" -‐‑\u00a0\n"))


class _Reader:
    """Adds up number words; ``take`` says whether a word still belongs to the number."""

    def __init__(self, current: int | None = None) -> None:
        self.total = Decimal(0)
        self.current: Decimal | None = None if current is None else Decimal(current)
        self.scale = Decimal("Infinity")
        self.scaled = False

    @property
    def value(self) -> Decimal:
        return self.total + (self.current or 0)

    def may_continue(self, word: str) -> bool:
        if self.current is None:
            return self.scaled
        return word != "and" or self.current % 100 == 0 or self.current < 100

    def add_half(self) -> None:
        self.current = (self.current or Decimal(0)) + Decimal("0.5")

    def take(self, word: str, gap: str) -> bool:
        if word in _HUNDRED and (self.current is not None or word == "cent"):
            return self._hundred()
        if word in SMALL:
            return self._add(SMALL[word], gap)
        if word in _LARGE:
            return self._scale(Decimal(_LARGE[word]), word in _ALONE)
        return False

    def _hundred(self) -> bool:
        if self.current is None:
            self.current = Decimal(100)
        elif 0 < self.current < 100:
            self.current *= 100
        else:
            return False
        return True

    def _add(self, value: int, gap: str) -> bool:
        current = self.current
        if current is None:
            self.current = Decimal(value)
        elif value == 20 and current == 4 and gap == "-":
            self.current = Decimal(80)
        elif (
            (current >= 100 and current % 100 == 0 and 0 < value < 100)
            or (
                current % 100 >= 20
                and current % 10 == 0
                and (0 < value < 10 or (current % 100 in (60, 80) and value < 20))
            )
            or (current % 100 in (70, 90, 10) and value in (7, 8, 9) and gap == "-")
        ):
            self.current = current + value
        else:
            return False
        return True

    def _scale(self, scale: Decimal, alone: bool) -> bool:
        if self.current is None:
            if self.scaled and scale > self.scale:
                self.total, self.scale = self.total * scale, scale
                return True
            if not alone or self.scaled:
                return False
            self.current = Decimal(1)
        if scale >= self.scale:
            return False
        self.total, self.current = self.total + self.current * scale, None
        self.scale, self.scaled = scale, True
        return True
