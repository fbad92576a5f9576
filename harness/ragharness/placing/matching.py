"""Locates a text in the corpus, whole or in pieces, and resolves ambiguous matches by context."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ragharness.placing.index import Run
from ragharness.placing.skeleton import bones

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ragharness.corpus import Corpus
    from ragharness.placing.index import TextIndex
    from ragharness.records import Evidence

LEAST = 12
"""Shortest folded text that is looked up: a shorter one could occur anywhere."""

PIECE = 40
"""Shortest piece that is no coincidence: common phrases of contracts are shorter."""

SHARE = 0.5
"""Share of a text that must be found; the rest is a heading, a summary, a footer."""

MOST = 0.8
"""Share of a text above which the part that was not found is not reported."""


class Match(NamedTuple):
    """The match of a text in the corpus."""

    places: tuple[Evidence, ...] = ()
    all_of_it: bool = True
    ambiguous: bool = False
    """Whether it occurs in several documents and the right one is unknown."""


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
    """Return the length of the document title at the start of a folded text."""
    title = bones(corpus.document(document).title) if document else ""
    return len(title) if sought.startswith(title) else 0


def _pieces(sought: str, named: str, corpus: Corpus, index: TextIndex) -> Iterator[list[Run]]:
    """Yield the pieces of a text that occur in the corpus, each with all its places."""
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
