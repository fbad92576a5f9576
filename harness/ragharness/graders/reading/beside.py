"""Whether a value beside a decline is offered as the answer or belongs to something else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragharness.graders.reading.attributes import NEUTRAL
from ragharness.graders.reading.silence import verdicts
from ragharness.language import acts
from ragharness.language.dates import MONTHS
from ragharness.language.patterns import regex
from ragharness.language.sentences import clauses
from ragharness.language.words import content, generic_concepts, raw_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.graders.reading.answer import AnswerSentence
    from ragharness.graders.reading.candidate import Candidate
    from ragharness.graders.reading.profile import Profile

_GUESS = regex(
    r"\b(?:probably|likely|presumably|perhaps|possibly|maybe|assum\w+|guess|suspect|believe|think|would\s+be|should\s+be|may\s+be|might\s+be|could\s+be|suggests?|implies|impl(?:y|ied)|probablemente|seguramente|quiz[aá]s?|creo|supongo|vermutlich|wahrscheinlich|vielleicht|wohl|ich\s+glaube|probablement|sans\s+doute|peut-[eê]tre|je\s+(?:crois|pense|suppose))\b",
    re.IGNORECASE,
)
IT_IS = regex(
    r"^\W*(?:it|this|that|he|she|they)(?:['’]s|\s+(?:is|was|are|were|would\s+be|will\s+be|may\s+be|might\s+be|could\s+be))\s",
    re.IGNORECASE,
)
"""A clause that only points back to what was asked."""
_JOINT = regex(r"^\W*(?:but|and|though|although|while|however|only)\W*$", re.IGNORECASE)
_IS_DONE = regex(
    r"\s*(?:ha(?:d|s|ve)\s+been|was|were|is|are|will\s+be)\s+(?:\w+ly\s+)?(?!not\b)(\w+(?:ed|en|nt|id|de|ld)\b)",
    re.IGNORECASE,
)
"""What was done with a value: an attribute of its own ("$612 million had been obligated")."""
_COUNTED = regex(r"\s+[^\W\d_A-Z]{3,}")
_SOURCE = regex(r"\b(?:according\s+to|says?|reports?|reported|states?|per)\b", re.IGNORECASE)
NAME = regex(r"(?<!^)(?<![.!?]\s)\b[A-ZÀ-Ý][\w'’.-]+")


def is_guess(clause: str) -> bool:
    """Say whether a clause calls itself a guess, or outside knowledge."""
    return _GUESS.search(clause) is not None or acts.is_outside_knowledge(clause)


def speaks_of_another(text: str, candidate: Candidate, profile: Profile) -> bool:
    """Say whether the clause of a value beside a decline has a subject of its own, and guesses nothing."""
    low, high = _around(text, candidate)
    clause = text[low:high]
    if is_guess(clause) or IT_IS.match(clause):
        return False
    if not text[low : candidate.start].strip(" \"'(:;,–—-") or _JOINT.match(text[low : candidate.start]):
        done = _IS_DONE.match(text, candidate.end, high)
        return done is not None and not frozenset(content(done[1])) & (
            profile.words | profile.kindred | generic_concepts() | NEUTRAL
        )
    subject = frozenset(content(text[low : candidate.start])) - generic_concepts()
    return bool(subject) and not subject & (profile.words | profile.kindred)


def is_anothers(text: str, candidate: Candidate, profile: Profile) -> bool:
    """Say whether the clause of a value beside a decline names another party than those asked about."""
    low, high = _around(text, candidate)
    clause = text[low:high]
    if is_guess(clause) or _SOURCE.search(clause):
        return False
    around = text[low : candidate.start] + " " + text[candidate.end : high]
    names = {found[0] for found in NAME.finditer(around) if not found[0].isupper()}
    folded = {name.casefold().rstrip(".'’").removesuffix("'s").removesuffix("’s") for name in names}
    folded -= frozenset(MONTHS)
    known = profile.names | profile.words
    others = {name for name in folded if name not in known and not frozenset(content(name)) & known}
    return bool(profile.names & _folded_words(around)) and bool(others) and not profile.names <= folded


def _folded_words(text: str) -> frozenset[str]:
    return frozenset(word.removesuffix("'s").removesuffix("’s") for word in raw_words(text))


def declined_words(parts: Sequence[AnswerSentence], profile: Profile) -> frozenset[str]:
    """Return the words of the attribute asked about that an answer's declines name."""
    return frozenset(
        word
        for part in parts
        if part.decline is not None
        for clause, verdict in verdicts(part.text, profile)
        if verdict in ("about", "near")
        for word in content(clause)
        if word in profile.focus
    )


def is_wider(text: str, candidate: Candidate, profile: Profile, left_out: frozenset[str]) -> bool:
    """Say whether a value is of something wider than was declined ("It lists 1,045 stores in total")."""
    low, high = _around(text, candidate)
    clause = text[low:high]
    if is_guess(clause) or IT_IS.match(clause):
        return False
    here = frozenset(content(clause))
    named = here & profile.focus
    if candidate.loose and _COUNTED.match(text, candidate.end):
        # A number of things where a percentage or an amount is asked for.
        return True
    return bool(named) and named < left_out and not here & (left_out - named)


def _around(text: str, candidate: Candidate) -> tuple[int, int]:
    """Return where the clause of a value begins and ends."""
    found = (span for span in clauses(text) if span[0] <= candidate.start < span[1])
    return next(found, (0, len(text)))
