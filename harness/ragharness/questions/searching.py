"""Case-insensitive pattern search, equivalent to ``re.IGNORECASE`` but faster."""

from __future__ import annotations

import re
from functools import lru_cache

_DEPENDS_ON_CASE = re.compile(r"\\[A-Z]|\(\?|\[[^\]]*[A-Z]")
"""What means something else in a pattern that is put into lower case: classes, ranges, groups with a flag."""

_FOLDED = frozenset("\u0130\u0131\u017f")
"""Letters that ``re.IGNORECASE`` takes for an i or an s although lower case leaves them as they are."""


class Searched:
    """A text that many patterns are looked for in; its lower case is made once."""

    def __init__(self, text: str) -> None:
        self._text = text
        lower = text.lower()
        self._lower = None if len(lower) != len(text) or _FOLDED & frozenset(text) else lower

    def holds(self, pattern: str) -> bool:
        """Whether a case-insensitive regular expression matches somewhere; raises re.error for none."""
        plain, quick = _compiled(pattern)
        if quick is not None and self._lower is not None:
            return quick.search(self._lower) is not None
        return plain.search(self._text) is not None

    def count(self, pattern: str) -> int:
        """Return how often it matches; raises re.error for no regular expression."""
        plain, quick = _compiled(pattern)
        if quick is not None and self._lower is not None:
            return sum(1 for _ in quick.finditer(self._lower))
        return sum(1 for _ in plain.finditer(self._text))


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> tuple[re.Pattern[str], re.Pattern[str] | None]:
    """Return the pattern for any text, and for one in lower case where that is the same."""
    quick = pattern.isascii() and not _DEPENDS_ON_CASE.search(pattern)
    return re.compile(pattern, re.IGNORECASE), re.compile(pattern.lower()) if quick else None
