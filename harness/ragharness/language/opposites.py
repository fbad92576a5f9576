# ruff: noqa: E501 (a pattern reads better with one group of alternatives a line)
"""Verbs that are each other's contrary: who must return may not retain, who must conceal may not disclose."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragharness.language.patterns import regex
from ragharness.language.words import content

if TYPE_CHECKING:
    from ragharness.language.modality import Modality
    from ragharness.language.propositions import Frame

_KEPT_SECRET = regex(
    r"\b(?:keep|keeps|kept|keeping|hold|holds|held|holding|treat|treats|treated|maintain|maintains|maintained|preserve|preserves|preserved|remain|remains)\s+(?:[\w’'-]+\s+){0,6}?(?:as\s+)?(?:secret|confidential(?!\s+(?:information|material|matter|data))|in\s+(?:\w+\s+)?confidence|to\s+(?:itself|themselves))\b"
    r"|\b(?:maintain|maintains|preserve|preserves|protect|protects)\s+the\s+(?:confidentiality|secrecy)\s+of\b",
    re.IGNORECASE,
)
_PHRASES = (
    (regex(r"\b(?:hand|give|send|turn|bring|deliver)(?:ed|s|ing|en|n)?\s+(?:(?:it|them|everything|all)\s+)?(?:back|over)\b|\b(?:gave|sent|brought)\s+back\b", re.IGNORECASE), "return"),
    (regex(r"\bpart(?:s|ed|ing)?\s+with\b", re.IGNORECASE), "return"),
    (regex(r"\blet(?:s|ting)?\s+(?:the\s+)?(?:[\w’'-]+\s+){1,4}?know\b", re.IGNORECASE), "notify"),
    (regex(r"\b(?:hold|holds|holding|held|hang|hangs)\s+on\s*to\b", re.IGNORECASE), "retain"),
    (regex(r"\b(?:make|makes|making|made)\s+(?:[\w’'-]+\s+){0,5}?(?:known|public)\b", re.IGNORECASE), "disclose"),
    (regex(r"\b(?:remains?|stays?|continues?)\s+(?:\w+\s+){0,2}?(?:force|effect|binding|effective|bound|applicable)\b|\bgo(?:es)?\s+on\b|\blives?\s+on\b|\blasts?\s+(?:for|until|beyond|longer)\b", re.IGNORECASE), "survive"),
)  # fmt: skip
_OPPOSITES = {"return": "retain", "retain": "return", "disclose": "conceal", "conceal": "disclose"}
_DUAL: dict[Modality, Modality] = {
    "permit": "optional",
    "optional": "permit",
    "forbid": "require",
    "require": "forbid",
    "fact": "not_fact",
    "not_fact": "fact",
}
_ONLY_SOME = regex(r"\b(?:cop(?:y|ies)|archiv\w*|back-?ups?|some|certain|required\s+by)\b", re.IGNORECASE)


def plain_verbs(text: str) -> str:
    """Return a text with "keep ... secret", "hand back", "let ... know" and the like made one verb."""
    for pattern, verb in _PHRASES:
        text = pattern.sub(verb, text)
    return _KEPT_SECRET.sub(lambda found: f"{_between(found.group())} conceal ", text)


def _between(words: str) -> str:
    return " ".join(words.split()[1:-1])


def mirrored(said: Frame, clause: str) -> Frame | None:
    """Return a proposition said with the contrary verb, when a clause uses that one and not its own."""
    concepts = frozenset(content(clause))
    if said.predicates & concepts:
        return None
    facing = frozenset(_OPPOSITES[each] for each in said.predicates if each in _OPPOSITES) & concepts
    if not facing or ("retain" in facing and _ONLY_SOME.search(clause)):
        return None
    if not facing <= {"return", "retain"} and said.objects and not said.objects & concepts:
        return None
    return said._replace(predicates=facing, modality=_DUAL[said.modality], objects=said.objects - facing)
