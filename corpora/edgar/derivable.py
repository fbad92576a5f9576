"""Figures that are not what they seem: that follow from what is left, or are those of a part only."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import combinations

from ragharness.records import Document, Evidence, Fact
from ragquestions.derivations import ABOVE, BELOW, value_of

from .places import words_of

_REACH = 6000
"""Characters in which those rows stand."""

_TOLD = re.compile(r"(\d[\d,]*(?:\.\d+)?)(?:\s(million|billion))?")
_SCALES = {"": 0, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_ROUGH = Decimal("0.05")
"""A change that is off by more says nothing about the figure."""

_FEW = 3
"""Digits from which a bare figure may be a stated change."""

_ALIKE = 2
"""Words that a line must share with the withheld row to speak of it."""


def follows(
    document: Document, fact: Fact, withheld: Sequence[Evidence], also: str, before: Decimal | None
) -> bool:
    """Whether figures outside the withheld lines give the fact's value to one who calculates.

    Passages are withheld whole, so that less is left than is assumed here. ``also``: words for the fact;
    ``before``: its value a year earlier.
    """
    text = document.text
    gold = Decimal(fact.answers[0])
    rows = list(_rows(text, withheld, gold))
    for (_, around), column in rows:
        if _adds_up(gold, [row[column] for row in around if len(row) > column]):
            return True
    others = {each for (own, _), column in rows for at, each in enumerate(own) if each and at != column}
    others |= {before} if before else set()
    labels = words_of(" ".join([also, *(text[each.start : each.end].split("|")[0] for each in withheld)]))
    changes = {abs(gold - each) for each in others if each != gold}
    power = _SCALES[next((each for each in fact.unit.split() if each in _SCALES), "")]
    return any(
        _gives(line, changes, power)
        for line in _left(text, withheld)
        if len(words_of(line) & labels) >= min(_ALIKE, len(labels))
    )


def _rows(
    text: str, withheld: Sequence[Evidence], gold: Decimal
) -> Iterator[tuple[tuple[list[Decimal | None], list[list[Decimal | None]]], int]]:
    """Yield each withheld row with the rows around it, as values, and the column of the gold figure."""
    for span in withheld:
        cells = [value_of(cell) for cell in text[span.start : span.end].split("|")]
        if gold not in cells:
            continue
        start = text.rfind("\n", 0, span.start) + 1
        above = text[max(0, start - _REACH) : start].split("\n")[-ABOVE - 1 : -1]
        end = text.find("\n", span.end - 1)
        below = text[end : end + _REACH].split("\n")[1 : BELOW + 1] if end >= 0 else []
        around = [[value_of(cell) for cell in line.split("|")] for line in (*above, *below)]
        yield (cells, around), cells.index(gold)


def _adds_up(gold: Decimal, figures: Iterable[Decimal | None]) -> bool:
    """Whether two to four figures make the gold one, each added or taken away."""
    terms = sorted({each for each in figures if each and each != gold})
    signed = [(index, sign * each) for index, each in enumerate(terms) for sign in (1, -1)]
    pairs: dict[Decimal, list[frozenset[int]]] = defaultdict(list)
    for (one, first), (other, second) in combinations(signed, 2):
        if one != other:
            pairs[first + second].append(frozenset((one, other)))
    if gold in pairs:
        return True
    if any(index not in each for index, value in signed for each in pairs.get(gold - value, ())):
        return True
    return any(
        one.isdisjoint(other)
        for total, some in pairs.items()
        for other in pairs.get(gold - total, ())
        for one in some
    )


def _left(text: str, withheld: Sequence[Evidence]) -> Iterator[str]:
    """Yield the lines of a text with a figure that no withheld span touches."""
    position = 0
    for line in text.split("\n"):
        end = position + len(line)
        if _TOLD.search(line) and not any(each.start < end and position < each.end for each in withheld):
            yield line
        position = end + 1


def _gives(line: str, changes: set[Decimal], power: int) -> bool:
    """Whether a line that speaks of the figure says how it changed, or what share of another one it is."""
    if "%" in line or " percent" in line:
        return True
    for found in _TOLD.finditer(line):
        told = Decimal(found[1].replace(",", ""))
        if found[2]:
            told = told.scaleb(_SCALES[found[2]] - power)
        elif sum(map(str.isdigit, found[1])) < _FEW:
            continue
        if any(abs(told - each) <= (_ROUGH * each if found[2] else 0) for each in changes):
            return True
    return False


_SOME = re.compile(
    r"\bcertain (?:of|subsidiaries|awards|grants|contracts)\b|\bnon-performance\b", re.IGNORECASE
)
_AMOUNT = re.compile(r"\$\s?\d[\d,.]*\d(?:\s(?:million|billion))?")
_SAME_OF_TWO = 0.75
"""Share of words that two sentences have in common that state the same of two parts."""


def is_part(document: Document, fact: Fact) -> bool:
    """Whether a sentence says that its figure is of some only, or another one says the same with another."""
    told = [document.text[each.start : each.end] for each in fact.evidence]
    if any("|" in each for each in told):
        return False
    if any(map(_SOME.search, told)):
        return True
    known = min((words_of(each) for each in told), key=len, default=frozenset())
    amounts = {each for text in told for each in _AMOUNT.findall(text)}
    return bool(amounts) and any(
        len(known & words) >= _SAME_OF_TWO * len(known | words)
        for text in (document.text[start:end] for start, end in document.segments)
        if "$" in text and "|" not in text and amounts.isdisjoint(found := _AMOUNT.findall(text)) and found
        for words in [words_of(text)]
    )
