"""Splits documents into passages of about 120 words that end at sentence and paragraph boundaries.

Boundaries come from the document alone: from its own list of sentences and list items, or, without
one, from the sentences of its text. What is evidence is never looked at.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b, sha256
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import msgspec

from ragharness.config import DEFAULT_WORDS
from ragharness.corpus import headings
from ragharness.corpus.headings import Outline
from ragharness.corpus.loading import Corpus
from ragharness.errors import UsageError
from ragharness.language import tables
from ragharness.records import Document, Evidence, Passage, Question
from ragharness.support.files import cache_folder, hash_code, read_cached, write_cached

_NEAR = 0.75
"""A full passage steps back to the last end of a paragraph, if one lies beyond this share of its size."""

_REST = 0.25
"""A piece below this share of the size (a lone heading, the last line) is joined to its neighbour."""

_PARAGRAPH_ENDS = frozenset(".;!?)\"'”’")
"""A line that ends otherwise is a heading or leads into a list: what follows belongs to it."""

Span = tuple[int, int]
Place = tuple[int, int, str]
"""Start and end of a passage, and its heading."""


@dataclass(frozen=True)
class PassageSet:
    """The passages of an index, in the order of the documents and of their text."""

    passages: tuple[Passage, ...]
    words: int
    """The size that they were built for."""

    @cached_property
    def by_id(self) -> dict[str, Passage]:
        """The passages by their ids."""
        return {passage.id: passage for passage in self.passages}

    @cached_property
    def key(self) -> str:
        """A hash of ids, titles, headings and texts: equal keys, equal index."""
        digest = sha256()
        encode = msgspec.json.Encoder().encode
        for each in self.passages:
            digest.update(encode((each.id, each.title, each.heading, each.text)))
        return digest.hexdigest()

    @cached_property
    def _by_document(self) -> dict[str, tuple[Passage, ...]]:
        groups: dict[str, list[Passage]] = {}
        for passage in self.passages:
            groups.setdefault(passage.document, []).append(passage)
        return {document: tuple(group) for document, group in groups.items()}

    def of(self, document_id: str) -> tuple[Passage, ...]:
        """Return the passages of one document in order; none when it has none here."""
        return self._by_document.get(document_id, ())


def build_passages(documents: Iterable[Document], words: int = DEFAULT_WORDS) -> PassageSet:
    """Split every document into passages of about ``words`` words; raises UsageError below 1."""
    pieces = [passage for document in documents for passage in split_document(document, words)]
    return PassageSet(tuple(pieces), words)


def kept_passages(corpus: Corpus, words: int = DEFAULT_WORDS) -> PassageSet:
    """Return ``build_passages`` of a corpus; only documents that the cache does not know are split."""
    code = hash_code(Path(__file__), Path(headings.__file__), Path(tables.__file__).parent)
    state = repr((corpus.id, corpus.split, corpus.folder, words, _splitter(), code))
    place = cache_folder() / "passages" / f"{sha256(state.encode()).hexdigest()[:32]}.msgpack"
    packed = read_cached(place)
    known = {} if packed is None else msgspec.msgpack.decode(packed, type=dict[bytes, list[Place]])
    found: dict[bytes, list[Place]] = {}
    pieces: list[Passage] = []
    for document in corpus.documents:
        key = blake2b(msgspec.msgpack.encode((document.text, document.segments)), digest_size=16).digest()
        found[key] = known.get(key) or _places(document, words)
        pieces += _cut_out(document, found[key])
    if found.keys() != known.keys():
        write_cached(place, msgspec.msgpack.encode(found), most=_KEPT)
    return PassageSet(tuple(pieces), words)


def _splitter() -> list[tuple[str, int, int]]:
    """Return what tells one version of sentencex from another; its metadata would take 0.02 s to load."""
    spec = find_spec("sentencex")
    files = sorted(Path(spec.origin).parent.glob("*.*")) if spec and spec.origin else []
    return [(each.name, each.stat().st_size, each.stat().st_mtime_ns) for each in files]


_KEPT = 12
"""Corpora whose passages are in the cache; the longest unused ones go first."""


def split_document(document: Document, words: int = DEFAULT_WORDS) -> list[Passage]:
    """Split a document; every character but blanks is in exactly one passage, from ``doc#1`` on.

    A passage ends where one more sentence or list item would lead away from ``words``, or after the last
    paragraph beyond three quarters of it; a lone heading or a short rest joins its neighbour. Segments of
    the document's own list are never split: a longer one is a passage by itself. Each knows its headings.
    """
    return list(_cut_out(document, _places(document, words)))


def _places(document: Document, words: int) -> list[Place]:
    if words < 1:
        raise UsageError(f"passages need at least 1 word, found {words}", help="--passage-words 120")
    text = document.text
    units = list(_units(document, words))
    sizes = [len(text[start:end].split()) for start, end in units]
    outline = Outline(text)
    return [(start, end, outline.above(start)) for start, end in _group(text, units, sizes, words)]


def _cut_out(document: Document, places: Iterable[Place]) -> Iterator[Passage]:
    name, title, text = document.id, document.title, document.text
    for number, (start, end, heading) in enumerate(places, start=1):
        yield Passage(f"{name}#{number}", name, title, start, end, text[start:end], heading=heading)


def faults(document: Document, passages: Sequence[Passage]) -> list[str]:
    """Return, in words, where a document's passages lose, repeat or alter its text; none when sound."""
    found: list[str] = []
    position = 0
    for passage in passages:
        if passage.start < position:
            found.append(f"{passage.id} repeats characters {passage.start}-{position}")
        elif document.text[position : passage.start].strip():
            found.append(f"characters {position}-{passage.start} of {document.id} are in no passage")
        if document.text[passage.start : passage.end] != passage.text:
            found.append(f"{passage.id} differs from its document")
        position = passage.end
    if document.text[position:].strip():
        found.append(f"characters {position}-{len(document.text)} of {document.id} are in no passage")
    return found


