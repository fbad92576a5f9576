"""Alignment of passages that the user's pipeline or retriever brings with the corpus: by id, offsets or text.

A pipeline with an index of its own splits documents in another way. Once its passages are aligned, they are
judged like ours, since evidence is a span; one that is not located keeps its text and supports nothing.

Texts are compared folded: letters and digits without layout, case or accents. A text is located whole or in
pieces by seed and extend: ``SEED`` folded characters that the index has are followed to both sides as far as
the corpus agrees. Of any ``SEED + STEP`` in one piece that a text shares with it, one seed is indexed.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate
from threading import Lock
from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec.structs import replace

from ragharness.corpus.loading import Corpus
from ragharness.corpus.passages import PassageSet
from ragharness.language.citations import name_forms
from ragharness.language.words import FOLDED, squeeze
from ragharness.records import Document, Evidence, Passage

if TYPE_CHECKING:
    from numpy import int32
    from numpy.typing import NDArray

SEED = 20  # folded characters in one look-up key
STEP = 32  # distance between two indexed keys, in folded characters
CLOSE = 12  # characters that must match after a gap for the text to count as continued
GAP = 400  # longest gap, in the text or in the document, after which a text may continue
LEAST = 12  # folded characters of a text below which it could stand anywhere
PIECE = 40  # folded characters of a piece that is no accident: common phrases of contracts are shorter
SHARE = 0.5  # share of a text that must be located; the remainder is a heading, a summary, a footer
MOST = 0.8  # share of a text above which what is missing is not reported
_FOLLOWED = 256  # occurrences followed for one key: the zeros of a table stand everywhere
_UNFOLDED = 64  # documents of which it is remembered where each folded character comes from
_LISTED_IDS = 5  # ids listed in a notice; the others are counted
_MOST_SPANS = 64  # spans of one passage that are kept
_SPAN_ID = re.compile(
    r"(?P<document>.+)@(?P<spans>\d{1,12}-\d{1,12}(?:\+\d{1,12}-\d{1,12}){0,15})", re.DOTALL
)
Outcome = Literal["id", "offsets", "text", "partly", "ambiguous", "nowhere"]


class Alignment(NamedTuple):
    """A passage for grading, and how it was located.

    It has the id that it came with; one that was not located has no document.
    """

    passage: Passage
    outcome: Outcome


class Aligner:
    """Locates passages in the corpus; thread-safe, builds its index on first use."""

    def __init__(self, corpus: Corpus, passages: PassageSet) -> None:
        self._corpus = corpus
        self._passages = passages
        self._building = Lock()
        self._matcher: _Matcher | None = None

    def align(self, passage: Passage) -> Alignment:
        """The passage with its spans in the corpus, and all names of its document."""
        alignment = self._align(passage)
        located = alignment.passage
        document = self._corpus.document(located.document) if located.document else None
        ours = (document.title, document.source) if document else ()
        names = dict.fromkeys(filter(None, (*passage.names, passage.document, passage.title, *ours)))
        others = tuple(name for name in names if name not in (located.document, located.title))
        return alignment._replace(passage=replace(located, names=others, page=passage.page))

    def _align(self, passage: Passage) -> Alignment:
        """The passage with its spans in the corpus.

        By offsets where document, start and end name a span that holds its text, else by its text, else by
        its id when it is one of ours. Without a text, id or offsets are believed: nothing can be compared.
        """
        ours = self._passages.by_id.get(passage.id)
        document = self.names.find(passage.document, passage.title) or (ours.document if ours else "")
        if ours is not None and (not passage.text or passage.text == ours.text):
            return Alignment(ours, "id")
        if (quoted := self._by_offsets(passage, document)) is not None:
            return Alignment(quoted, "offsets")
        with self._building:
            self._matcher = self._matcher or _Matcher(self._corpus)
        match = self._matcher.match(passage.text, document, passage.start)
        if match.spans:
            span, *others = match.spans[:_MOST_SPANS]
            located = replace(
                passage, document=span.document, start=span.start, end=span.end, also=tuple(others)
            )
            return Alignment(located, "text" if match.complete else "partly")
        if (quoted := self._by_offsets(passage, document, whole=False)) is not None:
            return Alignment(quoted, "offsets")
        if ours is not None:
            return Alignment(ours, "id")
        unlocated = replace(passage, document="", start=0, end=0, also=())
        return Alignment(unlocated, "ambiguous" if match.ambiguous else "nowhere")

    @cached_property
    def names(self) -> DocumentNames:
        """The documents by all their names."""
        return DocumentNames(self._corpus)

    def _by_offsets(self, passage: Passage, document: str, *, whole: bool = True) -> Passage | None:
        """The passage if the text at its offsets is its own, or most of it after a heading."""
        if not document or passage.end <= passage.start:
            return None
        quoted = self._corpus.document(document).text[passage.start : passage.end]
        claimed, brought = squeeze(quoted), squeeze(passage.text or quoted)
        agrees = claimed == brought if whole else claimed in brought and len(claimed) >= SHARE * len(brought)
        if not quoted.strip() or not agrees:
            return None
        end = passage.start + len(quoted)
        return replace(passage, document=document, end=end, text=passage.text or quoted, also=())


def with_unique_ids(passages: Iterable[Passage]) -> list[Passage]:
    """Passages with unique ids: duplicates once, another text under a repeated id renamed."""
    by_id: dict[str, Passage] = {}
    for passage in passages:
        name, number = passage.id, 1
        while name in by_id and _content(by_id[name]) != _content(passage):
            number += 1
            name = f"{passage.id}~{number}"
        by_id.setdefault(name, replace(passage, id=name))
    return list(by_id.values())


def _content(passage: Passage) -> tuple[object, ...]:
    return passage.document, passage.start, passage.end, passage.text


def alignment_notices(alignments: Sequence[Alignment]) -> tuple[str, ...]:
    """A sentence for each kind of passage that could not be located, with how many and which."""
    kinds = {
        "nowhere": "that the corpus does not hold, so that they support nothing",
        "ambiguous": "that several documents hold and that name none, so that they support nothing",
        "partly": "that the corpus holds only in part, of which that part counts",
    }
    notices = []
    for outcome, words in kinds.items():
        ids = [alignment.passage.id for alignment in alignments if alignment.outcome == outcome]
        if ids:
            notices.append(f"passages {words}: {len(ids)} of {len(alignments)} ({listed_ids(ids)})")
    return tuple(notices)


def listed_ids(ids: Sequence[str]) -> str:
    """The first ids of some passages, and how many others there are."""
    more = f" and {len(ids) - _LISTED_IDS} more" if len(ids) > _LISTED_IDS else ""
    return ", ".join(ids[:_LISTED_IDS])[:200] + more


def span_id(spans: Sequence[Evidence]) -> str:
    """Id of the passage at some spans of one document."""
    return f"{spans[0].document}@" + "+".join(f"{span.start}-{span.end}" for span in spans)


def passage_at(name: str, corpus: Corpus) -> Passage | None:
    """The passage whose id names its spans, in the corpus's own words; None for any other id."""
    match = _SPAN_ID.fullmatch(name)
    documents = (document for document in corpus.documents if match and document.id == match["document"])
    document = next(documents, None)
    if not match or not document:
        return None
    pairs = (span.split("-") for span in match["spans"].split("+"))
    spans = [Evidence(document.id, int(start), int(end)) for start, end in pairs]
    if not all(span.start < span.end <= len(document.text) for span in spans):
        return None
    # A wording that is repeated is told once.
    quotes = (document.text[span.start : span.end] for span in spans)
    texts = {" ".join(quote.split()): quote for quote in quotes}
    span, *others = spans
    text = "\n".join(texts.values())
    return Passage(name, document.id, document.title, span.start, span.end, text, tuple(others))


