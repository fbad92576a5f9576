"""Retrievers behind servers: Postgres with pgvector as the package pgserver brings it, the others where one runs.

Qdrant and OpenSearch come in no package: their tests use the server that ``QDRANT_URL`` or ``OPENSEARCH_URL``
names. Without them, the engine within Qdrant's client and a stand-in for OpenSearch take what we say.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pytest

from ragharness.corpus.passages import PassageSet
from ragharness.errors import MissingExtra, RetrieverNotUsable, UnknownName
from ragharness.records import Passage
from ragharness.retrievers import _servers, build_retriever
from ragharness.retrievers.dense import Embedded
from ragharness.support.options import Options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from ragharness.retrievers import Retriever

    Build = Callable[..., Retriever]

pytestmark = pytest.mark.filterwarnings("ignore")

WIDTH = 16
WORDS = ["alpha", "beta", "gamma", "delta", "omega"]
QUERIES = [f"{first} {second}" for first in WORDS for second in WORDS]


def passages(count: int = 200) -> PassageSet:
    made = [
        Passage(f"d#{n + 1}", "d", "Deed", 9 * n, 9 * n + 9, f"{WORDS[n % 5]} {WORDS[n // 5 % 5]} {n // 2}")
        for n in range(count)
    ]
    return PassageSet(tuple(made), 120)


def vector(text: str) -> Any:
    drawn = np.random.default_rng(int.from_bytes(sha256(text.encode()).digest()[:8], "big")).normal(
        size=WIDTH
    )
    return (drawn / np.linalg.norm(drawn)).astype(np.float32)


class Model:
    def query(self, text: str) -> Any:
        return vector(text)


def by_hand(indexed: PassageSet, cache: Path | None, options: Options) -> Embedded:
    options.finish("this retriever")
    # Every second passage is the twin of the one before: scores tie.
    matrix = np.stack([vector(str(row // 2)) for row in range(len(indexed.passages))])
    return Embedded(Model(), matrix, {"model": "by hand"})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a real server with pgvector, started here."""
    try:
        importlib.import_module("psycopg")
        start = importlib.import_module("pgserver").get_server
    except ImportError:
        pytest.skip("needs psycopg, of the extra 'pgvector', and pgserver")
    for _ in range(3):
        # It waits ten seconds for Postgres, which may take longer on a loaded machine.
        with suppress(subprocess.SubprocessError):
            server = start(tmp_path_factory.mktemp("postgres"))
            break
    yield server.get_uri()
    server.cleanup()


