"""The user's own retriever: ``package.module:name`` or ``path/file.py:name``, called like a built-in one.

The names of its parameters tell what stands behind the colon: a function of a query (and ``k``) is
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

from ragharness.corpus.alignment import Aligner, listed_ids, passage_at, span_id
from ragharness.corpus.loading import Corpus
from ragharness.corpus.passages import EvidenceIndex, PassageSet, split_document
from ragharness.errors import RetrieverNotUsable
from ragharness.language.tables import regex
from ragharness.pipelines import adapters
from ragharness.pipelines.adapters import PASSAGES_NAMES, POSITIONAL, QUESTION_NAMES, plain_name
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
ENTRY_LIMIT = 1000  # entries that are read; more than any ``k`` asks for
_WORD = regex(r"\w")

_NUMBER = regex(r"\d{1,18}")
_BLANK = regex(r"\s")  # an unknown id with a blank is a text, as in what pipelines return


class OwnRetriever:
    """Calls the user's retriever and maps what it returns onto the index."""

    waits = True

    def __init__(self, spec: str, function: Callable[..., object], mapper: IndexMapper, digest: str) -> None:
        self.name = spec
        self.settings: dict[str, str | int | float] = {"source": digest[:32]}
        self._ask = _of_query_and_k(function, spec)
        self._mapper = mapper
        # One loop of its own: clients keep their connections, and whoever asks may be on a loop already.
        self._loop = Background()

    def retrieve(self, query: str, k: int, question: Question | None = None) -> Hits:  # noqa: ARG002
        """At most ``k`` hits in the order in which they came, with what was wrong with the others.

        Raises what the user's code raises, and RetrieverNotUsable for what cannot be read.
        """
        returned = self._ask(query, k)
        if inspect.isawaitable(returned):
            returned = self._loop.run(_result(returned))
        return self._mapper.hits(read(returned, self.name), k)


async def _result(returned: Awaitable[object]) -> object:
    return await returned


def build_own(retriever: object, passages: PassageSet, evidence: EvidenceIndex | None) -> OwnRetriever:
    """The user's retriever, named or handed over, over ``passages``; raises RetrieverNotUsable."""
    with adapters.reported_as(RetrieverNotUsable):
        code = adapters.find(retriever)
        value, indexed = code.value, False
        answers = _method(value) is not None and not inspect.isclass(value)
        if not answers and adapters.is_factory(value, QUESTION_NAMES, INDEX_NAMES):
            value, indexed = adapters.make(value, code.spec, INDEX_NAMES, list(passages.passages))
        function = _method(value) or value
        if not callable(function) or inspect.isclass(function):
            raise RetrieverNotUsable(
                f"expected a function, or an object with {', '.join(METHODS)} or __call__, at {code.spec}, "
                f"found {adapters.described(value)}",
                help=HELP,
            )
        mapper = IndexMapper(passages, evidence.corpus if evidence is not None else None, by_position=indexed)
        return OwnRetriever(code.spec, function, mapper, code.fingerprint)


def _method(value: Any) -> Callable[..., object] | None:
    return next((method for name in METHODS if callable(method := getattr(value, name, None))), None)


def _of_query_and_k(function: Callable[..., object], spec: str) -> Callable[[str, int], object]:
    """The function as one of a query and ``k``, each handed over where its parameter stands."""
    parameters = adapters.readable_parameters(function)
    if parameters is None:
        return function
    positional = [parameter for parameter in parameters if parameter.kind in POSITIONAL]
    by_name = [parameter for parameter in parameters if plain_name(parameter) in QUESTION_NAMES]
    query = next(iter((*by_name, *positional)), None)
    if query is None and adapters.takes_any(function):
        return function
    others = [parameter for parameter in parameters if parameter is not query]
    required = [parameter for parameter in others if parameter.default is parameter.empty]
    by_name = [parameter for parameter in others if plain_name(parameter) in K_NAMES]
    likely = [parameter for parameter in required if parameter in positional]
    k = next(iter((*by_name, *likely)), None)
    unknown = [parameter.name for parameter in required if parameter is not k]
    if unknown or query is None:
        shape = f"one that needs {', '.join(unknown)}" if unknown else "one without a parameter for the query"
        raise RetrieverNotUsable(f"expected a function of a query and k at {spec}, found {shape}", help=HELP)
    binding = adapters.bind(parameters, {query.name: "query"} | ({k.name: "k"} if k is not None else {}))
    return lambda text, number: binding.call(function, {"query": text, "k": number})


class Hits(list[Hit]):
    """Hits, best first, and in words what else was returned."""

    problems: tuple[str, ...] = ()


