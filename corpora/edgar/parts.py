"""Whether a figure stated in words is that of a part only: of one segment, of some awards or subsidiaries."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .places import words_of

if TYPE_CHECKING:
    from ragharness.records import Document, Fact

_SOME = re.compile(
    r"\bcertain (?:of|subsidiaries|awards|grants|contracts)\b|\bnon-performance\b", re.IGNORECASE
)
_AMOUNT = re.compile(r"\$\s?\d[\d,.]*\d(?:\s(?:million|billion))?")
_ALIKE = 0.75
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
        len(known & words) >= _ALIKE * len(known | words)
        for text in _sentences(document)
        if amounts.isdisjoint(found := _AMOUNT.findall(text)) and found
        for words in [words_of(text)]
    )


def _sentences(document: Document) -> list[str]:
    texts = (document.text[start:end] for start, end in document.segments)
    return [each for each in texts if "$" in each and "|" not in each]
