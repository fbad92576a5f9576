"""What contracts agree as a rule, and the parties that they name: a contract may well be silent on either."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragharness.questions.asking.statement import Asked

if TYPE_CHECKING:
    from collections.abc import Iterator

TERMS = {
    "notice of termination": (
        Asked("How many days' notice does a termination of the agreement need?", "number", "", "days"),
        r"terminat|cancel|withdraw|rescind|\bend(?:s|ed)?\b",
    ),
    "term": (
        Asked("For how many years do the obligations under the agreement last?", "number", "", "years"),
        r"\byears?\b|\bmonths?\b|perpetu|indefinite|surviv|terminat|expir|\bterm\b|as long as|permanent|forever|at any time|thereafter|\bduring and after|\bduration",
    ),
    "notices": (
        Asked("To what address must notices under the agreement be sent?", "text", ""),
        r"\bnotices?\b|\bnotif|\baddress|e-?mail",
    ),
    "courts": (
        Asked("The courts of which place have jurisdiction over disputes under the agreement?", "text", ""),
        r"\bcourts?\b|jurisdiction|arbitrat|venue|tribunal|forum",
    ),
    "fees of lawyers": (
        Asked("Which party bears the legal fees of a dispute under the agreement?", "text", ""),
        r"attorney|legal (?:fees|costs|expenses)|\bcosts?\b|\bexpenses?\b|indemn|\bfees\b",
    ),
}
"""A question and the pattern of what would answer it, by topic: most contracts have a clause on each."""

OF_PARTIES = {
    "organised": (
        Asked("Under the laws of which state or country is {name} organized?", "text", ""),
        r"corporation|compan(?:y|ies)\b|partnership|organi[sz]|incorporated|registered|existing under|entity",
    ),
    "address": (
        Asked("At what address does {name} have its principal office?", "text", ""),
        r"\boffice|\baddress|located|street|\broad\b|avenue|\bsuite\b|place of business|\bat \d|\b\d{5}\b|boulevard|\bplaza\b|\bdrive\b|(?-i:\b\d+[A-Za-z]? [A-Z][\w.’']+ [A-Z]\w)",
    ),
}
"""The same of a party, with what stands near its name where the contract says so."""

_PARTY = re.compile(
    r"\b(?P<name>(?:[A-Z][\w&’'-]*\s+){1,4}(?:Inc|LLC|Ltd|Limited|Corp|Corporation|L\.L\.C|L\.P|LLP)\b)"
)
_HEAD = 3000
"""Characters of a contract in which it names its parties."""
_MOST = 2


def parties(text: str) -> Iterator[str]:
    """Yield the first parties that the head of a contract names by their whole names."""
    names = (" ".join(each["name"].split()) for each in _PARTY.finditer(text[:_HEAD]))
    whole = (
        each
        for each in names
        if each.split()[0].lower() not in {"the", "this", "between", "and", "proprietary", "private", "pty"}
    )
    yield from list(dict.fromkeys(whole))[:_MOST]