def withhold(passages: PassageSet, documents: Collection[str], spans: Collection[Evidence]) -> PassageSet:
    """Return the set without whole documents and without every passage that overlaps a span; ids stay."""
    if not (documents or spans):
        return passages
    gone = frozenset(documents)
    barred: dict[str, list[Span]] = {}
    for span in spans:
        barred.setdefault(span.document, []).append((span.start, span.end))

    def stays(passage: Passage) -> bool:
        return not any(passage.start < end and start < passage.end for start, end in barred[passage.document])

    stay = (
        each
        for each in passages.passages
        if each.document not in gone and (each.document not in barred or stays(each))
    )
    return PassageSet(tuple(stay), passages.words)


def _units(document: Document, words: int) -> Iterator[Span]:
    """Yield the smallest pieces in order, without blanks at their ends; text between segments is one too."""
    text = document.text
    position = 0
    if document.segments:
        for start, end in document.segments:
            yield from _trimmed(text, position, start)
            yield from _trimmed(text, start, end)
            position = end
        yield from _trimmed(text, position, len(text))
        return
    from ragharness.language.words import sentences

    for start, end in sentences(text):
        for unit in (*_trimmed(text, position, start), (start, end)):
            yield from _cut(text, unit, words)
        position = end
    yield from _trimmed(text, position, len(text))


def _trimmed(text: str, start: int, end: int) -> tuple[Span, ...]:
    piece = text[start:end]
    core = piece.strip()
    if not core:
        return ()
    start += len(piece) - len(piece.lstrip())
    return ((start, start + len(core)),)


def _cut(text: str, unit: Span, words: int) -> Iterator[Span]:
    """Cut a found sentence that is far too long (a table, a list without stops) between words."""
    start, end = unit
    if end - start <= 4 * words:  # a word and its blank are two characters at least
        yield unit
        return
    parts = text[start:end].split()
    if len(parts) <= 2 * words:
        yield unit
        return
    position = start
    for first in range(0, len(parts), words):
        begin = text.index(parts[first], position)
        position = begin
        for word in parts[first : first + words]:
            position = text.index(word, position) + len(word)
        yield begin, position


