"""Folded text: letters and digits without layout, case or accents, with the offset of each.

Line breaks, hyphens at line ends, typographic quotes and ligatures, accents in either Unicode form, and the
stars and bars of Markdown leave no trace, so that a text can be found again however it was wrapped.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy import int32
    from numpy.typing import NDArray

SHARE = 0.5
"""The share of a text's folded characters that must be found; the rest is a heading, a summary, a footer."""

_OTHERS = re.compile(r"[\W_]+")


def fold(text: str) -> str:
    """Return the folded letters and digits of a text."""
    return _OTHERS.sub("", text).lower() if text.isascii() else text.translate(_FOLDING)


def fold_with_places(text: str) -> tuple[str, NDArray[int32]]:
    """Return the folded text and the offset of the character that each one comes from."""
    import numpy as np

    letters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    used = sorted(map(ord, set(text)))
    lengths = np.zeros(used[-1] + 1 if used else 1, dtype=np.uint8)
    lengths[used] = [len(_FOLDING[each] or "") for each in used]
    places = np.repeat(np.arange(len(text), dtype=np.int32), lengths[letters])
    return fold(text), places


class _Folding(dict[int, "str | None"]):
    """What each letter becomes, found when it is first met; None: nothing."""

    def __missing__(self, letter: int) -> str | None:
        folded = unicodedata.normalize("NFKD", chr(letter)).casefold()
        self[letter] = "".join(filter(str.isalnum, folded)) or None
        return self[letter]


_FOLDING = _Folding()
