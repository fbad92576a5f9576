"""An index over the folded text of a corpus, which finds where a text occurs.

Folded are letters and digits without layout, case or accents: line breaks, hyphens at line ends, typographic
quotes and ligatures, accents in either Unicode form, the stars and bars of Markdown leave no trace, so that a
text can be found again however it was wrapped.

Seed and extend: ``SEED`` folded characters that the index knows are followed to both sides as far as the
corpus agrees. Of whatever ``SEED + STEP`` of them in one piece a text shares with it, one seed is known.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from ragharness.records import Evidence

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy import int32
    from numpy.typing import NDArray

    from ragharness.records import Document

SEED = 20
"""Characters of folded text in one look-up key."""

STEP = 32
"""Distance between two indexed keys, in characters of folded text."""

CLOSE = 12
"""Characters that must match after a gap for the text to count as continued."""

GAP = 400
"""Longest gap, in the text or in the document, after which a text may continue."""

_MOST = 256
"""Places followed for one key: the zeros of a table occur everywhere."""


_OTHERS = re.compile(r"[\W_]+")


class Overlap(NamedTuple):
    """Characters ``first`` to ``last`` of a folded text, found in the corpus at ``at``."""

    first: int
    last: int
    at: int


def fold(text: str) -> str:
    """Return the folded letters and digits of a text."""
    if text.isascii():
        return _OTHERS.sub("", text).lower()
    return "".join(map(_folded, text))


def fold_with_places(text: str) -> tuple[str, NDArray[int32]]:
    """Return the folded text and the offset of the character that each one comes from."""
    import numpy as np

    letters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    used = sorted(set(text))
    folded = [_folded(each) for each in used]
    lengths = np.zeros(ord(used[-1]) + 1 if used else 1, dtype=np.uint8)
    lengths[[ord(each) for each in used]] = [len(each) for each in folded]
    places = np.repeat(np.arange(len(text), dtype=np.int32), lengths[letters])
    # ``translate`` is as fast as the array operations and knows characters that become several.
    return text.translate(dict(zip(map(ord, used), folded, strict=True))), places


def _folded(letter: str) -> str:
    return "".join(each for each in unicodedata.normalize("NFKD", letter).casefold() if each.isalnum())


class TextIndex:
    """Finds the places of a text in the documents."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = documents
        self._places: list[NDArray[int32]] = []
        self._begins: list[int] = []
        texts = []
        position = 0
        for document in documents:
            text, places = fold_with_places(document.text)
            self._begins.append(position)
            self._places.append(places)
            texts.append(text)
            position += len(text) + 1
        # A line break is never folded text: nothing is found across two documents.
        self._all = "\n".join(texts)
        self._seeds: dict[str, int | list[int]] = {}
        for at in range(0, len(self._all) - SEED + 1, STEP):
            self._remember(self._all[at : at + SEED], at)

    def document_at(self, at: int) -> str:
        """Return the id of the document at an offset of the folded corpus."""
        return self._documents[bisect_right(self._begins, at) - 1].id

    def span(self, overlap: Overlap) -> Evidence:
        """Return the place of an overlap as offsets into the text of its document."""
        number = bisect_right(self._begins, overlap.at) - 1
        places, first = self._places[number], overlap.at - self._begins[number]
        start, end = int(places[first]), int(places[first + overlap.last - overlap.first - 1]) + 1
        return Evidence(self._documents[number].id, start, end)

    def whole(self, text: str) -> list[Overlap]:
        """Return every place where the whole folded text occurs, in corpus order."""
        return [Overlap(0, len(text), at) for at in sorted(set(self._starts(text)))]

    def next_overlaps(self, text: str, first: int, least: int) -> list[Overlap]:
        """Return the first matches of at least ``least`` characters from ``first``, within one ``STEP``.

        Each document has its seeds elsewhere: the one that leads on farthest may not be the first one known.
        """
        overlaps: dict[int, Overlap] = {}
        limit = len(text) - SEED + 1
        begin = first
        while begin < limit:
            for at in self._known(text, begin):
                if at - begin not in overlaps:
                    overlap = self._extended(text, begin, at, first)
                    if overlap.last - overlap.first >= least:
                        if not overlaps:
                            limit = min(limit, begin + STEP)
                        overlaps[at - begin] = overlap
            begin += 1
        return list(overlaps.values())

    def onward(self, text: str, before: Overlap) -> Overlap | None:
        """Return where a text continues in the same document after a gap; None if it does not."""
        here = before.at + before.last - before.first
        border = self._all.find("\n", here)
        limit = min(here + GAP, len(self._all) if border < 0 else border)
        for begin in range(before.last, min(before.last + GAP, len(text) - CLOSE + 1)):
            at = self._all.find(text[begin : begin + CLOSE], here, limit)
            if at >= 0:
                return self._extended(text, begin, at, before.last, here)
        return None

    def _remember(self, seed: str, at: int) -> None:
        known = self._seeds.setdefault(seed, at)
        if isinstance(known, list):
            known.append(at)
        elif known != at:
            self._seeds[seed] = [known, at]

    def _known(self, text: str, begin: int) -> Sequence[int]:
        known = self._seeds.get(text[begin : begin + SEED], ())
        return (known,) if isinstance(known, int) else known[:_MOST]

    def _starts(self, text: str) -> Iterator[int]:
        if len(text) >= SEED + STEP:
            for begin in range(STEP):
                known = self._seeds.get(text[begin : begin + SEED], ())
                for at in (known,) if isinstance(known, int) else known:
                    if at >= begin and self._all.startswith(text, at - begin):
                        yield at - begin
            return
        at = self._all.find(text) if text else -1
        while at >= 0:
            yield at
            at = self._all.find(text, at + 1)

    def _extended(self, text: str, begin: int, at: int, least: int, floor: int = 0) -> Overlap:
        back = 0
        while (
            begin - back > least and at - back > floor and text[begin - back - 1] == self._all[at - back - 1]
        ):
            back += 1
        return Overlap(begin - back, begin + self._agreeing(text, begin, at), at - back)

    def _agreeing(self, text: str, begin: int, at: int) -> int:
        """Return the length of the common text from two places, found by bisection."""
        low, high = 0, min(len(text) - begin, len(self._all) - at)
        while low < high:
            middle = (low + high + 1) // 2
            if self._all.startswith(text[begin + low : begin + middle], at + low):
                low = middle
            else:
                high = middle - 1
        return low