def _group(text: str, units: Sequence[Span], sizes: Sequence[int], words: int) -> list[Span]:
    """Join units until one more would lead away from the size; end at a paragraph's end if one is near."""
    cuts = [0]
    size = 0
    for index, count in enumerate(sizes):
        while size > _REST * words and size + count / 2 > words:
            cuts.append(_step_back(text, units, sizes, cuts[-1], index, words))
            size = sum(sizes[cuts[-1] : index])
        size += count
    if len(cuts) > 1 and size <= _REST * words:
        cuts.pop()
    edges = pairwise([*cuts, len(units)]) if units else ()
    return [(units[first][0], units[last - 1][1]) for first, last in edges]


def _step_back(
    text: str, units: Sequence[Span], sizes: Sequence[int], first: int, index: int, words: int
) -> int:
    """Return where to cut units[first:index]: after the last paragraph near the size, else at the end."""
    size = sum(sizes[first:index])
    for cut in range(index, first, -1):
        if size < _NEAR * words:
            break
        before, after = units[cut - 1][1], units[cut][0]
        if "\n" in text[before:after] and text[before - 1] in _PARAGRAPH_ENDS:
            return cut
        size -= sizes[cut - 1]
    return index


ENOUGH = 0.8
"""The share of a span's tokens that a passage must hold."""

_TOKEN = re.compile(r"\w+")


class EvidenceIndex:
    """Answers for one corpus which passages cover which spans; remembers where a span's tokens are."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._tokens: dict[Evidence, tuple[list[int], list[int]]] = {}

    def coverage(self, passage: Passage, span: Evidence) -> float:
        """Return the share of the span's tokens inside the passage; 0 outside the span's document.

        Of a passage with several places those shares add up, as far as the places are apart.
        """
        if passage.also:
            return self._covered(passage, span)
        return self._share(passage.document, passage.start, passage.end, span)

    def supporting(self, question: Question, passages: Iterable[Passage]) -> frozenset[str]:
        """Return the ids of the passages that hold enough of any gold span of the question."""
        spans = question.evidence
        if not spans:
            return frozenset()
        return frozenset(
            passage.id
            for passage in passages
            if any(self.coverage(passage, span) >= ENOUGH for span in spans)
        )

    def found(self, question: Question, passages: Iterable[Passage]) -> tuple[bool, ...]:
        """Return for each gold span of the question whether one of the passages holds enough of it."""
        pool = tuple(passages)
        return tuple(
            any(self.coverage(passage, span) >= ENOUGH for passage in pool) for span in question.evidence
        )

    def holders(self, question: Question, passages: PassageSet) -> int:
        """Return how many passages hold a gold span, those of twins of its document apart."""
        return len(
            {
                passage.id
                for span in question.evidence
                for passage in passages.of(span.document)
                if passage.start < span.end
                and span.start < passage.end
                and self.coverage(passage, span) >= ENOUGH
            }
        )

    def _covered(self, passage: Passage, span: Evidence) -> float:
        share, position = 0.0, 0
        for place in sorted(passage.places, key=lambda place: (place.start, place.end)):
            if self._same(place.document, span.document):
                share += self._share(place.document, max(place.start, position), place.end, span)
                position = max(position, place.end)
        return min(1.0, share)

    def _share(self, document: str, first: int, last: int, span: Evidence) -> float:
        start, end = max(first, span.start), min(last, span.end)
        if start >= end or not self._same(document, span.document):
            return 0.0
        if start == span.start and end == span.end:
            return 1.0
        starts, ends = self._places(span)
        if not starts:
            return (end - start) / (span.end - span.start)
        return max(0, bisect_right(ends, end) - bisect_left(starts, start)) / len(starts)

    def _same(self, one: str, other: str) -> bool:
        return one == other or self.corpus.canonical(one) == self.corpus.canonical(other)

    def _places(self, span: Evidence) -> tuple[list[int], list[int]]:
        if span not in self._tokens:
            text = self.corpus.document(span.document).text
            found = list(_TOKEN.finditer(text, span.start, span.end))
            self._tokens[span] = [token.start() for token in found], [token.end() for token in found]
        return self._tokens[span]
