"""Which modality a clause gives to an action: permitted, forbidden, required, not required, so, or not so."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from ragharness.language.tables import WHOLE, pattern, phrases, regex, table, words_of
from ragharness.language.words import remembered

if TYPE_CHECKING:
    from collections.abc import Sequence

Modality = Literal["permit", "forbid", "require", "optional", "fact", "not_fact"]
Polarity = Literal["affirms", "denies", "silent", "unclear"]

_JOINED = regex(r"(?:,|\b(?:and|or|nor))(?:\s+[\w'’]+){0,2}$", re.IGNORECASE)
_BRIDGE = regex(r"\s*(?:be|been|that|it|they|\w+ly|\s)*\s*", re.IGNORECASE)
_MODAL = regex(r"may|can|could|might|must|shall|should|will", re.IGNORECASE)
_WORD = regex(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_CONTRARY: dict[Modality, Modality] = {"permit": "forbid", "require": "optional", "fact": "not_fact"}
NEGATED = _CONTRARY | {other: one for one, other in _CONTRARY.items()}
_MEANS: dict[Modality, dict[Polarity, str]] = {
    "permit": {"affirms": "permit require fact", "denies": "forbid not_fact"},
    "forbid": {"affirms": "forbid not_fact", "denies": "permit require fact optional"},
    "require": {"affirms": "require fact", "denies": "optional forbid not_fact"},
    "optional": {"affirms": "optional permit not_fact", "denies": "require"},
    "fact": {"affirms": "fact require permit", "denies": "not_fact forbid optional"},
    "not_fact": {"affirms": "not_fact forbid optional", "denies": "fact require permit"},
}
"""Of each thing that can be said: which statements affirm it and which deny it."""


class Cue(NamedTuple):
    """A word that sets a modality, with the negation around it resolved."""

    start: int
    end: int
    modality: Modality


def verdict(stated: Modality, wanted: Modality) -> Polarity:
    """Return what a stated modality makes of a statement with another one: a permission denies a ban."""
    for polarity, modalities in _MEANS[wanted].items():
        if stated in modalities.split():
            return polarity
    return "unclear"


@remembered
def negations(text: str) -> tuple[re.Match[str], ...]:
    """Return the negating words of a text, idioms such as "not only" left out."""
    idioms = [found.span() for found in pattern("modality", "denies_nothing", WHOLE).finditer(text)]
    return tuple(
        found
        for found in pattern("modality", "negators", r"\b{}\b|n['’]t\b").finditer(text)
        if not any(start <= found.start() < end for start, end in idioms)
    )


def is_negated(text: str, nots: Sequence[re.Match[str]] | None = None) -> bool:
    """Return whether a clause is negated: two negations cancel out unless something joins them."""
    nots = negations(text) if nots is None else nots
    apart = sum(not _JOINED.search(text, one.end(), other.end()) for one, other in pairwise(nots))
    return bool(nots) and apart % 2 == 0


@remembered
def find_cues(text: str) -> tuple[Cue, ...]:
    """Return the modality cues of a clause in order, each with the negations before it resolved."""
    cues: list[Cue] = []
    nots = negations(text)
    start = 0
    lowered = text.lower().replace("’", "'")
    for found in _cue_pattern().finditer(lowered if len(lowered) == len(text) else text):
        kind = found.lastgroup or ""
        modality: Modality = "forbid" if kind in ("may_not", "not_among") else cast("Modality", kind)
        if is_negated(text, [each for each in nots if start <= each.start() < found.start()]):
            modality = "forbid" if _MODAL.fullmatch(found.group()) else NEGATED[modality]
        outer = cues[-1] if cues and _BRIDGE.fullmatch(text, cues[-1].end, found.start()) else None
        if outer and outer.modality in ("forbid", "optional"):
            # "shall not be required to", "does not require that it must": the outer negation governs.
            modality = NEGATED[modality]
        cues.append(Cue(found.start(), found.end(), modality))
        start = found.end()
    return tuple(cues)


def negated(text: str, start: int) -> bool:
    """Return whether a negation in the four words before ``start`` denies it; "not more than" does not."""
    before = text[max(0, start - 80) : start].lower().replace("’", "'")
    own = pattern("modality", "clause_starts", r"[;:!?\n,]|\.(?=\s)|\b{}\b").split(before)[-1]
    words = _WORD.findall(own)[-4:]
    nots, states_anyway = words_of("modality", "of_values"), words_of("modality", "states_anyway")
    return any(
        (word in nots or word.endswith("n't")) and states_anyway.isdisjoint(words[place + 1 :])
        for place, word in enumerate(words)
    )


@lru_cache(maxsize=1)
def _cue_pattern() -> re.Pattern[str]:
    """For lower-case text: matching case for case is three times faster."""
    kinds = (rf"(?P<{kind}>\b{phrases('modality', f'cues.{kind}')}\b)" for kind in table("modality")["cues"])
    return re.compile("|".join(kinds))
