"""Passages of about 120 words that end at sentences and paragraphs, and the gold spans that they hold.

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

_NEAR = 0.75  # share of a passage's size beyond which it steps back to the last end of a paragraph
_SMALL = 0.25  # share of the size below which a piece (a lone heading, the last line) joins its neighbour
_PARAGRAPH_ENDS = frozenset(".;!?)\"'”’")  # a line that ends otherwise is a heading or leads into a list
Span = tuple[int, int]
Boundary = tuple[int, int, str]  # start and end of a passage, and its heading


@dataclass(frozen=True)
class PassageSet:
    """The passages of an index, in the order of the documents and of their text."""

    passages: tuple[Passage, ...]
    words: int

    @cached_property
    def by_id(self) -> dict[str, Passage]:
        """Passages by id."""
        return {passage.id: passage for passage in self.passages}

    @cached_property
    def key(self) -> str:
        """Hash of ids, titles, headings and texts: equal keys, equal index."""
        digest = sha256()
        encode = msgspec.json.Encoder().encode
        for passage in self.passages:
            digest.update(encode((passage.id, passage.title, passage.heading, passage.text)))
        return digest.hexdigest()

    @cached_property
    def _by_document(self) -> dict[str, tuple[Passage, ...]]:
        groups: dict[str, list[Passage]] = {}
        for passage in self.passages:
            groups.setdefault(passage.document, []).append(passage)
        return {document: tuple(group) for document, group in groups.items()}

    def of(self, document_id: str) -> tuple[Passage, ...]:
        """Passages of one document in order; none when it has none here."""
        return self._by_document.get(document_id, ())


def build_passages(documents: Iterable[Document], words: int = DEFAULT_WORDS) -> PassageSet:
    """Passages of about ``words`` words of every document; raises UsageError below 1."""
    passages = [passage for document in documents for passage in split_document(document, words)]
    return PassageSet(tuple(passages), words)


def cached_passages(corpus: Corpus, words: int = DEFAULT_WORDS) -> PassageSet:
    """``build_passages`` of a corpus; only documents whose boundaries are not cached are split."""
    code = hash_code(Path(__file__), Path(headings.__file__), Path(tables.__file__).parent)
    state = repr((corpus.id, corpus.split, corpus.folder, words, _splitter_version(), code))
    path = cache_folder() / "passages" / f"{sha256(state.encode()).hexdigest()[:32]}.msgpack"
    packed = read_cached(path)
    cached = {} if packed is None else msgspec.msgpack.decode(packed, type=dict[bytes, list[Boundary]])
    boundaries: dict[bytes, list[Boundary]] = {}
    passages: list[Passage] = []
    for document in corpus.documents:
        key = blake2b(msgspec.msgpack.encode((document.text, document.segments)), digest_size=16).digest()
        boundaries[key] = cached.get(key) or _boundaries(document, words)
        passages += _passages(document, boundaries[key])
    if boundaries.keys() != cached.keys():
        write_cached(path, msgspec.msgpack.encode(boundaries), most=_CACHED_CORPORA)
    return PassageSet(tuple(passages), words)


def _splitter_version() -> list[tuple[str, int, int]]:
    """What tells one version of sentencex from another; its metadata would take 0.02 s to load."""
    spec = find_spec("sentencex")
    files = sorted(Path(spec.origin).parent.glob("*.*")) if spec and spec.origin else []
    return [(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files]


_CACHED_CORPORA = 12  # corpora whose passages are in the cache; the longest unused ones go first


def split_document(document: Document, words: int = DEFAULT_WORDS) -> list[Passage]:
    """Passages of a document; every character but blanks is in exactly one, from ``doc#1`` on.

    A passage ends where one more sentence or list item would lead away from ``words``, or after the last
    paragraph beyond three quarters of it; a lone heading or a short remainder joins its neighbour. Segments
    of the document's own list are never split: a longer one is a passage by itself. Each knows its headings.
    """
    return list(_passages(document, _boundaries(document, words)))


def _boundaries(document: Document, words: int) -> list[Boundary]:
    if words < 1:
        raise UsageError(f"passages need at least 1 word, found {words}", help="--passage-words 120")
    text = document.text
    units = list(_units(document, words))
    sizes = [len(text[start:end].split()) for start, end in units]
    outline = Outline(text)
    return [(start, end, outline.above(start)) for start, end in _group(text, units, sizes, words)]


def _passages(document: Document, boundaries: Iterable[Boundary]) -> Iterator[Passage]:
    name, title, text = document.id, document.title, document.text
    for number, (start, end, heading) in enumerate(boundaries, start=1):
        yield Passage(f"{name}#{number}", name, title, start, end, text[start:end], heading=heading)


def faults(document: Document, passages: Sequence[Passage]) -> list[str]:
    """Where a document's passages lose, repeat or alter its text, in words; none when sound."""
    problems: list[str] = []
    position = 0
    for passage in passages:
        if passage.start < position:
            problems.append(f"{passage.id} repeats characters {passage.start}-{position}")
        elif document.text[position : passage.start].strip():
            problems.append(f"characters {position}-{passage.start} of {document.id} are in no passage")
        if document.text[passage.start : passage.end] != passage.text:
            problems.append(f"{passage.id} differs from its document")
        position = passage.end
    if document.text[position:].strip():
        problems.append(f"characters {position}-{len(document.text)} of {document.id} are in no passage")
    return problems


