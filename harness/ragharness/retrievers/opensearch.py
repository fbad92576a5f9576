"""The BM25 of an OpenSearch server, over titles and texts as ``bm25`` indexes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ragharness.corpus.passages import EvidenceIndex, PassageSet
from ragharness.records import Passage
from ragharness.retrievers._search_services import ServiceRetriever, address, client, index_name
from ragharness.retrievers.bm25 import indexed_text
from ragharness.support.options import Options


def build(
    passages: PassageSet, evidence: EvidenceIndex | None, cache: Path | None, options: Options | None = None
) -> ServiceRetriever:
    """Return the retriever; raises MissingExtra, RetrieverNotUsable without a server."""
    options = options or Options()
    library = client("opensearch", "opensearchpy")
    analyzer = options.text("analyzer", "english")
    service = _OpenSearch(
        library, address("opensearch", options, "http://localhost:9200"), passages.passages, analyzer
    )
    return ServiceRetriever("opensearch", service, passages.passages, {"analyzer": analyzer})


class _OpenSearch:
    def __init__(self, library: Any, url: str, passages: Sequence[Passage], analyzer: str) -> None:
        self._helpers = library.helpers
        self._client = library.OpenSearch(url)
        self._passages = passages
        self._name = index_name(passages, analyzer)
        self._mapping = {
            # One shard: with several, each weighs words by its own passages.
            "settings": {"number_of_shards": 1, "number_of_replicas": 0},
            "mappings": {"properties": {"text": {"type": "text", "analyzer": analyzer}}},
        }

    def count(self) -> int:
        if not self._client.indices.exists(index=self._name):
            return 0
        return int(self._client.count(index=self._name)["count"])

    def fill(self) -> None:
        self._client.indices.delete(index=self._name, ignore_unavailable=True)
        self._client.indices.create(index=self._name, body=self._mapping)
        rows = (
            {"_index": self._name, "_id": str(row), "text": indexed_text(each)}
            for row, each in enumerate(self._passages)
        )
        self._helpers.bulk(self._client, rows)
        self._client.indices.refresh(index=self._name)

    def search(self, query: str, k: int) -> Iterator[tuple[int, float]]:
        body = {"size": k, "_source": False, "query": {"match": {"text": query}}}
        for each in self._client.search(index=self._name, body=body)["hits"]["hits"]:
            yield int(each["_id"]), float(each["_score"])
