"""What a sentence does when it neither answers nor declines; the phrases stand in a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.language.declines import holds
from ragharness.language.words import remembered

if TYPE_CHECKING:
    from collections.abc import Callable


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