class DocumentNames:
    """The documents of a corpus by all their names; a name that two of them bear means none."""

    def __init__(self, corpus: Corpus) -> None:
        self._ids = frozenset(document.id for document in corpus.documents)
        self._by_name: dict[str, str] = {}
        for document in corpus.documents:
            names = (document.id, document.title, document.handle, document.source)
            for form in dict.fromkeys(form for name in names for form in name_forms(name)):
                bearer = self._by_name.setdefault(form, document.id)
                if corpus.canonical(bearer) != corpus.canonical(document.id):
                    self._by_name[form] = ""

    def find(self, *names: str) -> str:
        """Id of the document that the earliest meaningful of these names means; "" for none."""
        for name in names:
            if name in self._ids:
                return name
            if document := next(filter(None, (self._by_name.get(form) for form in name_forms(name))), ""):
                return document
        return ""


def _unfolded_offsets(text: str) -> NDArray[int32]:
    """The offset in a text of the character that each folded one comes from."""
    import numpy as np

    letters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    used = sorted(map(ord, set(text)))
    lengths = np.zeros(used[-1] + 1 if used else 1, dtype=np.uint8)
    lengths[used] = [len(FOLDED[letter] or "") for letter in used]
    return np.repeat(np.arange(len(text), dtype=np.int32), lengths[letters])


class _Overlap(NamedTuple):
    """Characters ``begin`` to ``end`` of a folded text, which stand in the folded corpus at ``at``."""

    begin: int
    end: int
    at: int


