"""Retrievers: one file each, found by its name; each returns the passages nearest to a query.

A retriever's module has ``build(passages, evidence, cache, options)``, which returns an object with the three
members of ``Retriever``. Its results are the same on every machine and under every hash seed, and it may be
asked by many threads at once. Null-retrieval questions are emptied by the runner, not here.

``package.module:name`` and ``path/file.py:name`` stand for a retriever of the user's own (see ``_own``).
"""

from __future__ import annotations

import pkgutil
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from ragharness.corpus.passages import EvidenceIndex, PassageSet
from ragharness.errors import UnknownName
from ragharness.records import Hit, Question
from ragharness.support.options import Options

_EXPECTED = "give your own as package.module:function or path/to/file.py:function"

__all__ = ["Retriever", "build_retriever", "retriever_names"]


class Retriever(Protocol):
    """Finds passages for a query."""

    name: str
    settings: dict[str, str | int | float]
    """What the results depend on besides the passages; kept with the run."""

    def retrieve(self, query: str, k: int, question: Question | None = None) -> list[Hit]:
        """Return at most ``k`` hits, best first; only ``oracle`` looks at ``question``."""
        ...


def retriever_names() -> list[str]:
    """Return the names of all retrievers, in alphabetical order."""
    return sorted(
        found.name
        for found in pkgutil.iter_modules(__path__)
        if not found.ispkg and not found.name.startswith("_")
    )


def build_retriever(
    wanted: object,
    passages: PassageSet,
    evidence: EvidenceIndex | None = None,
    cache: Path | None = None,
    options: Options | None = None,
    rerank: str = "",
) -> Retriever:
    """Return the retriever of a name, or the user's own object as one, over ``passages``.

    ``evidence`` is needed by ``oracle`` alone. ``cache`` is a folder in which an index may be kept between
    runs; None keeps it in memory only. ``rerank`` is the name or folder of a cross-encoder, or empty. Raises
    UnknownName for a name or a setting that is not known, RetrieverNotUsable for code of the user's that
    cannot be used, RagharnessError for a model that cannot be had.
    """
    options = options or Options()
    retriever = _built(wanted, passages, evidence, cache, options)
    if not rerank:
        return retriever
    from ragharness.retrievers.models.reranking import reranked

    return reranked(retriever, rerank, cache, offline=options.offline)


def _built(
    wanted: object,
    passages: PassageSet,
    evidence: EvidenceIndex | None,
    cache: Path | None,
    options: Options,
) -> Retriever:
    names = retriever_names()
    if not isinstance(wanted, str) or (wanted not in names and ":" in wanted):
        from ragharness.retrievers._own import build_own

        options.finish(f"the retriever {wanted!r}")
        return build_own(wanted, passages, evidence)
    name = wanted
    if name not in names:
        raise UnknownName("retriever", name, names, help=_EXPECTED)
    module: Any = import_module(f"{__name__}.{name}")
    retriever: Retriever = module.build(passages, evidence, cache, options)
    options.finish(f"the retriever {name!r}")
    return retriever
