"""What a sentence does: it declines, or it neither answers nor declines; the phrases stand in tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from ragharness.language.tables import holds, pattern
from ragharness.language.words import remembered

if TYPE_CHECKING:
    from collections.abc import Callable

Family = Literal["inability", "absence", "missing_input", "silence"]
"""The speaker cannot; there is nothing to answer from; the speaker needs more; the documents do not say."""


class Decline(NamedTuple):
    """Where a text declines or says that something is not addressed (offsets into that text)."""

    start: int
    end: int
    kind: Family


@remembered
def find_decline(text: str) -> Decline | None:
    """Return the first decline or statement of silence in a clause, or None."""
    if not holds("declines", "signs", text):
        return None
    for family in get_args(Family):
        for found in pattern("declines", family).finditer(text):
            start, end = found.span()
            if not (_is_excused(text, start, end) or _anothers_lack(text, start)):
                return Decline(start, end, family)
    return None


def _is_excused(text: str, start: int, end: int) -> bool:
    """Say whether what looks like a decline belongs to a phrase that is none."""
    return any(
        start < found.end() and found.start() < end
        for key in ("excused", "disclaimer")
        for found in pattern("declines", key).finditer(text)
    )


def _anothers_lack(text: str, start: int) -> bool:
    """Say whether what is missing is missing to somebody else than the speaker and the documents."""
    found = pattern("declines", "had").search(text, 0, start + 8)
    return (
        found is not None
        and found.end() >= start
        and not pattern("declines", "speaker").search(text, 0, found.start())
    )


def _holding(*entries: str) -> Callable[[str], bool]:
    """Return the test whether a text holds a phrase of each of these entries."""

    def holding(text: str) -> bool:
        return all(holds("acts", entry, text) for entry in entries)

    return remembered(holding)


# What each says is told above its entry in the table.
is_pointer = _holding("pointer")
is_mere_pointer = _holding("pointer", "apart")
is_about_the_others = _holding("pointer", "others")
is_attribution = _holding("attribution")
is_advice = _holding("advice")
is_greeting = _holding("greeting")
is_introduction = _holding("introduction")
is_urgent = _holding("urgency")
is_outside_knowledge = _holding("outside")
is_undecided = _holding("undecided")
corrects_premise = _holding("premise")
asks_back = _holding("asks_back")
