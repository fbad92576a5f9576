"""Locates the results of a user's retriever in the index: by id, by offsets, by text.

A passage of other boundaries becomes the corpus's own words at its place, under an id that says the place:
a run can be graded again without the retriever. What the index leaves out stays out, however it is named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ragharness.language.tables import regex
from ragharness.passages import split_document
from ragharness.placing import Placer, at_places, place_name
from ragharness.records import Hit, Passage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.corpus import Corpus
    from ragharness.passages import PassageSet
    from ragharness.records import Evidence

_NAMED = 5
"""Ids that a complaint names; the rest is counted."""

WITHHELD = "hold what the index leaves out for this question set"
UNKNOWN = "are in no document of the corpus"
AMBIGUOUS = "stand in several documents of the corpus and name none"


_WORD = regex(r"\w")

_BLANK = regex(r"\s")
"""An id that nobody knows and that has a blank is a text, as in what pipelines return."""


class Hits(list[Hit]):
    """Hits, best first, and in words what else was returned."""

    problems: tuple[str, ...] = ()


class Mapping:
    """Maps entries onto the passages of an index; safe to use from many threads."""

    def __init__(self, passages: PassageSet, corpus: Corpus | None, *, by_position: bool = False) -> None:
        self._passages = passages
        self._corpus = corpus
        self._placer = Placer(corpus, passages) if corpus is not None else None
        self._by_position = by_position
        """Whether whole numbers are places in the list of passages that the retriever was made from."""

    def hits(self, entries: Sequence[tuple[Passage, float]], k: int) -> Hits:
        """Return the first ``k`` different passages in order, and a sentence for each kind of the others."""
        found: dict[str, Hit] = {}
        left_out: dict[str, list[str]] = {}
        for passage, score in entries:
            known, why = self._known(passage)
            if known is None:
                left_out.setdefault(why, []).append(passage.id or passage.text[:40])
            else:
                found.setdefault(known.id, Hit(known, score))
        hits = Hits(list(found.values())[: max(k, 0)])
        hits.problems = tuple(_complaint(why, ids, len(entries)) for why, ids in left_out.items())
        return hits

    def _known(self, brought: Passage) -> tuple[Passage | None, str]:
        ours = self._passages.by_id.get(brought.id) or self._numbered(brought.id)
        if ours is not None and brought.text in {"", ours.text}:
            return ours, ""
        if self._placer is None or self._corpus is None:
            return ours, UNKNOWN
        if not brought.text and brought.end <= brought.start:
            if self._was_left_out(brought.id):
                return None, WITHHELD
            brought = at_places(brought.id, self._corpus) or brought
            if not brought.text and _BLANK.search(brought.id):
                brought = replace(brought, id="", text=brought.id)
        placed = self._placer.place(brought)
        places = placed.passage.places
        if not places:
            return None, AMBIGUOUS if placed.how == "ambiguous" else UNKNOWN
        kept = [each for each in places if self._is_indexed(each)]
        # A wording that stands elsewhere too may come from there; of what was put together all must be there.
        if not kept or (placed.how == "partly" and len(kept) < len(places)):
            return None, WITHHELD
        return self._indexed(kept), ""

    def _numbered(self, name: str) -> Passage | None:
        if not self._by_position or not name.isdecimal() or int(name) >= len(self._passages.passages):
            return None
        return self._passages.passages[int(name)]

    def _was_left_out(self, name: str) -> bool:
        """Whether an id is one of the corpus's passages, of which the index has only a part."""
        assert self._corpus is not None
        document = name.rpartition("#")[0]
        found = next((each for each in self._corpus.documents if each.id == document), None)
        return found is not None and any(
            each.id == name for each in split_document(found, self._passages.words)
        )

    def _is_indexed(self, place: Evidence) -> bool:
        """Whether every character of a place, blanks apart, is in some passage of the index."""
        assert self._corpus is not None
        text, position = self._corpus.document(place.document).text, place.start
        for passage in self._passages.of(place.document):
            if passage.end > position and passage.start < place.end:
                if text[position : passage.start].strip():
                    return False
                position = passage.end
        return not text[position : place.end].strip()

    def _indexed(self, places: Sequence[Evidence]) -> Passage:
        """Return the passage of the index at a place, or one of those boundaries."""
        assert self._corpus is not None
        first = places[0]
        text = self._corpus.document(first.document).text
        for ours in self._passages.of(first.document):
            if ours.start <= first.start and first.end <= ours.end:
                rest = text[ours.start : first.start] + text[first.end : ours.end]
                if not _WORD.search(rest):
                    return ours
        made = at_places(place_name(places), self._corpus)
        assert made is not None
        return made


def _complaint(why: str, ids: Sequence[str], n: int) -> str:
    more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
    return (
        f"{len(ids)} of {n} retrieved passages {why} and were left out: {', '.join(ids[:_NAMED])[:200]}{more}"
    )
