"""Whether a decline is about the question that was asked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from ragharness.language.declines import DECLINE_WORDS, find_decline
from ragharness.language.vocabulary import concept, content, generic_concepts

if TYPE_CHECKING:
    from ragharness.graders.reading.profile import Profile

_EMPTY = frozenset(concept(word) for word in DECLINE_WORDS)
_HEDGED_SEARCH = re.compile(r"\b(?:explicit|exact|specific|direct|express|precise|definitive|definite|single|clear)\w*\b", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"\b(?:i|we|ich|wir|je|nous)\b", re.IGNORECASE)


def speaks_of_question(clause: str, profile: Profile) -> Literal["about", "other"] | None:
    """Say whether a clause declines the question asked ("about") or something else; None: it is no decline."""
    decline = find_decline(clause)
    if decline is None:
        return None
    words = frozenset(content(clause)) - _EMPTY - generic_concepts()
    if not words:
        return "about"
    known = profile.words | profile.kindred
    shared = words & known
    if len(shared) * 5 >= len(words) * 2:
        return "about"
    if decline.kind == "inability" and _FIRST_PERSON.search(clause) and _HEDGED_SEARCH.search(clause):
        return "about"
    return "other"
