"""The vectors of ``dense`` in a Postgres server with the extension pgvector."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from threading import Lock
from typing import Any

from ragharness.corpus.passages import EvidenceIndex, PassageSet
from ragharness.retrievers._search_services import ServiceRetriever, address, client, index_name
from ragharness.retrievers.dense import KINDS, Embedded, embedded
from ragharness.support.options import Options


def build(
    passages: PassageSet, evidence: EvidenceIndex | None, cache: Path | None, options: Options | None = None
) -> ServiceRetriever:
    """Return the retriever; raises MissingExtra, RetrieverNotUsable without a server, and as ``dense``.

    Without a URL it is the server that the variables of Postgres (PGHOST, ...) name.
    """
    options = options or Options()
    library = client("pgvector", "psycopg")
    kind = options.choice("index", "exact", KINDS)
    url = address("pgvector", options, "")
    vectors = embedded(passages, cache, options)
    service = _PgVector(library, url, vectors, index_name(passages.passages, vectors.settings, kind), kind)
    return ServiceRetriever("pgvector", service, passages.passages, {**vectors.settings, "index": kind})


class _PgVector:
    def __init__(self, library: Any, url: str, vectors: Embedded, name: str, kind: str) -> None:
        self._library, self._url = library, url
        self._vectors = vectors
        self._name = name
        self._kind = kind
        self._connection: Any = None
        self._lock = Lock()

    def count(self) -> int:
        # In a library of its own a table of the same name may lie elsewhere: the search path is the user's.
        (there,) = self._rows("SELECT to_regclass(%s)", self._name)[0]
        return int(self._rows(f"SELECT count(*) FROM {self._name}")[0][0]) if there else 0  # noqa: S608

    def fill(self) -> None:
        width = self._vectors.matrix.shape[1]
        with self._connected().transaction(), self._connected().cursor() as cursor:
            cursor.execute("CREATE EXTENSION IF NOT EXISTS vector")
            cursor.execute(f"DROP TABLE IF EXISTS {self._name}")
            cursor.execute(f"CREATE TABLE {self._name} (row integer PRIMARY KEY, vector vector({width}))")
            with cursor.copy(f"COPY {self._name} FROM STDIN") as copy:
                for row, vector in enumerate(self._vectors.matrix):
                    copy.write_row((row, _written(vector)))
            if self._kind == "hnsw":
                cursor.execute(f"CREATE INDEX ON {self._name} USING hnsw (vector vector_ip_ops)")

    def search(self, query: str, k: int) -> Iterable[tuple[int, float]]:
        # <#> is the negative inner product; ordered by it alone, an index may be used.
        vector = _written(self._vectors.embedder.query(query))
        found = self._rows(
            f"SELECT row, vector <#> %s::vector AS far FROM {self._name} ORDER BY far LIMIT %s",  # noqa: S608
            vector,
            k,
        )
        return [(row, -far) for row, far in found]

    def _rows(self, command: str, *values: object) -> list[tuple[Any, ...]]:
        with self._lock:
            return list(self._connected().execute(command, values).fetchall())

    def _connected(self) -> Any:
        if self._connection is None or self._connection.closed:
            self._connection = self._library.connect(self._url, autocommit=True, connect_timeout=10)
        return self._connection


def _written(vector: Any) -> str:
    return "[" + ",".join(map(repr, vector.tolist())) + "]"
