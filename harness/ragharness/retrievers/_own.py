"""The user's own retriever: ``package.module:name`` or ``path/file.py:name``, called like a built-in one.

What stands behind the colon is told from the names of its parameters: a function of a query (and ``k``) is
the retriever; a class, or a function of ``passages`` or of nothing that must be given, makes it, once. An
object is asked by its ``retrieve``, ``search`` or ``invoke``, or called.

What it returns is located in the index: by id, by offsets, by text. A passage of other boundaries becomes the
corpus's own words at its place, under an id that says the place: a run can be graded again without the
retriever. What the index leaves out stays out, however it is named.
"""

from __future__ import annotations

import inspect
from collections import abc
from collections.abc import Awaitable, Callable, Iterable, Sequence
from itertools import islice
from typing import Any

from msgspec.structs import replace

from ragharness.corpus.alignment import Aligner, passage_at, span_id
from ragharness.corpus.loading import Corpus
from ragharness.corpus.passages import EvidenceIndex, PassageSet, split_document
from ragharness.errors import RetrieverNotUsable
from ragharness.language.tables import regex
from ragharness.pipelines.adapters import (
    PASSAGES_NAMES,
    POSITIONAL,
    QUESTION_NAMES,
    bind,
    described,
    find,
    is_factory,
    make,
    plain_name,
    readable_parameters,
    reported_as,
    takes_any,
)
from ragharness.pipelines.adapters.fields import passage_of, split_score
from ragharness.records import Evidence, Hit, Passage, Question
from ragharness.support.concurrency import Background

INDEX_NAMES = PASSAGES_NAMES | {"corpus", "nodes"}
K_NAMES = frozenset({"k", "top_k", "topk", "n", "limit", "n_results", "num_results", "count", "size"})
METHODS = ("retrieve", "search", "invoke")

HELP = "write it as retrieve(query, k) -> passages or their ids, or as build(passages), which returns that"

WITHHELD = "hold what the index leaves out for this question set"
UNKNOWN = "are in no document of the corpus"
AMBIGUOUS = "stand in several documents of the corpus and name none"

ENTRY_LIMIT = 1000
"""Entries that are read; more than any ``k`` asks for."""

_NAMED = 5
"""Ids that a complaint names; the rest is counted."""

_WORD = regex(r"\w")

_NUMBER = regex(r"\d{1,18}")
_BLANK = regex(r"\s")
"""An id that nobody knows and that has a blank is a text, as in what pipelines return."""


class OwnRetriever:
    """Calls the user's retriever and maps what it returns onto the index."""

    waits = True
    """It may wait for a service: asked beside an event loop, not on it."""

    def __init__(
        self, spec: str, function: Callable[..., object], mapper: IndexMapper, fingerprint: str
    ) -> None:
        self.name = spec
        self.settings: dict[str, str | int | float] = {"source": fingerprint[:32]}
        self._ask = _of_query_and_k(function, spec)
        self._mapper = mapper
        # One loop of its own: clients keep their connections, and whoever asks may be on a loop already.
        self._loop = Background()

    def retrieve(self, query: str, k: int, question: Question | None = None) -> Hits:  # noqa: ARG002
        """Return at most ``k`` hits in the order in which they came, with what was wrong with the others.

        Raises what the user's code raises, and RetrieverNotUsable for what cannot be read.
        """
        returned = self._ask(query, k)
        if inspect.isawaitable(returned):
            returned = self._loop.run(_awaited(returned))
        return self._mapper.hits(read(returned, self.name), k)


def build_own(wanted: object, passages: PassageSet, evidence: EvidenceIndex | None) -> OwnRetriever:
    """Return the user's retriever, named or handed over, over ``passages``; raises RetrieverNotUsable."""
    with reported_as(RetrieverNotUsable):
        code = find(wanted)
        retriever, indexed = code.value, False
        is_asked = _method(retriever) is not None and not inspect.isclass(retriever)
        if not is_asked and is_factory(retriever, QUESTION_NAMES, INDEX_NAMES):
            retriever, indexed = make(retriever, code.spec, INDEX_NAMES, list(passages.passages))
        function = _method(retriever) or retriever
        if not callable(function) or inspect.isclass(function):
            raise RetrieverNotUsable(
                f"expected a function, or an object with {', '.join(METHODS)} or __call__, at {code.spec}, "
                f"found {described(retriever)}",
                help=HELP,
            )
        mapper = IndexMapper(passages, evidence.corpus if evidence is not None else None, by_position=indexed)
        return OwnRetriever(code.spec, function, mapper, code.fingerprint)


