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


_WORDS = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen",
]  # fmt: skip

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
        return [rf"\b{re.escape(re.sub(_LEADING, '', answer))}\b" for answer in fact.answers]
    found = []
    for answer in fact.answers:
        whole, _, decimals = answer.partition(".")
        digits = f"{int(whole):,}" + (f".{decimals}" if decimals else "")
        forms = {re.escape(digits), re.escape(answer)}
        if not decimals and int(whole) < len(_WORDS):
            forms.add(_WORDS[int(whole)])
        tail = _UNITS.get(fact.unit, r"(?![\d.,]*\d)")
        found.append(rf"(?<![\d.,$-])\$?(?:{'|'.join(sorted(forms))}){tail}")
    return found


def _date_pattern(iso: str) -> str:
    if len(iso) == 4:  # a year
        return rf"\b{iso}\b"
    year, month, day = iso.split("-")
    name = month_name[int(month)]
    return rf"\b(?:{name} {int(day)}, {year}|{int(day)} {name} {year})\b"
