"""Finds a text in the corpus: whole, or in pieces with gaps between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ragharness.placing.index import Overlap, TextIndex, fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ragharness.corpus import Corpus
    from ragharness.records import Evidence

LEAST = 12
"""Folded characters of a text below which it could stand anywhere."""

PIECE = 40
"""Folded characters of a piece that is no accident: common phrases of contracts are shorter."""

SHARE = 0.5
"""The share of a text's folded characters that must be found; the rest is a heading, a summary, a footer."""

MOST = 0.8
"""Share of a text that must be found; above it the rest is not reported."""


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