def _method(retriever: Any) -> Callable[..., object] | None:
    return next((each for name in METHODS if callable(each := getattr(retriever, name, None))), None)


def _of_query_and_k(function: Callable[..., object], spec: str) -> Callable[[str, int], object]:
    """Return the function as one of a query and ``k``, each handed over where its parameter stands."""
    parameters = readable_parameters(function)
    if parameters is None:
        return function
    lined = [each for each in parameters if each.kind in POSITIONAL]
    query = next(
        (each for each in parameters if plain_name(each) in QUESTION_NAMES), lined[0] if lined else None
    )
    if query is None and takes_any(function):
        return function
    others = [each for each in parameters if each is not query]
    needed = [each for each in others if each.default is each.empty]
    k = next((each for each in others if plain_name(each) in K_NAMES), None)
    k = k or next((each for each in needed if each in lined), None)
    unknown = [each.name for each in needed if each is not k]
    if unknown or query is None:
        found = f"one that needs {', '.join(unknown)}" if unknown else "one without a parameter for the query"
        raise RetrieverNotUsable(f"expected a function of a query and k at {spec}, found {found}", help=HELP)
    binding = bind(parameters, {query.name: "query"} | ({k.name: "k"} if k is not None else {}))
    return lambda text, number: binding.call(function, {"query": text, "k": number})


async def _awaited(returned: Awaitable[object]) -> object:
    return await returned


class Hits(list[Hit]):
    """Hits, best first, and in words what else was returned."""

    problems: tuple[str, ...] = ()


class IndexMapper:
    """Maps entries onto the passages of an index; safe to use from many threads."""

    def __init__(self, passages: PassageSet, corpus: Corpus | None, *, by_position: bool = False) -> None:
        self._passages = passages
        self._corpus = corpus
        self._aligner = Aligner(corpus, passages) if corpus is not None else None
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
        if self._aligner is None or self._corpus is None:
            return ours, UNKNOWN
        if not brought.text and brought.end <= brought.start:
            if self._was_left_out(brought.id):
                return None, WITHHELD
            brought = passage_at(brought.id, self._corpus) or brought
            if not brought.text and _BLANK.search(brought.id):
                brought = replace(brought, id="", text=brought.id)
        placed = self._aligner.align(brought)
        places = placed.passage.places
        if not places:
            return None, AMBIGUOUS if placed.outcome == "ambiguous" else UNKNOWN
        kept = [each for each in places if self._is_indexed(each)]
        # A wording that stands elsewhere too may come from there; of what was put together all must be there.
        if not kept or (placed.outcome == "partly" and len(kept) < len(places)):
            return None, WITHHELD
        return self._indexed(kept), ""

    def _numbered(self, name: str) -> Passage | None:
        if not self._by_position or not _NUMBER.fullmatch(name) or int(name) >= len(self._passages.passages):
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
        made = passage_at(span_id(places), self._corpus)
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
    return [_entry(each, spec) for each in islice(entries, ENTRY_LIMIT)]


def _entry(entry: object, spec: str) -> tuple[Passage, float]:
    value, score = split_score(entry)
    if isinstance(value, (str, int)) and not isinstance(value, bool) and value != "":
        return Passage(str(value), "", "", 0, 0, ""), score
    passage = value if isinstance(value, Passage) else passage_of(value)
    if passage is None:
        raise _unreadable(f"an id, a passage, or a pair with a score in the list from {spec}", value)
    return passage, score


def _unreadable(expected: str, found: object) -> RetrieverNotUsable:
    return RetrieverNotUsable(f"expected {expected}, found {described(found)}", help="see docs/retrieval.md")
