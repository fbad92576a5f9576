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


is_pointer = _holding("pointer")
"""It names what the passages do hold."""
is_mere_pointer = _holding("pointer", "apart")
"""Say whether a pointer sets itself apart from an answer ("they only mention", "the closest passage")."""
is_about_the_others = _holding("pointer", "others")
"""It says what the passages beside the answer are about."""
is_attribution = _holding("attribution")
"""It only says where the one before it is stated ("This is set out in clause 4")."""
is_advice = _holding("advice")
"""It offers a next step."""
is_greeting = _holding("greeting")
"""It is only a courtesy."""
is_introduction = _holding("introduction")
"""It only leads to what follows, or restates that something was asked."""
is_urgent = _holding("urgency")
"""It presses the reader."""
is_outside_knowledge = _holding("outside")
"""It rests on something else than the passages by its own words."""
corrects_premise = _holding("premise")
"""It denies what a question takes for granted."""
asks_back = _holding("asks_back")
"""It asks what the question means."""
is_undecided = _holding("undecided")
"""It neither affirms nor denies ("Partly", "It depends")."""
