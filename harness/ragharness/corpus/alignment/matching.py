"""Finds a text in the corpus, whole or in pieces, by an index over the folded text of all documents.

Seed and extend: ``SEED`` folded characters that the index knows are followed to both sides as far as the
corpus agrees. Of whatever ``SEED + STEP`` of them in one piece a text shares with it, one seed is known.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from ragharness.corpus.alignment.folding import SHARE, fold, fold_with_places
from ragharness.corpus.loading import Corpus
from ragharness.records import Document, Evidence

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

_UNFOLDED = 64
"""Documents of which it is remembered where each folded character comes from."""

LEAST = 12
"""Folded characters of a text below which it could stand anywhere."""

PIECE = 40
"""Folded characters of a piece that is no accident: common phrases of contracts are shorter."""

MOST = 0.8
"""Share of a text that must be found; above it the rest is not reported."""


class Overlap(NamedTuple):
    """Characters ``first`` to ``last`` of a folded text, found in the corpus at ``at``."""

    first: int
    last: int
    at: int


class TextIndex:
    """Finds the places of a text in the documents."""

    def __init__(self, documents: Sequence[Document]) -> None:
        import numpy as np

        self._documents = documents
        texts = [fold(document.text) for document in documents]
        self._begins = [0, *accumulate(len(text) + 1 for text in texts)][:-1]
        # A line break is never folded text: nothing is found across two documents.
        self._all = "\n".join(texts)
        begins = range(0, len(self._all) - SEED + 1, STEP)
        seeds = np.fromiter((hash(self._all[at : at + SEED]) for at in begins), np.int64, len(begins))
        order = seeds.argsort(kind="stable")
        self._seeds, self._places = seeds[order], order * STEP
        self._places_in = lru_cache(_UNFOLDED)(lambda number: fold_with_places(documents[number].text)[1])

    def document_at(self, at: int) -> str:
        """Return the id of the document at an offset of the folded corpus."""
        return self._documents[bisect_right(self._begins, at) - 1].id

    def span(self, overlap: Overlap) -> Evidence:
        """Return the place of an overlap as offsets into the text of its document."""
        number = bisect_right(self._begins, overlap.at) - 1
        places, first = self._places_in(number), overlap.at - self._begins[number]
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
        for begin, places in self._known(text, first, limit):
            if begin >= limit:
                break
            for at in places[:_MOST]:
                if at - begin not in overlaps:
                    overlap = self._extended(text, begin, at, first)
                    if overlap.last - overlap.first >= least:
                        if not overlaps:
                            limit = min(limit, begin + STEP)
                        overlaps[at - begin] = overlap
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

    def _known(self, text: str, first: int, limit: int) -> Iterator[tuple[int, list[int]]]:
        """Yield the offsets from ``first`` at which a known seed begins, each with its places in order.

        Seeds are compared by their hash: one in very many may be another.
        """
        import numpy as np

        for block in range(first, limit, 2 * STEP):
            begins = range(block, min(block + 2 * STEP, limit))
            seeds = np.array([hash(text[at : at + SEED]) for at in begins], dtype=np.int64)
            lows, highs = (self._seeds.searchsorted(seeds, side) for side in ("left", "right"))
            for number in (lows < highs).nonzero()[0].tolist():
                yield begins[number], self._places[lows[number] : highs[number]].tolist()

    def _starts(self, text: str) -> Iterator[int]:
        if len(text) >= SEED + STEP:
            for begin, places in self._known(text, 0, STEP):
                for at in places:
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


class Match(NamedTuple):
    """What was found of a text."""

    places: tuple[Evidence, ...] = ()
    all_of_it: bool = True
    ambiguous: bool = False
    """It stands in several documents, and nothing says in which it was read."""


class Matcher:
    """Finds texts in one corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._index = TextIndex(corpus.documents)

    def match(self, text: str, named: str, near: int) -> Match:
        """Return the places of a text; ``named`` is the document that it says it comes from, or empty.

        ``near`` is where it says that it begins. A text that stands more than once in its document has all
        those places: it says the same at each of them.
        """
        sought = fold(text)
        if len(sought) < LEAST:
            return Match()
        if overlaps := self._index.whole(sought):
            document = self._chosen(overlaps, [named], sought)
            places = map(self._index.span, self._of(overlaps, document))
            nearest = sorted(places, key=lambda place: abs(place.start - near))
            return Match(tuple(nearest), ambiguous=not document)
        found = self._in_pieces(sought, named)
        rest = text.strip().partition("\n")[2]
        if not found.places and len(fold(rest)) >= SHARE * len(sought):
            return self.match(rest, named, near)  # short, below a heading: "Source 3:"
        return found

    def _in_pieces(self, sought: str, named: str) -> Match:
        pieces = list(self._pieces(sought, named))
        found = sum(overlaps[0].last - overlaps[0].first for overlaps in pieces)
        if found < SHARE * (len(sought) - self._heading(sought, named)):
            return Match()
        likely = [named, *(_only(self._standing(overlaps)) for overlaps in pieces)]
        places: dict[Evidence, None] = {}
        for overlaps in pieces:
            document = self._chosen(overlaps, likely, sought)
            places.update((self._index.span(overlap), None) for overlap in self._of(overlaps, document))
        # The title of the document is put before its pieces often, and is not of their text.
        own = len(sought) - max((self._heading(sought, place.document) for place in places), default=0)
        return Match(tuple(places), all_of_it=found >= MOST * own, ambiguous=not places)

    def _heading(self, sought: str, document: str) -> int:
        """Return how many folded characters at the beginning of a text are the title of the document."""
        title = fold(self._corpus.document(document).title) if document else ""
        return len(title) if sought.startswith(title) else 0

    def _pieces(self, sought: str, named: str) -> Iterator[list[Overlap]]:
        """Yield the pieces of a text that stand in the corpus, each with all its places."""
        position, before = 0, None
        while overlaps := self._index.next_overlaps(sought, position, PIECE):
            meant = self._of(overlaps, named) or overlaps
            position = max(overlap.last for overlap in meant)
            chosen = [overlap for overlap in meant if overlap.last == position]
            yield from self._between(sought, before, chosen[0].first)
            yield chosen
            # Behind a gap only a text of one document is followed.
            before = chosen[0] if _only(self._standing(chosen)) else None
        yield from self._between(sought, before, len(sought))

    def _between(self, sought: str, before: Overlap | None, last: int) -> Iterator[list[Overlap]]:
        """Yield the short pieces behind one that was found: a word was changed, a page ended."""
        while before and (before := self._index.onward(sought[:last], before)):
            yield [before]

    def _standing(self, overlaps: Sequence[Overlap]) -> list[str]:
        """Return the documents in which overlaps stand, a twin counted as its original."""
        found = (self._index.document_at(overlap.at) for overlap in overlaps)
        return list(dict.fromkeys(map(self._corpus.canonical, found)))

    def _chosen(self, overlaps: Sequence[Overlap], likely: Iterable[str], sought: str) -> str:
        """Return the document that is meant: one that is likely, the only one, one whose title is there."""
        standing = self._standing(overlaps)
        meant = (document for document in likely if self._corpus.canonical(document) in standing)
        if document := next(meant, "") or _only(standing):
            return document
        return _only([each for each in standing if fold(self._corpus.document(each).title) in sought])

    def _of(self, overlaps: Sequence[Overlap], document: str) -> list[Overlap]:
        """Return the overlaps in one document: in it itself where it is a twin, else in its original."""
        standing = {self._index.document_at(overlap.at) for overlap in overlaps}
        wanted = document if document in standing else self._corpus.canonical(document)
        return [overlap for overlap in overlaps if self._index.document_at(overlap.at) == wanted]


def _only(documents: Sequence[str]) -> str:
    """Return the one document that there is; empty: none, or several."""
    return documents[0] if len(documents) == 1 else ""
