"""Dates of statements whose verb no list knows: "On what date was it that X invited comments?"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragharness.language.dates import find_dates
from ragharness.questions.asking.dates import iso, precision
from ragharness.questions.asking.grammar import lowered
from ragharness.questions.asking.statement import Asked, clean
from ragharness.questions.folder.content_words import content_words
from ragharness.questions.folder.facts import stands_alone

if TYPE_CHECKING:
    from collections.abc import Callable

_FIRST = re.compile(r"(?:In|On)\s+(?P<date>[^,]+(?:,\s\d{4})?),\s+(?P<clause>[A-Za-z][^;:]+)")
_LAST = re.compile(r"(?P<clause>[A-Z][^;:]+?)\s+(?:in|on)\s+(?P<date>(?:[A-Z]|\d{4}$)[\w ,]{2,18})")
_PAST = re.compile(r"\b(?:was|were|had|began|became|made|took|held|met|gave|led|won|sent|\w{3,}ed)\b")
_OTHER = re.compile(r"\b(?:if|when|while|because|although|since|until|after|before|during)\b")
_MAIN = re.compile(r"\b(?:has|have|is|are|will|would|may|can|could|should|must|does|do)\b")
"""What is no past, unless a relative clause has it."""
_RELATIVE = re.compile(r"\b(?:that|which|who|whose|where|to)\b.*")
_PASSED_BY = re.compile(
    r"\b(?:years?|months?|days?|average|per|each|every|fiscal|FY|quarter|end of|early|late|mid)\b"
)
_ASKS = {"year": "In what year", "month": "In what month and year", "day": "On what date"}
_LONGEST, _LEAST = 34, 5


def cleft(sentence: str, lower: Callable[[str], bool]) -> Asked | None:
    """Return the question for the one date of a plain statement in the past, or None."""
    said = clean(sentence)
    if not said.endswith(".") or len(said.split()) > _LONGEST:
        return None
    found = _FIRST.fullmatch(said[:-1]) or _LAST.fullmatch(said[:-1])
    dates = [each for each in find_dates(said) if each.year]
    if not found or len(dates) != 1:
        return None
    (date,) = dates
    whole = said[date.start : date.end] == found["date"]
    clause = found["clause"].strip()
    if clause.split()[0].lower() in {"in", "on", "at", "as", "under", "by", "for", "with", "despite"}:
        return None
    if (
        not whole
        or date.fiscal
        or date.quarter
        or date.ambiguous
        or _OTHER.search(clause)
        or _MAIN.search(_RELATIVE.sub("", clause))
        or _PASSED_BY.search(clause)
        or not _PAST.search(_RELATIVE.sub("", clause))
        or not stands_alone(clause)
        or len(content_words(clause)) < _LEAST
    ):
        return None
    exact = precision(date)
    question = f"{_ASKS[exact]} was it that {lowered(clause, lower)}?"
    return Asked(question, "date", iso(date), "", exact)
