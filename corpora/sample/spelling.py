"""How the sample documents write an answer, and which shorter spellings mean the same."""

from __future__ import annotations

import re
from calendar import month_name
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragharness.records import Fact

_LEADING = re.compile(r"^(?:the )?(?:State|Commonwealth|city) of |^(?:Dr\.|Prof\.|Ing\.|Dr\.-Ing\.) |^the ")


def aliases(fact: Fact) -> dict[str, tuple[str, ...]]:
    """Return shorter spellings of text and list answers that mean the same in the document."""
    if fact.kind not in {"text", "list"}:
        return {}
    found: dict[str, tuple[str, ...]] = {}
    for answer in fact.answers:
        short = {_LEADING.sub("", answer)}
        if fact.topic == "seat":
            short.add(answer.split(",")[0])
        if fact.topic == "committee":
            short.add(answer.split(" ", 1)[1])
        short |= set(fact.details.get("also", answer).split(" / "))
        if answer == "England and Wales":
            short |= {"English law", "law of England"}
        if short - {answer}:
            found[answer] = tuple(sorted(short - {answer}))
    return found


_ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")

_UNITS = {
    "percent": r" per ?cent",
    "years": r"(?: \(\d+\))? years?",
    "months": r"(?: \(\d+\))? months?",
    "days": " days",
}


def spellings(fact: Fact) -> list[str]:
    """Return regular expressions for the ways in which the sample documents write the fact's answers."""
    if fact.kind == "date":
        return [_date_pattern(answer) for answer in fact.answers]
    if fact.kind != "number":
        return [rf"\b{re.escape(_LEADING.sub('', answer))}\b" for answer in fact.answers]
    return [_number_pattern(answer, fact.unit) for answer in fact.answers]


def in_unit(value: str, unit: str, wanted: str) -> str:
    """Return a value in another unit of time; empty where the units do not compare."""
    if unit == wanted:
        return value
    if (unit, wanted) == ("years", "months"):
        return str(int(value) * 12)
    return f"{int(value) / 12:g}" if (unit, wanted) == ("months", "years") else ""


def _number_pattern(answer: str, unit: str) -> str:
    whole, _, decimals = answer.partition(".")
    value = float(answer)
    forms = {answer, f"{int(whole):,}" + (f".{decimals}" if decimals else "")}
    if not decimals and value < 100:
        forms.add(_spelled(int(whole)))
    if unit == "USD million" and value >= 1000:
        forms.add(f"{value / 1000:g} billion")
    if unit == "" and value >= 100_000:
        forms.add(f"{value / 1_000_000:g} million")
    tail = _UNITS.get(unit, r"(?![\d.,]*\d)")
    return rf"(?<![\d.,$-])\$?(?:{'|'.join(map(re.escape, sorted(forms)))}){tail}"


def _spelled(number: int) -> str:
    tens, ones = divmod(number, 10)
    if number < len(_ONES):
        return _ONES[number]
    return _TENS[tens] + (f"-{_ONES[ones]}" if ones else "")


def _date_pattern(iso: str) -> str:
    if len(iso) == 4:  # a year
        return rf"\b{iso}\b"
    year, month, day = iso.split("-")
    name = month_name[int(month)]
    return rf"\b(?:{name} {int(day)}, {year}|{int(day)} {name} {year})\b"
