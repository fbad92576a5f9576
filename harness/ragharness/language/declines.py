"""Declines: "I could not find", "there is no information", "the passages do not say"; a table of phrases."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple, cast, get_args

from ragharness.language.tables import any_of, table
from ragharness.language.words import remembered

Family = Literal["inability", "absence", "missing_input", "silence"]
"""The speaker cannot; there is nothing to answer from; the speaker needs more; the documents do not say."""


class Decline(NamedTuple):
    """Where a text declines or says that something is not addressed (offsets into that text)."""

    start: int
    end: int
    kind: Family


@lru_cache(maxsize=64)
def pattern(family: str, entry: str) -> re.Pattern[str]:
    """Return one entry of a table as a pattern; ``{name}`` in a phrase stands for another entry."""
    return re.compile(_spelled(family, entry), re.IGNORECASE)


def _spelled(family: str, entry: str) -> str:
    listed = table(family)[entry]
    joined = any_of([listed] if isinstance(listed, str) else cast("list[str]", listed))
    joined = joined.replace("’", "['’]")
    return re.sub(r"\{([a-z_]+)\}", lambda found: _spelled(family, found[1]), joined)


def holds(family: str, entry: str, text: str) -> bool:
    """Say whether a text holds a phrase of one entry of a table."""
    return pattern(family, entry).search(text) is not None


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
