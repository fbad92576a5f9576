# ruff: noqa: E501 (a table of words reads better with one group a line)
"""Yes or no in Spanish, German and French: who may, must or need not, measured by the question's own verb of duty."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from ragharness.graders.reading.languages import language_of
from ragharness.language.patterns import regex
from ragharness.language.vocabulary import STOPWORDS, raw_words

Duty = Literal["permit", "forbid", "require", "optional", "does", "does_not"]

_WORDS = {
    "es": (
        r"puede\w*|podr[aá]\w*|permit\w+|autoriz\w+|facultad\w*|l[ií]cito|libre\w*",
        r"debe\w*|obligad\w*|obligaci[oó]n|tiene\w*\s+que|requiere\w*|exig\w+|obligatori\w*|necesari\w*|hace\s+falta",
        r"proh[ií]b\w+|vedad\w*|impide\w*",
        r"no|ni|nunca|jam[aá]s|ning[uú]n\w*|tampoco|nada|nadie",
        r"no\s+s[oó]lo|no\s+solamente|no\s+m[aá]s\s+que",
    ),
    "de": (
        r"darf|d[uü]rf\w+|kann|k[oö]nn\w+|erlaub\w+|gestatte\w*|zul[aä]ssig|berechtigt|befugt|steht\s+es\s+frei|m[oö]glich",
        r"muss|mu[sß]|m[uü]ss\w+|verpflicht\w+|pflicht|erforderlich|verlang\w+|notwendig|n[oö]tig|hat\s+(?:[^,.;]{1,80}\s)?zu(?=\s)|haben\s+(?:[^,.;]{1,80}\s)?zu(?=\s)",
        r"verb[oi]\w*t\w*|untersag\w*|unzul[aä]ssig",
        r"nicht|kein\w*|nie|niemals|weder|niemand\w*|keinesfalls|keineswegs",
        r"nicht\s+nur|nicht\s+mehr\s+als|nicht\s+l[aä]nger\s+als",
    ),
    "fr": (
        r"peu(?:t|vent)|pourr\w+|perme\w+|permis\w*|autoris\w+|libres?|licite|loisible",
        r"doi(?:t|vent)|devr\w+|tenue?s?|oblig[eé]\w*|obligation|exig\w+|obligatoire\w*|n[eé]cessaire\w*|(?:a|ont)(?=\s+(?:pas\s+)?[aà]\s)",
        r"interdi\w*|d[eé]fend\w*|proscri\w*",
        r"ne|n(?=['’])|pas|aucun\w*|jamais|rien|nul\w*|non(?!\s+seulement)",
        r"non\s+seulement|ne\s+(?:[\w'’-]+\s+){1,6}que(?!\s+(?:[\w'’-]+\s+){0,8}(?:pas|aucun))",
    ),
}
_SUBORDINATE = regex(
    r"^\s*(?:(?:pero|aber|mais)\s+)?(?:soweit|sofern|wenn|falls|es\s+sei\s+denn|au(?:ß|ss)er|die|der|das|welche\w*|que|quien\w*|cual\w*|si|salvo|siempre|excepto|sauf|lorsqu\w*|[aà]\s+moins|qui|dont|dans\s+la\s+mesure)\b",
    re.IGNORECASE,
)
_FITS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "permit": (frozenset(("permit", "optional")), frozenset(("forbid",))),
    "forbid": (frozenset(("forbid",)), frozenset(("permit",))),
    "require": (frozenset(("require", "does")), frozenset(("optional", "forbid", "does_not"))),
    "optional": (frozenset(("optional", "permit")), frozenset(("require",))),
    "does": (frozenset(("does", "require")), frozenset(("does_not", "optional", "forbid"))),
    "does_not": (frozenset(("does_not", "forbid")), frozenset(("does", "require"))),
}
"""Of each thing asked: what affirms it and what denies it."""

_TURNED: tuple[tuple[Duty, Duty], ...] = (("forbid", "permit"), ("permit", "forbid"), ("require", "optional"))
"""What is left of a duty that is denied."""


class _Patterns(NamedTuple):
    permit: re.Pattern[str]
    require: re.Pattern[str]
    forbid: re.Pattern[str]
    negation: re.Pattern[str]
    emphasis: re.Pattern[str]
    """Negations that deny nothing ("not only")."""


@lru_cache(maxsize=3)
def _patterns(language: str) -> _Patterns:
    return _Patterns(*(re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for words in _WORDS[language]))


def hear_foreign(clause: str, question: str, language: str, modality: str) -> tuple[bool, bool] | None:
    """Return whether a clause affirms what a question asks, and whether it names what is asked; None: it says nothing of it.

    ``modality`` is that of the proposition behind the question where both are English, so that no words can be shared.
    """
    if language not in _WORDS:
        return None
    in_english = language_of(question) == "en"
    shared = 1 if in_english else len(_stems(clause) & _stems(question))
    said = _duty(clause, language)
    if not shared and len(raw_words(clause)) > 6:
        return None
    asked = modality.replace("fact", "does") if in_english else _duty(question, language)
    affirming, denying = _FITS.get(asked, _FITS["does"])
    if said in ("does", "does_not") and shared < 2:
        return None
    if said in affirming:
        return True, shared >= 2
    if said in denying:
        return False, shared >= 2
    return None


@lru_cache(maxsize=1024)
def _duty(text: str, language: str) -> Duty:
    """What a clause says: the duty in its main part, turned round by a negation beside it."""
    patterns = _patterns(language)
    first, *others = text.split(",")
    pieces = [first, *(piece for piece in others if not _SUBORDINATE.match(piece))]
    for kind, denied in _TURNED:
        for piece in pieces:
            if getattr(patterns, kind).search(piece):
                return denied if _denied(piece, patterns) else kind
    return "does_not" if any(_denied(piece, patterns) for piece in pieces) else "does"


def _denied(piece: str, patterns: _Patterns) -> bool:
    return patterns.negation.search(patterns.emphasis.sub(" ", piece)) is not None


def _stems(text: str) -> frozenset[str]:
    """The first five letters of the words that say something."""
    return frozenset(word[:5] for word in raw_words(text) if len(word) > 3 and word not in STOPWORDS)
