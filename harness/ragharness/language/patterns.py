"""Regular expressions that are compiled at their first use: all of them would take 0.2 s of every start."""

from __future__ import annotations

import re
from typing import Any, cast

_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split")


def regex(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return what acts as ``re.compile(source, flags)``; a mistake in it shows at its first use."""
    return cast("re.Pattern[str]", _Late(source, flags))


class _Late:
    def __init__(self, source: str, flags: int) -> None:
        self._compiled_from = source, flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(*self._compiled_from)
        # They are found before this method is: later calls cost what those of the pattern itself cost.
        vars(self).update({method: getattr(compiled, method) for method in _METHODS})
        return getattr(compiled, name)
