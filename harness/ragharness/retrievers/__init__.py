"""Retrievers: one file each, found by its name (those behind servers in one); they rank passages for a query.

A retriever's module has ``build(passages, evidence, cache, options)``, which returns an object with the three
members of ``Retriever``. Its results are the same on every machine and under every hash seed, and it may be
asked by many threads at once. Null-retrieval questions are emptied by the runner, not here.

``package.module:name`` and ``path/file.py:name`` stand for a retriever of the user's own (see ``_own``);
packages publish one under the entry points ``ragharness.retrievers``.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from ragharness.corpus.passages import EvidenceIndex, PassageSet
from ragharness.errors import UnknownName
from ragharness.records import Hit, Question
from ragharness.support import plugins
from ragharness.support.options import Options

_SERVERS = ("opensearch", "pgvector", "qdrant")

_HELP = "give your own as package.module:function or path/to/file.py:function"

__all__ = ["Retriever", "build_retriever", "retriever_names"]


class Retriever(Protocol):
    """Finds passages for a query; one whose ``waits`` is true is asked beside an event loop, not on it."""

    name: str
    settings: dict[str, str | int | float]  # what results depend on besides the passages; stored with the run

    def retrieve(self, query: str, k: int, question: Question | None = None) -> list[Hit]:
        """At most ``k`` hits, best first; only ``oracle`` looks at ``question``."""
        ...


def retriever_names() -> list[str]:
    """Names of all retrievers, in alphabetical order."""
    return sorted({*plugins.names("retrievers", __name__), *_SERVERS})


def build_retriever(
    retriever: object,
    passages: PassageSet,
    evidence: EvidenceIndex | None = None,
    cache: Path | None = None,
    options: Options | None = None,
    rerank: str = "",
) -> Retriever:
    """The retriever of a name, or the user's own object as one, over ``passages``.

    ``evidence`` is needed by ``oracle`` alone. ``cache`` is a folder in which an index may be kept between
    runs; None keeps it in memory only. ``rerank`` is the name or folder of a cross-encoder, or empty. Raises
    UnknownName for a name or a setting that is not known, RetrieverNotUsable for code of the user's that
    cannot be used, RagharnessError for a model that cannot be had.
    """
    options = options or Options()
    names = retriever_names()
    built: Retriever
    if not isinstance(retriever, str) or (retriever not in names and ":" in retriever):
        from ragharness.retrievers._own import build_own

        options.finish(f"the retriever {retriever!r}")
        built = build_own(retriever, passages, evidence)
    elif retriever not in names:
        raise UnknownName("retriever", retriever, names, help=_HELP)
    elif retriever in _SERVERS:
        from ragharness.retrievers import _servers

        built = _servers.build(retriever, passages, cache, options)
    else:
        module = plugins.load("retrievers", __name__, retriever, "build")
        built = module.build(passages, evidence, cache, options)
    options.finish(f"the retriever {retriever!r}")
    if rerank:
        reranking: Any = import_module(f"{__name__}.models.reranking")
        built = reranking.reranked(built, rerank, cache, offline=options.offline)
    return built
