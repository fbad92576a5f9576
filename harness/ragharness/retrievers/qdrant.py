"""The vectors of ``dense`` in a Qdrant server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ragharness.corpus.passages import EvidenceIndex, PassageSet
from ragharness.retrievers._search_services import ServiceRetriever, address, client, index_name
from ragharness.retrievers.dense import KINDS, Embedded, embedded
from ragharness.support.options import Options


def build(
    passages: PassageSet, evidence: EvidenceIndex | None, cache: Path | None, options: Options | None = None
) -> ServiceRetriever:
    """Return the retriever; raises MissingExtra, RetrieverNotUsable without a server, and as ``dense``."""
    options = options or Options()
    library = client("qdrant", "qdrant_client")
    kind = options.choice("index", "exact", KINDS)
    url = address("qdrant", options, "http://localhost:6333")
    vectors = embedded(passages, cache, options)
    service = _Qdrant(
        library, url, vectors, index_name(passages.passages, vectors.settings), exact=kind == "exact"
    )
    return ServiceRetriever("qdrant", service, passages.passages, {**vectors.settings, "index": kind})


class _Qdrant:
    def __init__(self, library: Any, url: str, vectors: Embedded, name: str, *, exact: bool) -> None:
        self._models = library.models
        self._client = library.QdrantClient(url) if "://" in url else library.QdrantClient(path=url)
        self._vectors = vectors
        self._name = name
        self._how = self._models.SearchParams(exact=exact)

    def count(self) -> int:
        if not self._client.collection_exists(self._name):
            return 0
        return int(self._client.count(self._name, exact=True).count)

    def fill(self) -> None:
        rows, width = self._vectors.matrix.shape
        self._client.delete_collection(self._name)
        form = self._models.VectorParams(size=width, distance=self._models.Distance.DOT)
        self._client.create_collection(self._name, vectors_config=form)
        self._client.upload_collection(
            self._name, vectors=self._vectors.matrix, ids=list(range(rows)), wait=True
        )

    def search(self, query: str, k: int) -> Iterator[tuple[int, float]]:
        vector = self._vectors.embedder.query(query).tolist()
        found = self._client.query_points(
            self._name, query=vector, limit=k, search_params=self._how, with_payload=False
        )
        for each in found.points:
            yield int(each.id), float(each.score)
