# ruff: noqa: E501 (a table of words reads better with one group a line)
"""What reading an answer needs to know of its question."""

from __future__ import annotations

import itertools
import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ragharness.language.dates import find_dates
from ragharness.language.patterns import regex
from ragharness.language.propositions import frame
from ragharness.language.words import STOPWORDS, content, generic_concepts, raw_words

if TYPE_CHECKING:
    from ragharness.records import Question

_TYPES = (
    (regex(r"\bhow\s+long\b|\bperiod\b|\bduration\b|\bterm\b", re.IGNORECASE),
     "term duration period length long last lasts lasting run runs running valid validity effect effective force remain remains continue expire expires years months days span time timeframe"),
    (regex(r"\bwhen\b|\bdate\b|\bwhat\s+(?:day|month|year)\b|\bwhich\s+(?:day|month|year)\b|\byear\b", re.IGNORECASE),
     "date day month year time on since dated"),
    (regex(r"\bhow\s+(?:much|many|large|big|high)\b|\bamount\b|\bnumber\b|\bwhat\s+(?:was|were|is|are)\b[^?]*\b(?:rate|sales|revenue|income|cost|expense)", re.IGNORECASE),
     "amount total number value sum figure count come came amounted stood reached totaled totalled"),
    (regex(r"\bwho\b|\bwhom\b|\bwhich\s+(?:company|person|party|office|agency)", re.IGNORECASE), "name person party called"),
    (regex(r"\bwhere\b|\bwhich\s+(?:state|country|city|court)", re.IGNORECASE), "place location located address"),
    (regex(r"\b(?:law|laws|jurisdiction)\b", re.IGNORECASE), "govern governed governing law laws jurisdiction subject"),
)  # fmt: skip
_NAME = regex(r"(?<![.!?]\s)(?<!^)\b[A-ZÀ-Ý][\w&'’.-]*")
_PERIOD_ENDED = regex(
    r"\b(?:fiscal|financial|business|calendar)?\s*(?:years?|quarters?|months|period)\s+(?:that\s+)?(?:end(?:ed|ing|s)?|to)\s+(?:on\s+)?(?=[A-Z]\w+\s+\d|\d)",
    re.IGNORECASE,
)
"""The period asked about, which is no part of the attribute ("for the fiscal year ended June 30, 2024")."""
_COMMON_CAPITALS = frozenset(
    [
        "agreement",
        "confidential",
        "information",
        "receiving",
        "party",
        "disclosing",
        "recipient",
        "discloser",
        "effective",
        "date",
        "term",
        "company",
        "parties",
        "purpose",
        "project",
        "act",
    ]
)


_ASKING = frozenset(
    content(
        "wie hoch war waren wann wer wen wem wo welche welcher welches welchen was warum lange viel viele cuál cuáles cuánto cuánta cuándo quién dónde qué fue "
        "cuantos cuantas quel quelle quels quelles combien quand où était est-ce im am zum zur beim geschäftsjahr jahr"
    )
)
"""Words of German, Spanish and French questions that only ask."""


class Profile(NamedTuple):
    """A question's words, sorted by what they do."""

    words: frozenset[str]
    """Concepts of its content words."""
    focus: frozenset[str]
    """Those that name the attribute asked for: no names, no document words, no years."""
    kindred: frozenset[str]
    """Words that the sort of question brings with it ("how long": term, period, ...)."""
    names: frozenset[str]
    """Case-folded capitalised words: the entities it asks about."""
    years: frozenset[int]
    shifted: frozenset[int]
    """Years whose business year ends in their first half: "fiscal 2023" may be the one that ends in January 2024."""
    acronyms: frozenset[str]
    """Initials of the capitalised runs in it ("Chief Executive Officer": ceo)."""
    qualified: frozenset[tuple[str, str]]
    """Neighbouring words of the attribute ("deputy director"): the first narrows the second."""
    question: str
    stated: bool
    """Whether the question carries a proposition of its own."""
    kind: str
    proposition: str
    yes_means: bool
    modality: str


def profile_of(question: Question) -> Profile:
    """Return the profile of a question; cached by its text."""
    return _profile(question.text, question.proposition, question.yes_means, question.kind)


@lru_cache(maxsize=1024)
def _profile(text: str, proposition: str, yes_means: bool, kind: str) -> Profile:
    names = (
        frozenset(
            found.casefold().rstrip(".'’").removesuffix("'s").removesuffix("’s")
            for found in _NAME.findall(text)
        )
        - _COMMON_CAPITALS
    )
    words = frozenset(content(text)) | (frozenset(content(proposition)) if kind == "yesno" else frozenset())
    named = frozenset(concept for name in names for concept in content(name))
    kindred = frozenset(
        concept for pattern, members in _TYPES if pattern.search(text) for concept in content(members)
    )
    numbers = frozenset(word for word in raw_words(text) if word.isdigit())
    if kind in ("text", "list"):
        # "Which office administers ...": the office is the answer, not the attribute.
        named |= frozenset(content(" ".join(re.findall(r"(?i)\bwhich\s+(\w+)\s+(?!of\b)", text))))
    attribute = frozenset(content(_PERIOD_ENDED.sub(" ", text)))
    period = frozenset(content(text)) - attribute
    focus = words - period - named - generic_concepts() - numbers - frozenset(STOPWORDS) - _ASKING
    years = frozenset(date.year for date in find_dates(text) if date.year)
    shifted = frozenset(
        date.year for date in find_dates(text) if date.year and date.month and date.month <= 6
    )
    acronyms = frozenset(
        "".join(word[0] for word in run.split()).casefold()
        for run in re.findall(r"[A-Z][a-z]+(?:\s+[A-Z][a-z]+)+", text)
    )
    stated = proposition or text
    return Profile(
        words,
        focus,
        kindred,
        names,
        years,
        shifted,
        acronyms,
        _qualified(text, focus),
        text,
        bool(proposition),
        kind,
        stated,
        yes_means,
        frame(stated).modality if kind == "yesno" else "",
    )


def _qualified(text: str, focus: frozenset[str]) -> frozenset[tuple[str, str]]:
    ordered = [content(word) for word in raw_words(text)]
    pairs = itertools.pairwise(ordered)
    return frozenset(
        (first[0], last[0])
        for first, last in pairs
        if first and last and first[0] in focus and last[0] in focus
    )
