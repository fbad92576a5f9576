"""The user's own retriever: ``package.module:name`` or ``path/file.py:name``, called like a built-in one.

What stands behind the colon is told from the names of its parameters: a function of a query (and ``k``) is
the retriever; a class, or a function of ``passages`` or of nothing that must be given, makes it, once. An
object is asked by its ``retrieve``, ``search`` or ``invoke``, or called. What it returns is read in
``_returned`` and placed in ``_mapping``: the harness hands on the corpus's own words, and nothing withheld.
"""

from __future__ import annotations

import asyncio
import inspect
from functools import cached_property
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

from ragharness.errors import CodeNotUsable, RetrieverNotUsable
from ragharness.importing import described, find, users_code
from ragharness.retrievers._mapping import Mapping, read

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ragharness.evidence import EvidenceIndex
    from ragharness.passages import PassageSet
    from ragharness.records import Question
    from ragharness.retrievers._mapping import Hits

QUERY_NAMES = frozenset({"query", "question", "q", "text", "input", "prompt"})
INDEX_NAMES = frozenset({"passages", "documents", "docs", "chunks", "corpus", "contexts", "nodes"})
K_NAMES = frozenset({"k", "top_k", "topk", "n", "limit", "n_results", "num_results", "count", "size"})
METHODS = ("retrieve", "search", "invoke")

HELP = "write it as retrieve(query, k) -> passages or their ids, or as build(passages), which returns that"

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class OwnRetriever:
    """Calls the user's retriever and maps what it returns onto the index."""

    waits = True
    """It may wait for a service: asked beside an event loop, not on it."""

    def __init__(
        self, spec: str, function: Callable[..., object], mapping: Mapping, fingerprint: str
    ) -> None:
        self.name = spec
        self.settings: dict[str, str | int | float] = {"source": fingerprint[:32]}
        self._ask = _asked_with(function, spec)
        self._mapping = mapping
        self._starting = Lock()

    def retrieve(self, query: str, k: int, question: Question | None = None) -> Hits:  # noqa: ARG002
        """Return at most ``k`` hits in the order in which they came, with what was wrong with the others.

        Raises what the user's code raises, and RetrieverNotUsable for what cannot be read.
        """
        returned = self._ask(query, k)
        if inspect.isawaitable(returned):
            returned = asyncio.run_coroutine_threadsafe(_awaited(returned), self._loop).result()
        return self._mapping.hits(read(returned, self.name), k)

    @property
    def _loop(self) -> asyncio.AbstractEventLoop:
        with self._starting:
            return self._running

    @cached_property
    def _running(self) -> asyncio.AbstractEventLoop:
        # One loop of its own: clients keep their connections, and whoever asks may be on a loop already.
        loop = asyncio.new_event_loop()
        Thread(target=loop.run_forever, name="retriever", daemon=True).start()
        return loop


def build_own(wanted: object, passages: PassageSet, evidence: EvidenceIndex | None) -> OwnRetriever:
    """Return the user's retriever, named or handed over, over ``passages``; raises RetrieverNotUsable."""
    try:
        found = find(wanted)
        spec = found.spec
        made, indexed = _made(found.value, passages, spec)
    except RetrieverNotUsable:
        raise
    except CodeNotUsable as error:
        raise RetrieverNotUsable(str(error), help=error.help) from (error.__cause__ or error)
    corpus = evidence.corpus if evidence is not None else None
    mapping = Mapping(passages, corpus, by_position=indexed)
    return OwnRetriever(spec, _asked(made, spec), mapping, found.fingerprint)


def _made(value: Any, passages: PassageSet, spec: str) -> tuple[Any, bool]:
    """Return what is to be asked, and whether it was made from the passages of the index."""
    if not _makes(value):
        return value, False
    given: dict[str, object] = {}
    for each in _parameters(value):
        if _bare(each) in INDEX_NAMES and not given:
            given[each.name] = list(passages.passages)
        elif each.default is each.empty:
            raise RetrieverNotUsable(
                f"expected {spec} to be made from passages or nothing, found that it needs {each.name!r}",
                help=HELP,
            )
    with users_code(f"calling {spec}", spec):
        made = value(**given)
    if inspect.iscoroutine(made):
        made.close()
    return made, bool(given)


def _makes(value: Any) -> bool:
    """Whether it is no retriever itself but makes one when it is called."""
    if inspect.isclass(value):
        return True
    if not inspect.isroutine(value):
        return False
    parameters = _parameters(value)
    if any(_bare(each) in QUERY_NAMES for each in parameters):
        return False
    if any(_bare(each) in INDEX_NAMES for each in parameters):
        return True
    return not _takes_any(value) and all(each.default is not each.empty for each in parameters)


def _asked(made: Any, spec: str) -> Callable[..., object]:
    """Return the method or function that is called with a query."""
    for name in METHODS:
        method = getattr(made, name, None)
        if callable(method):
            return method  # type: ignore[no-any-return]
    if callable(made) and not inspect.isclass(made):
        return made  # type: ignore[no-any-return]
    raise RetrieverNotUsable(
        f"expected a function, or an object with {', '.join(METHODS)} or __call__, at {spec}, "
        f"found {described(made)}",
        help=HELP,
    )


def _asked_with(function: Callable[..., object], spec: str) -> Callable[[str, int], object]:
    """Return the function as one of a query and ``k``, each handed over where its parameter stands."""
    try:
        parameters = _parameters(function)
    except (TypeError, ValueError):
        return function
    lined = [each for each in parameters if each.kind in _POSITIONAL]
    query = next((each for each in parameters if _bare(each) in QUERY_NAMES), lined[0] if lined else None)
    others = [each for each in parameters if each is not query]
    k = next((each for each in others if _bare(each) in K_NAMES), None)
    if k is None:
        k = next((each for each in others if each.default is each.empty and each in lined), None)
    needed = [each.name for each in others if each.default is each.empty and each is not k]
    if needed or (query is None and not _takes_any(function)):
        found = f"one that needs {', '.join(needed)}" if needed else "one without a parameter for the query"
        raise RetrieverNotUsable(f"expected a function of a query and k at {spec}, found {found}", help=HELP)
    if query is None:
        return function

    def ask(text: str, number: int) -> object:
        values = [(query, text)] + ([(k, number)] if k is not None else [])
        values.sort(key=lambda pair: parameters.index(pair[0]))
        at_front = [value for each, value in values if each.kind is each.POSITIONAL_ONLY]
        named = {each.name: value for each, value in values if each.kind is not each.POSITIONAL_ONLY}
        return function(*at_front, **named)

    return ask


def _parameters(function: Callable[..., object]) -> list[inspect.Parameter]:
    every = inspect.signature(function).parameters.values()
    return [each for each in every if each.kind not in {each.VAR_POSITIONAL, each.VAR_KEYWORD}]


def _takes_any(function: Callable[..., object]) -> bool:
    return any(each.kind is each.VAR_POSITIONAL for each in inspect.signature(function).parameters.values())


def _bare(parameter: inspect.Parameter) -> str:
    return parameter.name.strip("_").lower()


async def _awaited(returned: Awaitable[object]) -> object:
    return await returned
