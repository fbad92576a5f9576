"""``Placer``: locates a passage in the corpus, by whatever name its document goes by.

A passage that is not found keeps its text and supports nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Literal
from urllib.parse import unquote, urlsplit

from msgspec.structs import replace

from ragharness.corpus.alignment.folding import SHARE, fold
from ragharness.corpus.alignment.matching import Matcher
from ragharness.corpus.loading import Corpus
from ragharness.corpus.passages import PassageSet
from ragharness.records import Document, Evidence, Passage

How = Literal["id", "offsets", "text", "partly", "ambiguous", "nowhere"]

_NAMED = 5
"""Ids named in a notice; the rest is counted."""

_PLACES = 64
"""Places of one passage that are kept."""

_NAME = re.compile(r"(?P<document>.+)@(?P<places>\d{1,12}-\d{1,12}(?:\+\d{1,12}-\d{1,12}){0,15})", re.DOTALL)


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
        self._matcher: Matcher | None = None

    def place(self, brought: Passage) -> Placed:
        """Return a passage with its places.

        By offsets where document, start and end name a place that holds its text, else by its text, else by
        its id when it is one of ours. Without a text, id or offsets are believed: nothing can be compared.
        """
        ours = self._ours.by_id.get(brought.id)
        named = self.names.find(brought.document, brought.title)
        named = named or (ours.document if ours else "")
        if ours is not None and (not brought.text or brought.text == ours.text):
            return Placed(ours, "id")
        if (quoted := self._quoted(brought, named)) is not None:
            return Placed(quoted, "offsets")
        found = self.matcher.match(brought.text, named, brought.start)
        if found.places:
            return Placed(self._at(brought, found.places), "text" if found.all_of_it else "partly")
        if (held := self._quoted(brought, named, whole=False)) is not None:
            return Placed(held, "offsets")
        if ours is not None:
            return Placed(ours, "id")
        nowhere = replace(brought, document="", start=0, end=0, also=())
        return Placed(nowhere, "ambiguous" if found.ambiguous else "nowhere")

    @cached_property
    def names(self) -> DocumentNames:
        """The documents by all their names."""
        return DocumentNames(self._corpus)

    @property
    def matcher(self) -> Matcher:
        """What finds texts in the corpus."""
        from ragharness.corpus.alignment.matching import Matcher

        with self._building:
            if self._matcher is None:
                self._matcher = Matcher(self._corpus)
            return self._matcher

    def _quoted(self, brought: Passage, named: str, *, whole: bool = True) -> Passage | None:
        """Return the passage if the text at its offsets is its own, or most of it after a heading."""
        if not named or brought.end <= brought.start:
            return None
        document = self._corpus.document(named)
        there = document.text[brought.start : brought.end]
        claimed, said = fold(there), fold(brought.text or there)
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
    found = (([each.passage.id for each in placed if each.how == how], words) for how, words in told.items())
    return tuple(
        f"passages {words}: {len(ids)} of {len(placed)} ({', '.join(ids[:_NAMED])[:200]}"
        + (f" and {len(ids) - _NAMED} more)" if len(ids) > _NAMED else ")")
        for ids, words in found
        if ids
    )


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


_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,5}$")


class DocumentNames:
    """The documents of a corpus by all their names; a name that two of them bear means none."""

    def __init__(self, corpus: Corpus) -> None:
        self._ids = frozenset(each.id for each in corpus.documents)
        self._known: dict[str, str] = {}
        for document in corpus.documents:
            for name in _called(document):
                known = self._known.setdefault(name, document.id)
                if corpus.canonical(known) != corpus.canonical(document.id):
                    self._known[name] = ""

    def find(self, *names: str) -> str:
        """Return the id of the document that the first known of these names means; empty: of none."""
        for name in names:
            if name in self._ids:
                return name
            found = next(filter(None, (self._known.get(each, "") for each in _forms(name))), "")
            if found:
                return found
        return ""


def _called(document: Document) -> Iterator[str]:
    for name in (document.id, document.title, document.handle, document.source):
        yield from dict.fromkeys(_forms(name))


def _forms(name: str) -> list[str]:
    """Return how a name is compared: whole, as the last part of a path or URL, and without a file ending."""
    path = unquote(urlsplit(name).path) if "://" in name else name
    last = re.split(r"[/\\]", path.rstrip("/\\"))[-1]
    forms = (fold(each) for each in (name, last, _ENDING.sub("", last), _ENDING.sub("", name)))
    return [each for each in forms if each]
