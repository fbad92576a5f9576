"""Passages of about 120 words that end at sentences and paragraphs, their headings and gold spans.

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
    code = hash_code(Path(__file__), Path(tables.__file__).parent)
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
    names = tuple(filter(None, (document.source, document.handle)))
    for number, (start, end, heading) in enumerate(boundaries, start=1):
        yield Passage(f"{name}#{number}", name, title, start, end, text[start:end], (), heading, names)


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


SEPARATOR = " | "  # between the cells of a row, as the readers of corpora write tables
SHORT = 12  # words of the longest heading
LEAD = 30  # words of the longest sentence, or line of column heads, that is kept of what leads into a table
_TITLE_LINES = 4
_HEAD_LINES = 3
_FIGURE = tables.regex(r"[-(]*[$€£]?[(.]?\d[\d.,]*[)%\s]*|\$?[-–—]+")
_YEAR = tables.regex(r"(?:19|20)\d\d")
_NUMBERED = tables.regex(r"(?i)(?:part|item|note|chapter|section|article|appendix|annex)\s+(?:\d|[IVXA-Z]\b)")
_LETTERS = tables.regex(r"[^\W\d_]")
Line = tuple[int, str]  # where a line starts, and its text


class Outline:
    """Headings that a position in a text stands under: of its section, and title and heads of its table.

    A table is lines of cells with ``SEPARATOR`` between them, from its first row to the next blank line.
    Short lines before it, or a sentence with a colon, are its title and unit; its lines before the first row
    of figures are its column heads; a short line among its rows heads a group of them.
    """

    def __init__(self, text: str) -> None:
        self._starts: list[int] = []
        self._above: list[tuple[Line, ...]] = []
        reader = _Reader()
        start = 0
        lines = text.split("\n")
        for number, line in enumerate(lines):
            stripped = line.strip()
            if stripped:
                following = lines[number + 1] if number + 1 < len(lines) else ""
                reader.read((start, stripped), before_row=SEPARATOR in following)
                self._starts.append(start)
                self._above.append(reader.above())
                for heading in reader.titled:
                    # Only now these lines are known as the title of a table: they stand under it, too.
                    above = bisect_right(self._starts, heading[0]) - 1
                    self._above[above] = (*self._above[above], *reader.titled)
            else:
                reader.end_table()
            start += len(line) + 1

    def above(self, position: int) -> str:
        """The lines that govern a position and stand before it, the outermost first; "" for none."""
        number = bisect_right(self._starts, position) - 1
        lines = self._above[number] if number >= 0 else ()
        return "\n".join(line for start, line in lines if start < position)


class _Reader:
    """Reads lines in order and knows what the last one stands under."""

    def __init__(self) -> None:
        self._sections: dict[int, Line] = {}
        self._lead: tuple[Line, ...] = ()
        self._head: tuple[Line, ...] | None = None
        """Title, unit and column heads of the table that is being read; None outside of tables."""
        self._group: tuple[Line, ...] = ()
        self._rows = 0
        self._figures = False
        self.titled: tuple[Line, ...] = ()  # the title of the table that begins with this line

    def above(self) -> tuple[Line, ...]:
        """The lines of headings, the last one perhaps among them."""
        sections = (self._sections[level] for level in sorted(self._sections))
        return (*sections, *(self._head or ()), *self._group)

    def end_table(self) -> None:
        """Leave the table that a blank line ends."""
        if self._head is not None:
            self._head, self._lead, self._group = None, (), ()

    def read(self, line: Line, *, before_row: bool) -> None:
        """Take the next line that is not blank; ``before_row``: cells follow in the line after it."""
        text = line[1]
        cells = text.split(SEPARATOR)
        self.titled = ()
        if self._head is not None and len(cells) == 1 and not _is_short(text):
            self.end_table()
        if len(cells) > 1:
            self._read_row(line, figures=any(is_figure(cell.strip()) for cell in cells[1:]))
        elif self._head is not None:
            if self._figures:
                self._group = (line,)
            else:
                self._head = (*self._head, line)
        elif _is_heading(text) and not before_row:
            self._begin_section(line)
        elif _is_short(text):
            self._lead = (*self._lead[1 - _TITLE_LINES :], line)
        else:
            self._lead = _last_sentence(line)

    def _read_row(self, line: Line, *, figures: bool) -> None:
        if self._head is None:
            self.titled = self._head = self._lead
            self._rows, self._figures = 0, False
        self._rows += 1
        # A table of words has rows without figures from its second line on.
        self._figures = self._figures or figures or self._rows > _HEAD_LINES
        if not self._figures and len(line[1].split()) <= LEAD:
            self._head = (*self._head, line)

    def _begin_section(self, line: Line) -> None:
        text = line[1]
        level = 0 if _NUMBERED.match(text) else 1 if text.isupper() else 2
        above = {upper: heading for upper, heading in self._sections.items() if upper < level}
        self._sections = {**above, level: line}
        self._lead = ()


def is_figure(cell: str) -> bool:
    """Whether a cell holds a figure or the dash of none, and not a year."""
    return bool(_FIGURE.fullmatch(cell)) and not _YEAR.fullmatch(cell)


def _is_short(text: str) -> bool:
    return text[-1] not in ".;" and len(text.split()) <= SHORT


def _is_heading(text: str) -> bool:
    if text[-1] in ",?!:" or not (text[0].isupper() or text[0].isdigit() or text[0] == "#"):
        return False
    return _is_short(text) and len(_LETTERS.findall(text)) > _HEAD_LINES


def _last_sentence(line: Line) -> tuple[Line, ...]:
    """The sentence with a colon that ends a line, if it is short enough to lead into a table."""
    start, text = line
    if text[-1] != ":":
        return ()
    begin = text.rfind(". ") + 1
    sentence = text[begin:].strip()
    return ((start + begin, sentence),) if len(sentence.split()) <= LEAD else ()
