"""What the retrievers behind a server share: passages that are sent once, rows and scores that come back.

The passages go into an index of their own, named by all that it depends on: another question set, which
leaves other evidence out, is another index, and a second run sends nothing.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from ragharness.errors import MissingExtra, RetrieverNotUsable
from ragharness.records import Hit, Passage, Question
from ragharness.retrievers.bm25 import indexed_text
from ragharness.retrievers.dense import DECIMALS
from ragharness.support.options import Options

Settings = dict[str, str | int | float]


class Service(Protocol):
    """A server with one index in it."""

    def count(self) -> int:
        """Return how many passages its index holds; 0: there is none."""
        ...

    def fill(self) -> None:
        """Make the index anew and send every passage."""
        ...

    def search(self, query: str, k: int) -> Iterable[tuple[int, float]]:
        """Return rows of passages and their scores; safe to be called by several threads."""
        ...


class ServiceRetriever:
    """The passages that a server finds; raises RetrieverNotUsable where it cannot be used."""

    waits = True
    """It is asked beside an event loop, not on it."""

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
                f"expected the server of the retriever {name!r} to take the passages, found:"
                f" {type(error).__name__}: {' '.join(str(error).split())[:300]}",
                help=f"start it, and name it: --retriever-option url=..., or {variable(name)}=...",
            ) from error

    def retrieve(self, query: str, k: int, question: Question | None = None) -> list[Hit]:  # noqa: ARG002
        """Return the ``k`` best, the higher score first, then the earlier passage; raises as the client."""
        if k <= 0 or not self._passages:
            return []
        found = [(round(score, DECIMALS), row) for row, score in self._service.search(query, k)]
        found.sort(key=lambda pair: (-pair[0], pair[1]))
        return [Hit(self._passages[row], score) for score, row in found[:k]]


def variable(name: str) -> str:
    """Return the environment variable that holds the address of a server, with its password if it has one."""
    return f"{name.upper()}_URL"


def address(name: str, options: Options, default: str) -> str:
    """Return where a server is: the setting ``url``, its variable, or the default."""
    return options.text("url", os.environ.get(variable(name), default))


def client(name: str, module: str) -> Any:
    """Return the library of an official client; raises MissingExtra."""
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtra(f"the retriever {name!r}", name) from error


def index_name(passages: Sequence[Passage], *more: object) -> str:
    """Return the name of the index of these passages; ``more``: what it depends on besides."""
    digest = hashlib.sha256(repr(more).encode())
    for each in passages:
        text = indexed_text(each).encode()
        digest.update(b"%d\n" % len(text) + text)
    return f"ragharness_{digest.hexdigest()[:24]}"
