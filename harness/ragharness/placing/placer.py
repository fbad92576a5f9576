"""``Placer``: locates a passage in the corpus; one that is not found keeps its text and supports nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec.structs import replace

from ragharness.placing.index import Run, TextIndex
from ragharness.placing.naming import Names
from ragharness.placing.skeleton import bones
from ragharness.records import Evidence, Passage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ragharness.corpus import Corpus
    from ragharness.passages import PassageSet

How = Literal["id", "offsets", "text", "partly", "ambiguous", "nowhere"]

_NAMED = 5
"""Ids named in a notice; the rest is counted."""

_PLACES = 64
"""Places of one passage that are kept."""

_NAME = re.compile(r"(?P<document>.+)@(?P<places>\d{1,12}-\d{1,12}(?:\+\d{1,12}-\d{1,12}){0,15})", re.DOTALL)

LEAST = 12
"""Bones of a text below which it could stand anywhere."""

PIECE = 40
"""Bones of a piece that is no accident: common phrases of contracts are shorter."""

SHARE = 0.5
"""The share of a text's bones that must be found; the rest is a heading, a summary, a footer."""

MOST = 0.8
"""Share of a text that must be found; above it the rest is not reported."""


@dataclass(frozen=True)
class Placed:
    """A passage for grading, and how its place was found."""

    passage: Passage
    """With the id that it came with; one without a place has no document, and supports nothing."""
    how: How


class Placer:
    """Locates passages in the corpus; thread-safe, builds its index on first use."""

    def __init__(self, corpus: Corpus, passages: PassageSet) -> None:
        self._corpus = corpus
        self._ours = passages
        self._building = Lock()
        self._index: TextIndex | None = None

    def place(self, brought: Passage) -> Placed:
        """Return a passage with its places.

        By offsets where document, start and end name a place that holds its text, else by its text, else by
        its id when it is one of ours. Without a text, id or offsets are believed: nothing can be compared.
        """
        ours = self._ours.by_id.get(brought.id)
        named = self._names.find(brought.document, brought.title)
        named = named or (ours.document if ours else "")
        if ours is not None and (not brought.text or brought.text == ours.text):
            return Placed(ours, "id")
        if (quoted := self._quoted(brought, named)) is not None:
            return Placed(quoted, "offsets")
        found = match(brought.text, named, brought.start, self._corpus, self.index)
        if found.places:
            return Placed(self._at(brought, found.places), "text" if found.all_of_it else "partly")
        if (held := self._quoted(brought, named, whole=False)) is not None:
            return Placed(held, "offsets")
        if ours is not None:
            return Placed(ours, "id")
        nowhere = replace(brought, document="", start=0, end=0, also=())
        return Placed(nowhere, "ambiguous" if found.ambiguous else "nowhere")

    @cached_property
    def _names(self) -> Names:
        return Names(self._corpus)

    @property
    def index(self) -> TextIndex:
        """The index over the corpus texts."""
        with self._building:
            if self._index is None:
                self._index = TextIndex(self._corpus.documents)
            return self._index

    def _quoted(self, brought: Passage, named: str, *, whole: bool = True) -> Passage | None:
        """Return the passage if the text at its offsets is its own, or most of it after a heading."""
        if not named or brought.end <= brought.start:
            return None
        document = self._corpus.document(named)
        there = document.text[brought.start : brought.end]
        claimed, said = bones(there), bones(brought.text or there)
        holds = claimed == said if whole else claimed in said and len(claimed) >= SHARE * len(said)
        if not there.strip() or not holds:
            return None
        end = brought.start + len(there)
        return replace(brought, document=named, end=end, text=brought.text or there, also=())

    def _at(self, brought: Passage, places: Sequence[Evidence]) -> Passage:
        first, *others = places[:_PLACES]
        return replace(brought, document=first.document, start=first.start, end=first.end, also=tuple(others))


def unique(brought: Iterable[Passage]) -> list[Passage]:
    """Return passages with unique ids: duplicates once, another text under a known id renamed."""
    kept: dict[str, Passage] = {}
    for passage in brought:
        name, number = passage.id, 1
        while name in kept and _content(kept[name]) != _content(passage):
            number += 1
            name = f"{passage.id}~{number}"
        kept.setdefault(name, replace(passage, id=name))
    return list(kept.values())


def complaints(placed: Sequence[Placed]) -> tuple[str, ...]:
    """Return a sentence for each kind of passage that could not be placed, with how many and which."""
    told = {
        "nowhere": "that the corpus does not hold, so that they support nothing",
        "ambiguous": "that several documents hold and that name none, so that they support nothing",
        "partly": "that the corpus holds only in part, of which that part counts",
    }
    found = ((_those(placed, how), words) for how, words in told.items())
    return tuple(
        f"passages {words}: {len(ids)} of {len(placed)} ({', '.join(ids[:_NAMED])[:200]}"
        + (f" and {len(ids) - _NAMED} more)" if len(ids) > _NAMED else ")")
        for ids, words in found
        if ids
    )


def _those(placed: Sequence[Placed], how: str) -> list[str]:
    return [each.passage.id for each in placed if each.how == how]


def _content(passage: Passage) -> tuple[object, ...]:
    return passage.document, passage.start, passage.end, passage.text