def withhold(passages: PassageSet, documents: Collection[str], spans: Collection[Evidence]) -> PassageSet:
    """The set without whole documents and without every passage that overlaps a span; ids stay."""
    if not (documents or spans):
        return passages
    withheld = frozenset(documents)
    barred: dict[str, list[Evidence]] = {}
    for span in spans:
        barred.setdefault(span.document, []).append(span)
    remaining = (
        passage
        for passage in passages.passages
        if passage.document not in withheld
        and not any(
            passage.start < span.end and span.start < passage.end for span in barred.get(passage.document, ())
        )
    )
    return PassageSet(tuple(remaining), passages.words)


def _units(document: Document, words: int) -> Iterator[Span]:
    """The smallest pieces in order, without blanks at their ends; text between segments is one too."""
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
    """Cut a sentence that is far too long (a table, a list without stops) between words."""
    start, end = unit
    # A word and its blank are two characters at least.
    parts = text[start:end].split() if end - start > 4 * words else ()
    if len(parts) <= 2 * words:
        yield unit
        return
    position = start
    for number in range(0, len(parts), words):
        begin = text.index(parts[number], position)
        position = begin
        for word in parts[number : number + words]:
            position = text.index(word, position) + len(word)
        yield begin, position


def _group(text: str, units: Sequence[Span], sizes: Sequence[int], words: int) -> list[Span]:
    """Join units until one more would lead away from the size; end at a paragraph's end if one is near."""
    cuts = [0]
    size = 0
    for index, count in enumerate(sizes):
        while size > _SMALL * words and size + count / 2 > words:
            cuts.append(_step_back(text, units, sizes, cuts[-1], index, words))
            size = sum(sizes[cuts[-1] : index])
        size += count
    if len(cuts) > 1 and size <= _SMALL * words:
        cuts.pop()
    edges = pairwise([*cuts, len(units)]) if units else ()
    return [(units[begin][0], units[end - 1][1]) for begin, end in edges]


def _step_back(
    text: str, units: Sequence[Span], sizes: Sequence[int], first: int, index: int, words: int
) -> int:
    """Where to cut units[first:index]: after the last paragraph near the size, else at the end."""
    size = sum(sizes[first:index])
    for cut in range(index, first, -1):
        if size < _NEAR * words:
            break
        before, after = units[cut - 1][1], units[cut][0]
        if "\n" in text[before:after] and text[before - 1] in _PARAGRAPH_ENDS:
            return cut
        size -= sizes[cut - 1]
    return index


ENOUGH = 0.8  # the share of a span's tokens that a passage must hold
_TOKEN = re.compile(r"\w+")


class EvidenceIndex:
    """Answers for one corpus which passages hold which gold spans: the one definition of "supports".

    A gold span is held when one passage of its document has at least 80 % of its tokens, so that any
    chunking can be compared. Another document's equal wording never counts; a text-identical twin does.
    """

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._tokens: dict[Evidence, tuple[list[int], list[int]]] = {}

    def coverage(self, passage: Passage, span: Evidence) -> float:
        """Share of the span's tokens inside the passage; 0 outside the span's document.

        Of a passage with several spans those shares add up, as far as they are apart.
        """
        if not passage.also:
            return self._share(passage.document, passage.start, passage.end, span)
        share, position = 0.0, 0
        for part in sorted(passage.places, key=lambda part: (part.start, part.end)):
            if self._same(part.document, span.document):
                share += self._share(part.document, max(part.start, position), part.end, span)
                position = max(position, part.end)
        return min(1.0, share)

    def supporting(self, question: Question, passages: Iterable[Passage]) -> frozenset[str]:
        """Ids of the passages that hold enough of any gold span of the question."""
        spans = question.evidence
        return frozenset(passage.id for passage in passages if self._holds_any(passage, spans))

    def covered(self, question: Question, passages: Iterable[Passage]) -> tuple[bool, ...]:
        """For each gold span of the question whether one of the passages holds enough of it."""
        pool = tuple(passages)
        return tuple(any(self._holds_any(passage, (span,)) for passage in pool) for span in question.evidence)

    def holders(self, question: Question, passages: PassageSet) -> int:
        """How many passages hold a gold span, those of twins of its document apart."""
        pairs = ((span, passage) for span in question.evidence for passage in passages.of(span.document))
        return len({passage.id for span, passage in pairs if self._holds_any(passage, (span,))})

    def _holds_any(self, passage: Passage, spans: Iterable[Evidence]) -> bool:
        return any(self.coverage(passage, span) >= ENOUGH for span in spans)

    def _share(self, document: str, begin: int, last: int, span: Evidence) -> float:
        start, end = max(begin, span.start), min(last, span.end)
        if start >= end or not self._same(document, span.document):
            return 0.0
        if start == span.start and end == span.end:
            return 1.0
        starts, ends = self._token_offsets(span)
        if not starts:
            return (end - start) / (span.end - span.start)
        return max(0, bisect_right(ends, end) - bisect_left(starts, start)) / len(starts)

    def _same(self, document: str, twin: str) -> bool:
        return document == twin or self.corpus.canonical(document) == self.corpus.canonical(twin)

    def _token_offsets(self, span: Evidence) -> tuple[list[int], list[int]]:
        if span not in self._tokens:
            text = self.corpus.document(span.document).text
            tokens = list(_TOKEN.finditer(text, span.start, span.end))
            self._tokens[span] = [token.start() for token in tokens], [token.end() for token in tokens]
        return self._tokens[span]
