"""Locates the results of a user's retriever in the index: by id, by offsets, by text.

A passage of other boundaries becomes the corpus's own words at its place, under an id that says the place:
a run can be graded again without the retriever. What the index leaves out stays out, however it is named.
"""

from __future__ import annotations

from collections import abc
from collections.abc import Callable, Iterable
from itertools import islice
from numbers import Real
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from ragharness.errors import RetrieverNotUsable
from ragharness.importing import described
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

MOST = 1000
"""Entries that are read; more than any ``k`` asks for."""

_HOLDERS = ("passage", "node", "document", "chunk")
_IDS = ("id", "passage_id", "chunk_id", "node_id", "id_")
_TEXTS = ("text", "page_content", "content")
_DOCUMENTS = ("document", "document_id", "doc_id", "source", "file_name")
_STARTS = ("start", "start_char_idx", "start_index")
_ENDS = ("end", "end_char_idx")

Get = Callable[[str], Any]


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


def read(returned: object, spec: str) -> list[tuple[Passage, float]]:
    """Return each entry as a passage, which may be no more than an id, with its score (0: none was given).

    Raises RetrieverNotUsable for what is no list and for an entry that names nothing.
    """
    as_list = getattr(returned, "tolist", None)
    entries = as_list() if callable(as_list) else returned
    if isinstance(entries, (str, bytes, abc.Mapping)) or not isinstance(entries, Iterable):
        raise _unreadable(f"a list of passages or ids from {spec}", entries)
    return [_entry(each, spec) for each in islice(entries, MOST)]


def _entry(value: Any, spec: str) -> tuple[Passage, float]:
    score: object = None
    if isinstance(value, (tuple, list)) and len(value) == 2 and _is_number(value[1]):
        value, score = value
    elif not isinstance(value, (str, int)):
        score = _first(_getter(value), ("score", "similarity"))
    for _ in range(2):
        if isinstance(value, Passage) or _is_id(value):
            break
        inner = _first(_getter(value), _HOLDERS)
        # A dict may name its document beside its text: that is no passage.
        if inner is None or isinstance(inner, (str, int)):
            break
        value = inner
    passage = _passage(value)
    if passage is None:
        raise _unreadable(f"an id, a passage, or a pair with a score in the list from {spec}", value)
    return passage, float(score) if isinstance(score, Real) and _is_number(score) else 0.0


def _passage(value: Any) -> Passage | None:
    if isinstance(value, Passage):
        return value
    if _is_id(value):
        return Passage(str(value), "", "", 0, 0, "")
    get = _getter(value)
    found, text = _first(get, _IDS), _first(get, _TEXTS)
    name = str(found) if _is_id(found) else ""
    text = text if isinstance(text, str) else ""
    if not name and not text:
        return None
    more = _first(get, ("metadata",))
    if isinstance(more, abc.Mapping):
        get = _either(get, more)
    document, title = _first(get, _DOCUMENTS), _first(get, ("title",))
    start, end = (_offset(_first(get, names)) for names in (_STARTS, _ENDS))
    if start is None:
        start = end = 0
    return Passage(
        name,
        document if isinstance(document, str) else "",
        title if isinstance(title, str) else "",
        start,
        max(start, end if end is not None else start + len(text)),
        text,
    )


def _getter(value: Any) -> Get:
    if isinstance(value, abc.Mapping):
        return value.get
    return lambda name: getattr(value, name, None)


def _either(get: Get, more: abc.Mapping[str, Any]) -> Get:
    def found(name: str) -> Any:
        value = get(name)
        return more.get(name) if value is None else value

    return found


def _first(get: Get, names: tuple[str, ...]) -> Any:
    return next((value for value in map(get, names) if value is not None), None)


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_id(value: object) -> bool:
    return (isinstance(value, str) and bool(value)) or (
        isinstance(value, int) and not isinstance(value, bool)
    )


def _offset(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _unreadable(expected: str, found: object) -> RetrieverNotUsable:
    return RetrieverNotUsable(f"expected {expected}, found {described(found)}", help="see docs/retrieval.md")