def place_name(places: Sequence[Evidence]) -> str:
    """Return the id of the passage at some places of one document."""
    return f"{places[0].document}@" + "+".join(f"{place.start}-{place.end}" for place in places)


def at_places(name: str, corpus: Corpus) -> Passage | None:
    """Return the passage that is named by its places, in the corpus's own words; None for any other name."""
    found = _NAME.fullmatch(name)
    document = found and next((each for each in corpus.documents if each.id == found["document"]), None)
    if not found or not document:
        return None
    pairs = (place.split("-") for place in found["places"].split("+"))
    places = [Evidence(document.id, int(start), int(end)) for start, end in pairs]
    if not all(place.start < place.end <= len(document.text) for place in places):
        return None
    # A wording that is repeated is told once.
    texts = {" ".join(text.split()): text for text in (document.text[p.start : p.end] for p in places)}
    first, *others = places
    return Passage(
        name, document.id, document.title, first.start, first.end, "\n".join(texts.values()), tuple(others)
    )


class Match(NamedTuple):
    """What was found of a text."""

    places: tuple[Evidence, ...] = ()
    all_of_it: bool = True
    ambiguous: bool = False
    """It stands in several documents, and nothing says in which it was read."""


def match(text: str, named: str, near: int, corpus: Corpus, index: TextIndex) -> Match:
    """Return the places of a text; ``named`` is the document that it says it comes from, or empty.

    ``near`` is where it says that it begins. A text that stands more than once in its document has all those
    places: it says the same at each of them.
    """
    sought = bones(text)
    if len(sought) < LEAST:
        return Match()
    if runs := index.whole(sought):
        document = _chosen(runs, [named], sought, corpus, index)
        places = map(index.span, _of(runs, document, corpus, index))
        return Match(tuple(sorted(places, key=lambda place: abs(place.start - near))), ambiguous=not document)
    found = _in_pieces(sought, named, corpus, index)
    rest = text.strip().partition("\n")[2]
    if not found.places and len(bones(rest)) >= SHARE * len(sought):
        return match(rest, named, near, corpus, index)  # short, below a heading: "Source 3:"
    return found


def _in_pieces(sought: str, named: str, corpus: Corpus, index: TextIndex) -> Match:
    pieces = list(_pieces(sought, named, corpus, index))
    found = sum(runs[0].last - runs[0].first for runs in pieces)
    if found < SHARE * (len(sought) - _heading(sought, named, corpus)):
        return Match()
    likely = [named, *(_document(runs, corpus, index) for runs in pieces)]
    places: dict[Evidence, None] = {}
    for runs in pieces:
        document = _chosen(runs, likely, sought, corpus, index)
        places.update((index.span(run), None) for run in _of(runs, document, corpus, index))
    # The title of the document is put before its pieces often, and is not of their text.
    own = len(sought) - max((_heading(sought, place.document, corpus) for place in places), default=0)
    return Match(tuple(places), all_of_it=found >= MOST * own, ambiguous=not places)


def _heading(sought: str, document: str, corpus: Corpus) -> int:
    """Return how many bones at the beginning of a text are the title of the document."""
    title = bones(corpus.document(document).title) if document else ""
    return len(title) if sought.startswith(title) else 0


def _pieces(sought: str, named: str, corpus: Corpus, index: TextIndex) -> Iterator[list[Run]]:
    """Yield the pieces of a text that stand in the corpus, each with all its places."""
    position, before = 0, None
    while runs := index.next_runs(sought, position, PIECE):
        meant = _of(runs, named, corpus, index) or runs
        position = max(run.last for run in meant)
        chosen = [run for run in meant if run.last == position]
        yield from _between(sought, before, chosen[0].first, index)
        yield chosen
        # Behind a gap only a text of one document is followed.
        before = chosen[0] if _document(chosen, corpus, index) else None
    yield from _between(sought, before, len(sought), index)


def _between(sought: str, before: Run | None, last: int, index: TextIndex) -> Iterator[list[Run]]:
    """Yield the short pieces behind one that was found: a word was changed, a page number stands between."""
    while before and (before := index.onward(sought[:last], before)):
        yield [before]


def _document(runs: Sequence[Run], corpus: Corpus, index: TextIndex) -> str:
    """Return the one document in which all runs stand, a twin counted as its original; empty: several."""
    documents = dict.fromkeys(corpus.canonical(index.document_at(run.at)) for run in runs)
    return next(iter(documents)) if len(documents) == 1 else ""


def _chosen(runs: Sequence[Run], likely: Iterable[str], sought: str, corpus: Corpus, index: TextIndex) -> str:
    """Return the document that is meant: the only one, one that is likely, one whose title the text holds."""
    standing = {corpus.canonical(index.document_at(run.at)): None for run in runs}
    for document in likely:
        if corpus.canonical(document) in standing:
            return document
    if len(standing) == 1:
        return next(iter(standing))
    titled = [each for each in standing if bones(corpus.document(each).title) in sought]
    return titled[0] if len(titled) == 1 else ""


def _of(runs: Sequence[Run], document: str, corpus: Corpus, index: TextIndex) -> list[Run]:
    """Return the runs in one document: in it itself where it is a twin, else in its original."""
    standing = {index.document_at(run.at) for run in runs}
    wanted = document if document in standing else corpus.canonical(document)
    return [run for run in runs if index.document_at(run.at) == wanted]