class IndexMapper:
    """Maps entries onto the passages of an index; safe to use from many threads."""

    def __init__(self, passages: PassageSet, corpus: Corpus | None, *, by_position: bool = False) -> None:
        self._passages = passages
        self._corpus = corpus
        self._aligner = Aligner(corpus, passages) if corpus is not None else None
        self._by_position = by_position  # whether numbers are positions in the passages it was made from

    def hits(self, entries: Sequence[tuple[Passage, float]], k: int) -> Hits:
        """The first ``k`` different passages in order, and a sentence for each kind of the others."""
        hits: dict[str, Hit] = {}
        left_out: dict[str, list[str]] = {}
        for returned, score in entries:
            passage, why = self._indexed(returned)
            if passage is None:
                left_out.setdefault(why, []).append(returned.id or returned.text[:40])
            else:
                hits.setdefault(passage.id, Hit(passage, score))
        best = Hits(list(hits.values())[: max(k, 0)])
        best.problems = tuple(
            f"{len(ids)} of {len(entries)} retrieved passages {why} and were left out: {listed_ids(ids)}"
            for why, ids in left_out.items()
        )
        return best

    def _indexed(self, passage: Passage) -> tuple[Passage | None, str]:
        """The passage of the index that a returned one is, or None and why there is none."""
        ours = self._passages.by_id.get(passage.id)
        if ours is None and self._by_position and _NUMBER.fullmatch(passage.id):
            number = int(passage.id)
            ours = self._passages.passages[number] if number < len(self._passages.passages) else None
        if ours is not None and passage.text in {"", ours.text}:
            return ours, ""
        if self._aligner is None or self._corpus is None:
            return ours, UNKNOWN
        if not passage.text and passage.end <= passage.start:
            if self._was_left_out(passage.id, self._corpus):
                return None, WITHHELD
            passage = passage_at(passage.id, self._corpus) or passage
            if not passage.text and _BLANK.search(passage.id):
                passage = replace(passage, id="", text=passage.id)
        alignment = self._aligner.align(passage)
        spans = alignment.passage.places
        if not spans:
            return None, AMBIGUOUS if alignment.outcome == "ambiguous" else UNKNOWN
        indexed = [span for span in spans if self._covers(span, self._corpus)]
        # A wording that stands elsewhere too may come from there; of what was put together all must be there.
        if not indexed or (alignment.outcome == "partly" and len(indexed) < len(spans)):
            return None, WITHHELD
        return self._at(indexed, self._corpus), ""

    def _was_left_out(self, name: str, corpus: Corpus) -> bool:
        """Whether an id is one of the corpus's passages, of which the index has only a part."""
        return any(
            passage.id == name
            for document in corpus.documents
            if document.id == name.rpartition("#")[0]
            for passage in split_document(document, self._passages.words)
        )

    def _covers(self, span: Evidence, corpus: Corpus) -> bool:
        """Whether every character of a span, blanks apart, is in some passage of the index."""
        text, position = corpus.document(span.document).text, span.start
        for passage in self._passages.of(span.document):
            if passage.end > position and passage.start < span.end:
                if text[position : passage.start].strip():
                    return False
                position = passage.end
        return not text[position : span.end].strip()

    def _at(self, spans: Sequence[Evidence], corpus: Corpus) -> Passage | None:
        """The passage of the index at the first span, or one of the boundaries of all."""
        span, text = spans[0], corpus.document(spans[0].document).text
        for passage in self._passages.of(span.document):
            around = text[passage.start : span.start] + text[span.end : passage.end]
            if passage.start <= span.start and span.end <= passage.end and not _WORD.search(around):
                return passage
        return passage_at(span_id(spans), corpus)


def read(returned: object, spec: str) -> list[tuple[Passage, float]]:
    """Entries as passages, of some the id alone, with their scores (0: none); raises RetrieverNotUsable."""
    as_list = getattr(returned, "tolist", None)
    entries = as_list() if callable(as_list) else returned
    if isinstance(entries, (str, bytes, abc.Mapping)) or not isinstance(entries, Iterable):
        raise _unreadable(f"a list of passages or ids from {spec}", entries)
    return [_entry(entry, spec) for entry in islice(entries, ENTRY_LIMIT)]


def _entry(entry: object, spec: str) -> tuple[Passage, float]:
    value, score = split_score(entry)
    if isinstance(value, (str, int)) and not isinstance(value, bool) and value != "":
        return Passage(str(value), "", "", 0, 0, ""), score
    passage = value if isinstance(value, Passage) else passage_of(value)
    if passage is None:
        raise _unreadable(f"an id, a passage, or a pair with a score in the list from {spec}", value)
    return passage, score


def _unreadable(expected: str, value: object) -> RetrieverNotUsable:
    message = f"expected {expected}, found {adapters.described(value)}"
    return RetrieverNotUsable(message, help="see docs/retrieval.md")
