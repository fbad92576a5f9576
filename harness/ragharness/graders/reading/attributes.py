# ruff: noqa: E501 (a pattern reads better with one group of alternatives a line)
"""Whether the words that introduce a value name the attribute that was asked about."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from ragharness.language.patterns import regex
from ragharness.language.words import content, generic_concepts

if TYPE_CHECKING:
    from ragharness.graders.reading.profile import Profile

Slot = Literal["in", "weak", "stray", "out"]
"""``in``: asserted in the slot; ``weak``: nothing speaks against it; ``stray``: another attribute, it seems;
``out``: a comparison, another entity or another period."""
_PART_OF = regex(r"\b([a-z]+)\s+of\s+(?:the\s+|its\s+|their\s+)?(?:[a-z]+\s+)?([a-z]+)", re.IGNORECASE)
_JOINED = regex(r"\b(\w{2,})\s+(?:and|&)\s+(\w{2,})")
_INITIALS = regex(r"\b([A-Z])&([A-Z])\b")
NEUTRAL = frozenset(
    content(
        "is was be amount about approximately roughly around exactly total figure value reported according passage passages based year years month months day "
        "days period provided stated states state shows show says say million billion thousand percent usd dollars us yes answer found given specified listed "
        "document indicate indicates indicated confirmed set note short also initial full table row first only namely specifically explicitly equal equals "
        "auf im bei nach aus war waren wurde wurden betrug betragen beträgt belief lag liegt sich stieg sank gestiegen gesunken rund etwa "
        "fue era ascendió asciende été était élève élevé environ aproximadamente millones millions millionen mio mrd milliarden euro euros eur "
        "vermutlich wahrscheinlich ungefähr probablemente aproximadamente unos probablement "
        "mean means correspond corresponds stand stands come comes certain following last lasts run runs "
        "probably likely presumably possibly typically usually generally normally commonly guess believe think suspect assume suppose estimate recall "
        "general knowledge background best standard common practice industry market"
    )
)
_NOTICE = frozenset(content("notice"))
"""A generic word ("information" has the same stem), but a notice has its own period."""


def attribute(region: str, clause: str, profile: Profile, *, first: bool, alone: bool, context: str) -> Slot:
    """Compare the words that introduce a value with those of the question."""
    words = frozenset(content(region)) - (generic_concepts() - _NOTICE) - NEUTRAL
    words = frozenset(word for word in words if not word.isdigit())
    whole = frozenset(content(clause)) | frozenset(content(context))
    relevant = profile.focus | profile.kindred
    named = frozenset(concept for name in profile.names for concept in content(name))
    relevant |= profile.acronyms
    shared = words & relevant
    strange = words - relevant - named - profile.words
    if not words:
        return "in" if first else "weak"
    if _is_part(region, strange, profile):
        return "stray"
    opening = next((word for word in content(region) if word in words), "")
    if opening in strange and not shared & profile.focus and not shared & profile.acronyms:
        labelled = region.rstrip().endswith((":", "|", "–"))
        return "stray" if len(words) > 1 or not first or labelled else "weak"
    # The words of a name ("the Appropriations Act, 2021, was enacted") tell no other attribute.
    foreign = strange & frozenset(content(" ".join(word for word in region.split() if word[:1].islower())))
    if shared and (
        len(shared) >= len(foreign if shared & profile.focus else strange)
        or (profile.focus and profile.focus <= words)
    ):
        return "in"
    if not strange:
        return "in" if words & named or shared else "weak"
    if alone and len(whole & profile.focus) * 2 >= max(1, len(profile.focus)):
        return "in"
    if len(strange) == 1 and not shared:
        return "weak" if first and not region.rstrip().endswith((":", "|", "–")) else "stray"
    return "stray"


def spelled_out(region: str, profile: Profile) -> str:
    """Return a label with the question's own words for their initials ("G&A"); other initials stay one strange word."""
    if "&" not in region:
        return region
    known = {
        f"{found[1][0]}{found[2][0]}".casefold(): f"{found[1]} and {found[2]}"
        for found in _JOINED.finditer(profile.question)
    }
    return _INITIALS.sub(
        lambda found: known.get((found[1] + found[2]).casefold(), f"{found[1]}and{found[2]}"), region
    )


def fit_of(region: str, profile: Profile) -> tuple[frozenset[str], bool]:
    """Return the words of the attribute asked about in what introduces a value, and whether it has others besides."""
    words = frozenset(content(region))
    other = words - generic_concepts() - NEUTRAL - profile.words - profile.kindred - profile.acronyms
    return words & profile.focus, any(not word.isdigit() for word in other)


def _is_part(region: str, strange: frozenset[str], profile: Profile) -> bool:
    """Say whether a value is that of a part or an aspect of what was asked ("cost of revenue")."""
    for found in _PART_OF.finditer(region):
        head, whole = content(found[1]), content(found[0])
        if head and head[0] in strange and frozenset(whole[1:]) & profile.focus:
            return True
    return False
