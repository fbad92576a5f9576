"""Regular expressions that are compiled at their first use: a run needs some of hundreds.

Compiling all of them takes 0.2 s, which every start of the program would wait for.
"""

from __future__ import annotations

import re
from threading import Lock
from typing import Any, cast

_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split")
_COMPILING = Lock()


def regex(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return what acts as ``re.compile(source, flags)``; a mistake in it shows at its first use."""
    return cast("re.Pattern[str]", _Late(source, flags))


class _Late:
    """Takes over the compiled pattern's methods at its first use."""

    def __init__(self, source: str, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        # One at a time: threads that start together would all compile the same patterns.
        with _COMPILING:
            if name in vars(self):
                return vars(self)[name]
            compiled = re.compile(self._source, self._flags)
            # They are found before this method is: later calls cost what those of the pattern itself cost.
            vars(self).update({method: getattr(compiled, method) for method in _METHODS})
        return getattr(compiled, name)