class _TextIndex:
    """Index of seeds over the folded text of all documents."""

    def __init__(self, documents: Sequence[Document]) -> None:
        import numpy as np

        self._documents = documents
        texts = [squeeze(document.text) for document in documents]
        self._begins = [0, *accumulate(len(text) + 1 for text in texts)][:-1]
        # A line break is never folded text: nothing matches across two documents.
        self._text = "\n".join(texts)
        begins = range(0, len(self._text) - SEED + 1, STEP)
        seeds = np.fromiter((hash(self._text[at : at + SEED]) for at in begins), np.int64, len(begins))
        order = seeds.argsort(kind="stable")
        self._seeds, self._offsets = seeds[order], order * STEP
        self._unfolded = lru_cache(_UNFOLDED)(lambda number: _unfolded_offsets(documents[number].text))

    def document_at(self, at: int) -> str:
        return self._documents[bisect_right(self._begins, at) - 1].id

    def span(self, overlap: _Overlap) -> Evidence:
        """The overlap as offsets into the text of its document."""
        number = bisect_right(self._begins, overlap.at) - 1
        offsets, begin = self._unfolded(number), overlap.at - self._begins[number]
        start, end = int(offsets[begin]), int(offsets[begin + overlap.end - overlap.begin - 1]) + 1
        return Evidence(self._documents[number].id, start, end)

    def whole(self, text: str) -> list[_Overlap]:
        """Every occurrence of the whole folded text, in corpus order."""
        return [_Overlap(0, len(text), at) for at in sorted(set(self._occurrences(text)))]

    def next_overlaps(self, text: str, first: int, least: int) -> list[_Overlap]:
        """The earliest overlaps of at least ``least`` characters from ``first``, within one ``STEP``.

        Each document has its seeds elsewhere: the one that leads on farthest may not be indexed first.
        """
        overlaps: dict[int, _Overlap] = {}
        limit = len(text) - SEED + 1
        for begin, offsets in self._indexed_seeds(text, first, limit):
            if begin >= limit:
                break
            for at in offsets[:_FOLLOWED]:
                if at - begin not in overlaps:
                    overlap = self._extended(text, begin, at, first)
                    if overlap.end - overlap.begin >= least:
                        if not overlaps:
                            limit = min(limit, begin + STEP)
                        overlaps[at - begin] = overlap
        return list(overlaps.values())

    def onward(self, text: str, before: _Overlap) -> _Overlap | None:
        """Where a text continues in the same document after a gap; None if it does not."""
        behind = before.at + before.end - before.begin
        border = self._text.find("\n", behind)
        limit = min(behind + GAP, len(self._text) if border < 0 else border)
        for begin in range(before.end, min(before.end + GAP, len(text) - CLOSE + 1)):
            at = self._text.find(text[begin : begin + CLOSE], behind, limit)
            if at >= 0:
                return self._extended(text, begin, at, before.end, behind)
        return None

    def _indexed_seeds(self, text: str, first: int, limit: int) -> Iterator[tuple[int, list[int]]]:
        """The offsets from ``first`` at which an indexed seed begins, each with its offsets in the corpus.

        Seeds are compared by their hash: one in very many may be another.
        """
        import numpy as np

        for block in range(first, limit, 2 * STEP):
            begins = range(block, min(block + 2 * STEP, limit))
            seeds = np.array([hash(text[at : at + SEED]) for at in begins], dtype=np.int64)
            lows, highs = (self._seeds.searchsorted(seeds, side) for side in ("left", "right"))
            for number in (lows < highs).nonzero()[0].tolist():
                yield begins[number], self._offsets[lows[number] : highs[number]].tolist()

    def _occurrences(self, text: str) -> Iterator[int]:
        if len(text) >= SEED + STEP:
            for begin, offsets in self._indexed_seeds(text, 0, STEP):
                for at in offsets:
                    if at >= begin and self._text.startswith(text, at - begin):
                        yield at - begin
            return
        at = self._text.find(text) if text else -1
        while at >= 0:
            yield at
            at = self._text.find(text, at + 1)

    def _extended(self, text: str, begin: int, at: int, least: int, floor: int = 0) -> _Overlap:
        back, most = 0, min(begin - least, at - floor)
        while back < most and text[begin - back - 1] == self._text[at - back - 1]:
            back += 1
        return _Overlap(begin - back, begin + self._common_length(text, begin, at), at - back)

    def _common_length(self, text: str, begin: int, at: int) -> int:
        """Length of the common text from two offsets, by bisection."""
        low, high = 0, min(len(text) - begin, len(self._text) - at)
        while low < high:
            middle = (low + high + 1) // 2
            if self._text.startswith(text[begin + low : begin + middle], at + low):
                low = middle
            else:
                high = middle - 1
        return low


