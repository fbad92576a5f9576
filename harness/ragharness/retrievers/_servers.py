"""Retrievers behind a server: the BM25 of OpenSearch, the vectors of ``dense`` in Qdrant and in Postgres.

The passages go into an index of their own, named by all that it depends on: another question set, which
leaves other evidence out, is another index, and a second run sends nothing.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

from ragharness.corpus.passages import PassageSet
from ragharness.errors import MissingExtra, RetrieverNotUsable
from ragharness.records import Hit, Passage, Question
from ragharness.retrievers.bm25 import Settings, indexed_text
from ragharness.retrievers.dense import DECIMALS, Embedded, embedded
from ragharness.support.options import Options


class Service(Protocol):
    """A server with one index in it."""

    def count(self) -> int:
        """How many passages its index holds; 0: there is none."""
        ...

    def fill(self) -> None:
        """Make the index anew and send every passage."""
        ...

    def search(self, query: str, k: int) -> Iterable[tuple[int, float]]:
        """Rows of passages and their scores; safe to be called by several threads."""
        ...


class ServiceRetriever:
    """The passages that a server finds; raises RetrieverNotUsable where it cannot be used."""

    waits = True

    def __init__(self, name: str, service: Service, passages: Sequence[Passage], settings: Settings) -> None:
        self.name = name
        self.settings = settings
        self._passages = passages
        self._service = service
        try:
            if service.count() != len(passages):
                service.fill()
        except Exception as error:  # each client raises its own
            raise RetrieverNotUsable(
                f"the server of the retriever {name!r} does not take the passages:"
                f" {type(error).__name__}: {' '.join(str(error).split())[:300]}",
                help=f"start it, and name it: --retriever-option url=..., or {_variable(name)}=...",
            ) from error

    def retrieve(self, query: str, k: int, question: Question | None = None) -> list[Hit]:  # noqa: ARG002
        """The ``k`` best, the higher score first, then the earlier passage; raises as the client."""
        if k <= 0 or not self._passages:
            return []
        ranking = [(-round(score, DECIMALS), row) for row, score in self._service.search(query, k)]
        return [Hit(self._passages[row], -score) for score, row in sorted(ranking)[:k]]


def build(name: str, passages: PassageSet, cache: Path | None, options: Options) -> ServiceRetriever:
    """The retriever ``opensearch``, ``pgvector`` or ``qdrant``.

    Raises MissingExtra, RetrieverNotUsable without a server, and as ``dense``. ``pgvector`` without a URL is
    the server that the variables of Postgres (PGHOST, ...) name.
    """
    module, default = {
        "opensearch": ("opensearchpy", "http://localhost:9200"),
        "pgvector": ("psycopg", ""),
        "qdrant": ("qdrant_client", "http://localhost:6333"),
    }[name]
    try:
        library = import_module(module)
    except ImportError as error:
        raise MissingExtra(f"the retriever {name!r}", name) from error
    # The address may hold a password, so a variable may hold the address.
    url = options.text("url", os.environ.get(_variable(name), default))
    service: Service
    if name == "opensearch":
        analyzer = options.text("analyzer", "english")
        settings: Settings = {"analyzer": analyzer}
        service = _OpenSearch(library, url, passages.passages, analyzer)
    else:
        vectors = embedded(passages, cache, options)
        settings = {**vectors.settings, "index": "exact"}
        index = _index_name(passages.passages, vectors.settings)
        service = (_PgVector if name == "pgvector" else _Qdrant)(library, url, vectors, index)
    return ServiceRetriever(name, service, passages.passages, settings)


def _variable(name: str) -> str:
    return f"{name.upper()}_URL"


def _index_name(passages: Sequence[Passage], *settings: object) -> str:
    digest = hashlib.sha256(repr(settings).encode())
    for passage in passages:
        text = indexed_text(passage).encode()
        digest.update(b"%d\n" % len(text) + text)
    return f"ragharness_{digest.hexdigest()[:24]}"


class _OpenSearch:
    """BM25 over titles and texts, as ``bm25`` indexes them."""

    def __init__(self, library: Any, url: str, passages: Sequence[Passage], analyzer: str) -> None:
        self._helpers = library.helpers
        self._client = library.OpenSearch(url)
        self._passages = passages
        self._name = _index_name(passages, analyzer)
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
            {"_index": self._name, "_id": str(row), "text": indexed_text(passage)}
            for row, passage in enumerate(self._passages)
        )
        self._helpers.bulk(self._client, rows)
        self._client.indices.refresh(index=self._name)

    def search(self, query: str, k: int) -> Iterator[tuple[int, float]]:
        body = {"size": k, "_source": False, "query": {"match": {"text": query}}}
        for hit in self._client.search(index=self._name, body=body)["hits"]["hits"]:
            yield int(hit["_id"]), float(hit["_score"])


class _Qdrant:
    """Vectors in a collection, compared exactly."""

    def __init__(self, library: Any, url: str, vectors: Embedded, name: str) -> None:
        self._models = library.models
        self._client = library.QdrantClient(url) if "://" in url else library.QdrantClient(path=url)
        self._vectors = vectors
        self._name = name

    def count(self) -> int:
        if not self._client.collection_exists(self._name):
            return 0
        return int(self._client.count(self._name, exact=True).count)

    def fill(self) -> None:
        rows, width = self._vectors.matrix.shape
        self._client.delete_collection(self._name)
        form = self._models.VectorParams(size=width, distance=self._models.Distance.DOT)
        self._client.create_collection(self._name, vectors_config=form)
        ids = list(range(rows))
        self._client.upload_collection(self._name, vectors=self._vectors.matrix, ids=ids, wait=True)

    def search(self, query: str, k: int) -> Iterator[tuple[int, float]]:
        vector = self._vectors.embedder.query(query).tolist()
        how = {"limit": k, "search_params": self._models.SearchParams(exact=True), "with_payload": False}
        for point in self._client.query_points(self._name, query=vector, **how).points:
            yield int(point.id), float(point.score)


class _PgVector:
    """Vectors in a table of Postgres with the extension pgvector."""

    def __init__(self, library: Any, url: str, vectors: Embedded, name: str) -> None:
        self._library, self._url = library, url
        self._vectors = vectors
        self._name = name
        self._connection: Any = None
        self._lock = Lock()

    def count(self) -> int:
        # In a library of its own a table of the same name may lie elsewhere: the search path is the user's.
        (exists,) = self._rows("SELECT to_regclass(%s)", self._name)[0]
        return int(self._rows(f"SELECT count(*) FROM {self._name}")[0][0]) if exists else 0  # noqa: S608

    def fill(self) -> None:
        width = self._vectors.matrix.shape[1]
        with self._connected().transaction(), self._connected().cursor() as cursor:
            cursor.execute("CREATE EXTENSION IF NOT EXISTS vector")
            cursor.execute(f"DROP TABLE IF EXISTS {self._name}")
            cursor.execute(f"CREATE TABLE {self._name} (row integer PRIMARY KEY, vector vector({width}))")
            with cursor.copy(f"COPY {self._name} FROM STDIN") as copy:
                for row, vector in enumerate(self._vectors.matrix):
                    copy.write_row((row, _written(vector)))

    def search(self, query: str, k: int) -> Iterator[tuple[int, float]]:
        # <#> is the negative inner product; ordered by it alone, an index may be used.
        command = f"SELECT row, vector <#> %s::vector AS far FROM {self._name} ORDER BY far LIMIT %s"  # noqa: S608
        for row, far in self._rows(command, _written(self._vectors.embedder.query(query)), k):
            yield row, -far

    def _rows(self, command: str, *values: object) -> list[tuple[Any, ...]]:
        with self._lock:
            return list(self._connected().execute(command, values).fetchall())

    def _connected(self) -> Any:
        if self._connection is None or self._connection.closed:
            self._connection = self._library.connect(self._url, autocommit=True, connect_timeout=10)
        return self._connection


def _written(vector: Any) -> str:
    return "[" + ",".join(map(repr, vector.tolist())) + "]"
