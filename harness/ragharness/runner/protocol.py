"""What the harness and an isolated pipeline say to each other."""

from __future__ import annotations

from collections.abc import Generator

import msgspec
from msgspec import Struct

from ragharness.records import Answer, Failure, Passage


class Load(Struct, frozen=True, tag=True):
    """Request: load the pipeline of this name."""

    spec: str


class Ready(Struct, frozen=True, tag=True):
    """The pipeline is loaded."""

    name: str
    fingerprint: str
    takes: str


class Unusable(Struct, frozen=True, tag=True):
    """The pipeline cannot be loaded."""

    message: str
    help: str


class Ask(Struct, frozen=True, tag=True):
    """Request: answer this question."""

    question: str
    passages: tuple[Passage, ...]


class RetrieveRequest(Struct, frozen=True, tag=True):
    """Request of the pipeline: retrieve for the current question."""

    query: str
    k: int


class RetrieveResult(Struct, frozen=True, tag=True):
    """The retrieved passages."""

    passages: tuple[Passage, ...]


class RetrieveError(Struct, frozen=True, tag=True):
    """The exception that retrieving raised."""

    failure: Failure


class Result(Struct, frozen=True, tag=True):
    """The parsed result of the pipeline."""

    answer: Answer | None
    problems: tuple[str, ...]
    memory: int


class Failed(Struct, frozen=True, tag=True):
    """The exception of the pipeline; ``fate``: whether it is transient."""

    failure: Failure
    fate: str
    """``passing``, ``cut`` (passing: no service answered), ``refused`` or nothing."""
    retry_after: float | None
    help: str
    memory: int


Message = Load | Ready | Unusable | Ask | RetrieveRequest | RetrieveResult | RetrieveError | Result | Failed
MESSAGES = msgspec.msgpack.Decoder(Message)


class Passages(list[Passage]):
    """The retrieved passages, which an asynchronous pipeline may await although they are there."""

    def __await__(self) -> Generator[None, None, Passages]:
        """Return the passages at once."""
        yield from ()
        return self


def check_query(query: object, k: object) -> None:
    """Raise TypeError if a pipeline calls retrieve with anything but a string and a number."""
    if not isinstance(query, str) or not isinstance(k, int) or k < 1:
        raise TypeError(
            f"retrieve(query, k) takes a text and a number from 1, found {query!r:.80} and {k!r:.80}"
        )
