"""Sentences that answer a yes/no question in its own words."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from ragharness.language.modality import find_cues, negations
from ragharness.language.words import content, raw_words

if TYPE_CHECKING:
    from ragharness.graders.reading.profile import Profile

LEAST = 3
"""Content words that a sentence must share with the question to repeat it."""
_DENYING = frozenset(("not", "no", "never", "be", "been", "being"))


@lru_cache(maxsize=4096)
def echoed(text: str, profile: Profile) -> Literal["yes", "no"] | None:
    """Return what a sentence answers that repeats the question, plainly or with one more negation."""
    said, asked = frozenset(content(text)), frozenset(content(profile.question))
    if len(said) < LEAST or not said <= asked or len(said & profile.focus) * 2 < len(profile.focus):
        return None
    if _cue_words(text) != _cue_words(profile.question):
        # "It may not" does not repeat "Is it prohibited?".
        return None
    denials = len(negations(text)) - len(negations(profile.question))
    return "yes" if denials == 0 else "no" if denials == 1 else None


def _cue_words(text: str) -> frozenset[str]:
    """The words that allow, forbid or require."""
    return frozenset(
        word
        for cue in find_cues(text)
        for word in raw_words(text[cue.start : cue.end].replace("n't", " ").replace("n’t", " "))
        if word not in _DENYING
    )