class _Match(NamedTuple):
    spans: tuple[Evidence, ...] = ()
    complete: bool = True
    ambiguous: bool = False  # it stands in several documents, and nothing says in which it was read


class _Matcher:
    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._index = _TextIndex(corpus.documents)

    def match(self, text: str, named: str, near: int) -> _Match:
        """The spans of a text; ``named`` is the document that it says it comes from, or empty.

        ``near`` is where it says that it begins. A text that stands more than once in its document has all
        those spans: it says the same at each of them.
        """
        folded = squeeze(text)
        if len(folded) < LEAST:
            return _Match()
        if overlaps := self._index.whole(folded):
            document = self._meant_document(overlaps, [named], folded)
            spans = map(self._index.span, self._in_document(overlaps, document))
            nearest = sorted(spans, key=lambda span: abs(span.start - near))
            return _Match(tuple(nearest), ambiguous=not document)
        match = self._match_pieces(folded, named)
        below = text.strip().partition("\n")[2]
        if not match.spans and len(squeeze(below)) >= SHARE * len(folded):
            return self.match(below, named, near)  # short, below a heading: "Source 3:"
        return match

    def _match_pieces(self, folded: str, named: str) -> _Match:
        pieces = list(self._pieces(folded, named))
        located = sum(overlaps[0].end - overlaps[0].begin for overlaps in pieces)
        if located < SHARE * (len(folded) - self._title_length(folded, named)):
            return _Match()
        likely = [named, *(_only(self._standing(overlaps)) for overlaps in pieces)]
        spans: dict[Evidence, None] = {}
        for overlaps in pieces:
            document = self._meant_document(overlaps, likely, folded)
            in_document = self._in_document(overlaps, document)
            spans.update((self._index.span(overlap), None) for overlap in in_document)
        # The title of the document is put before its pieces often, and is not of their text.
        title = max((self._title_length(folded, span.document) for span in spans), default=0)
        complete = located >= MOST * (len(folded) - title)
        return _Match(tuple(spans), complete=complete, ambiguous=not spans)

    def _title_length(self, folded: str, document: str) -> int:
        """How many folded characters at the beginning of a text are the title of the document."""
        title = squeeze(self._corpus.document(document).title) if document else ""
        return len(title) if folded.startswith(title) else 0

    def _pieces(self, folded: str, named: str) -> Iterator[list[_Overlap]]:
        """The pieces of a text that stand in the corpus, each with all its occurrences."""
        position, before = 0, None
        while overlaps := self._index.next_overlaps(folded, position, PIECE):
            meant = self._in_document(overlaps, named) or overlaps
            position = max(overlap.end for overlap in meant)
            farthest = [overlap for overlap in meant if overlap.end == position]
            yield from self._short_pieces(folded, before, farthest[0].begin)
            yield farthest
            # Behind a gap only a text of one document is followed.
            before = farthest[0] if _only(self._standing(farthest)) else None
        yield from self._short_pieces(folded, before, len(folded))

    def _short_pieces(self, folded: str, before: _Overlap | None, last: int) -> Iterator[list[_Overlap]]:
        """The short pieces behind a located one: a word was changed, a page ended."""
        while before and (before := self._index.onward(folded[:last], before)):
            yield [before]

    def _standing(self, overlaps: Sequence[_Overlap]) -> list[str]:
        """The documents in which overlaps stand, a twin counted as its original."""
        documents = (self._index.document_at(overlap.at) for overlap in overlaps)
        return list(dict.fromkeys(map(self._corpus.canonical, documents)))

    def _meant_document(self, overlaps: Sequence[_Overlap], likely: Iterable[str], folded: str) -> str:
        """The document that is meant: one that is likely, the only one, one whose title is in the text."""
        standing = self._standing(overlaps)
        meant = (document for document in likely if self._corpus.canonical(document) in standing)
        if document := next(meant, "") or _only(standing):
            return document
        return _only([name for name in standing if squeeze(self._corpus.document(name).title) in folded])

    def _in_document(self, overlaps: Sequence[_Overlap], document: str) -> list[_Overlap]:
        """The overlaps in one document: in it itself where it is a twin, else in its original."""
        standing = {self._index.document_at(overlap.at) for overlap in overlaps}
        meant = document if document in standing else self._corpus.canonical(document)
        return [overlap for overlap in overlaps if self._index.document_at(overlap.at) == meant]


def _only(documents: Sequence[str]) -> str:
    """The one document that there is; "" for none, or several."""
    return documents[0] if len(documents) == 1 else ""