@pytest.fixture(params=["pgvector", "qdrant", "qdrant-server"])
def build(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Build:
    name = request.param.partition("-")[0]
    if name == "pgvector":
        url = request.getfixturevalue("postgres")
    else:
        try:
            importlib.import_module("qdrant_client")
        except ImportError:
            pytest.skip("needs the extra 'qdrant'")
        server = os.environ.get("QDRANT_URL")
        url = server if "-" in request.param else str(tmp_path / "qdrant")
        if not url:
            pytest.skip("no package brings a Qdrant server: start one and name it in QDRANT_URL")
    monkeypatch.setattr(_servers, "embedded", by_hand)

    def built(indexed: PassageSet, *settings: str) -> Retriever:
        options = Options.parse([f"url={url}", *settings], flag="--retriever-option")
        return build_retriever(name, indexed, options=options)

    return built


def exact(query: str, k: int, count: int = 200) -> list[tuple[str, float]]:
    scores = [
        round(float(np.float32(vector(str(row // 2)) @ vector(query)).astype(float)), 6)
        for row in range(count)
    ]
    order = sorted(range(count), key=lambda row: (-scores[row], row))[:k]
    return [(f"d#{row + 1}", scores[row]) for row in order]


def found(retriever: Retriever, query: str, k: int) -> list[tuple[str, float]]:
    return [(hit.passage.id, hit.score) for hit in retriever.retrieve(query, k)]


@pytest.mark.model
def test_the_nearest_are_those_of_exact_search(build: Build) -> None:
    retriever = build(passages())
    for query in QUERIES:
        got, expected = found(retriever, query, 6), exact(query, 6)
        assert [name for name, _ in got] == [name for name, _ in expected]
        assert [score for _, score in got] == pytest.approx([score for _, score in expected], abs=2e-6)
    assert retriever.retrieve("alpha", 0) == []
    assert len(retriever.retrieve("alpha", 500)) == 200
    assert retriever.settings == {"model": "by hand", "index": "exact"}


@pytest.mark.model
def test_many_threads_ask_at_once(build: Build) -> None:
    retriever = build(passages())
    with ThreadPoolExecutor(8) as pool:
        several = list(pool.map(lambda query: found(retriever, query, 4), QUERIES * 4))
    assert several == [found(retriever, query, 4) for query in QUERIES * 4]


@pytest.mark.model
def test_passages_are_sent_once_and_others_are_another_index(
    postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_servers, "embedded", by_hand)
    options = [f"url={postgres}"]

    def built(count: int) -> Retriever:
        return build_retriever("pgvector", passages(count), options=Options.parse(options, flag="-o"))

    whole = built(190)
    assert [name for name, _ in found(whole, "alpha", 3)] == [name for name, _ in exact("alpha", 3, 190)]
    monkeypatch.setattr(_servers._PgVector, "fill", lambda self: pytest.fail("sent again"))
    assert found(built(190), "alpha", 3) == found(whole, "alpha", 3)
    monkeypatch.undo()
    monkeypatch.setattr(_servers, "embedded", by_hand)
    part = built(10)
    assert {name for name, _ in found(part, "alpha", 50)} == {f"d#{n + 1}" for n in range(10)}
    assert len(found(built(190), "alpha", 500)) == 190


class StandIn(BaseHTTPRequestHandler):
    """As much of OpenSearch's protocol as the retriever speaks; it ranks by shared words."""

    texts: ClassVar[dict[str, str]] = {}
    made: ClassVar[list[Any]] = []

    def handle_any(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        verb = self.path.partition("?")[0].rpartition("/")[2]
        reply: dict[str, Any] = {"acknowledged": True}
        if self.command == "PUT":
            self.made.append(json.loads(body))
        elif self.command == "DELETE":
            self.texts.clear()
        elif verb == "_bulk":
            lines = [json.loads(each) for each in body.splitlines()]
            self.texts.update(
                (lines[n]["index"]["_id"], lines[n + 1]["text"]) for n in range(0, len(lines), 2)
            )
            reply = {"errors": False, "items": [{"index": {"status": 201}} for _ in lines[::2]]}
        elif verb == "_count":
            reply = {"count": len(self.texts)}
        elif verb == "_search":
            asked = json.loads(body)
            words = set(asked["query"]["match"]["text"].split())
            shared = ((len(words & set(text.split())), name) for name, text in self.texts.items())
            best = sorted((each for each in shared if each[0]), reverse=True)[: asked["size"]]
            reply = {"hits": {"hits": [{"_id": name, "_score": score} for score, name in best]}}
        content = json.dumps(reply).encode()
        self.send_response(404 if self.command == "HEAD" and not self.made else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = handle_any  # noqa: N815 (names of the base class)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the base class' word)
        pass


@pytest.fixture(params=["stand-in", "server"])
def opensearch(request: pytest.FixtureRequest) -> Iterator[str]:
    try:
        importlib.import_module("opensearchpy")
    except ImportError:
        pytest.skip("needs the extra 'opensearch'")
    if request.param == "server":
        yield os.environ.get("OPENSEARCH_URL") or pytest.skip(
            "no package brings an OpenSearch server: start one and name it in OPENSEARCH_URL"
        )
        return
    StandIn.texts, StandIn.made = {}, []
    server = ThreadingHTTPServer(("127.0.0.1", 0), StandIn)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.mark.model
def test_opensearch_ranks_by_words(opensearch: str) -> None:
    def built() -> Retriever:
        return build_retriever(
            "opensearch", passages(), options=Options.parse([f"url={opensearch}"], flag="-o")
        )

    retriever = built()
    for first in WORDS:
        hits = retriever.retrieve(first, 5)
        assert len(hits) == 5
        assert all(first in hit.passage.text for hit in hits)
    both = retriever.retrieve("alpha beta", 5)
    assert {"alpha", "beta"} <= set(both[0].passage.text.split())
    assert [hit.score for hit in both] == sorted((hit.score for hit in both), reverse=True)
    assert found(built(), "alpha beta", 5) == found(retriever, "alpha beta", 5)


@pytest.mark.model
@pytest.mark.parametrize(("name", "module"), [("opensearch", "opensearchpy"), ("pgvector", "psycopg")])
def test_a_server_that_is_away_is_said(name: str, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip(module)
    monkeypatch.setattr(_servers, "embedded", by_hand)
    url = {"opensearch": "http://127.0.0.1:9", "pgvector": "postgresql://127.0.0.1:9/x"}[name]
    with pytest.raises(RetrieverNotUsable, match="does not take the passages") as raised:
        build_retriever(name, passages(5), options=Options.parse([f"url={url}"], flag="-o"))
    assert f"{name.upper()}_URL" in raised.value.help


@pytest.mark.parametrize(
    ("name", "module"), [("opensearch", "opensearchpy"), ("qdrant", "qdrant_client"), ("pgvector", "psycopg")]
)
def test_without_a_client_the_extra_is_named(name: str, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=f"'{name}'"):
        build_retriever(name, passages(5))


def test_an_unknown_setting_is_refused_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    for client in ("qdrant_client", "psycopg"):
        monkeypatch.setitem(sys.modules, client, object())
    monkeypatch.setattr(_servers, "embedded", by_hand)
    for name in ("qdrant", "pgvector"):
        with pytest.raises(UnknownName, match="uri"):
            build_retriever(name, passages(5), options=Options.parse(["uri=x"], flag="-o"))


def test_scores_that_tie_keep_the_order_of_the_corpus() -> None:
    class Backwards:
        def count(self) -> int:
            return 3

        def fill(self) -> None:
            raise AssertionError

        def search(self, query: str, k: int) -> list[tuple[int, float]]:
            return [(2, 0.5), (0, 0.5000000001), (1, 0.7)]

    retriever = _servers.ServiceRetriever("x", Backwards(), passages(3).passages, {})
    assert [hit.passage.id for hit in retriever.retrieve("any", 3)] == ["d#2", "d#1", "d#3"]
