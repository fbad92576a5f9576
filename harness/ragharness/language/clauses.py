# ruff: noqa: E501 (a pattern reads better with one group of alternatives a line)
"""Clauses of a sentence: what stands between semicolons, "but", "so", "while" and the like."""

from __future__ import annotations

import re

from ragharness.language.patterns import regex
from ragharness.language.words import remembered

_BOUNDARY = regex(
    r"""
      ;\s+ | :\s+ | (?<!\b[a-z])(?<!\b(?:Mr|Ms|Dr|St|Co|Sr|Jr|Lt|ca|vs))(?<!\b(?:Inc|Ltd|Mio|Mrd|Tsd|Mrs|bzw|Ing|Gen|Sen|Rep|Hon|Rev|Col|Maj))(?<!\b(?:Corp|Prof|Dipl|Capt))[.!?]\s+ | \n+ | \s+[—–]\s*|\s+--?\s+|—
    | ,?\s+\b(?:but(?!\s+(?:found|saw|came\s+up)\b)|however|whereas|while|although|though|even\s+though|yet|nevertheless|nonetheless|pero|sin\s+embargo|aunque|aber|jedoch|w[aä]hrend|obwohl|allerdings|mais|cependant|toutefois|tandis\s+que|bien\s+que)\b,?\s+
    | ,\s+(?:and\s+)?(?:so|therefore|thus|hence|consequently|meaning|which\s+means|as\s+such|por\s+lo\s+tanto|por\s+tanto|as[ií]\s+que|daher|deshalb|also|donc)\b(?:\s+that)?,?\s+
    | ,\s+(?:and|y|und|et)\s+(?=(?:the|it|its|they|there|this|that|i|we|no|none|nothing|el|la|los|die|der|das|es|le|les|il|elle)\b)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SUBORDINATE = regex(
    r"^\W*(?:while|although|though|even\s+though|even\s+if|despite|whereas|since|because|as|if|given\s+that|in\s+spite\s+of|aunque|obwohl|w[aä]hrend|bien\s+que)\b[^,;]{3,200},\s+",
    re.IGNORECASE,
)


_LABEL_END = regex(r"\s*(?::|[—–-])")
_STATES = regex(r"\b(?:is|was|are|were|has|had|did|does|do|no|not|never)\b|n['’]t\b", re.IGNORECASE)
_YEAR_ENDS = regex(r"(?<!\bin )(?<!\bof )\b(?:19|20)\d\d$")
_YES_NO = regex(r"\W*(?:yes|no|s[ií]|ja|nein|oui|non|it|this|that|they|so|not)\b", re.IGNORECASE)


@remembered
def clauses(text: str) -> tuple[tuple[int, int], ...]:
    """Return (start, end) of the clauses of a text in order; together they hold all of it but the joints."""
    found: list[tuple[int, int]] = []
    start = 0
    for boundary in _BOUNDARY.finditer(text):
        if _LABEL_END.match(boundary.group()) and _is_label(text, start, boundary.start()):
            # "CEO: ..." and "2018 - ..." name what follows.
            continue
        _add(found, text, start, boundary.start())
        start = boundary.end()
    _add(found, text, start, len(text))
    return tuple(found)


def _is_label(text: str, start: int, end: int) -> bool:
    """Say whether what stands before a colon or dash names what follows it."""
    if _YEAR_ENDS.search(text, max(start, end - 12), end):
        return True
    low = max(start, text.rfind("(", start, end))
    short = len(text[low:end].split()) <= 4
    return short and not _YES_NO.match(text[start:]) and not _STATES.search(text, start, end)


def _add(found: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    if not text[start:end].strip():
        return
    lead = _SUBORDINATE.match(text[start:end])
    if lead and lead.end() < end - start:
        found.append((start, start + lead.end()))
        start += lead.end()
    found.append((start, end))
