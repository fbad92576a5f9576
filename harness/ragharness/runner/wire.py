"""What the harness and an isolated pipeline say to each other."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from ragharness.records import Answer, Failure, Passage


class Load(Struct, frozen=True, tag=True):
    """Make the pipeline of this name ready."""

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
    """Answer this question."""

    question: str
    passages: tuple[Passage, ...]


class Seek(Struct, frozen=True, tag=True):
    """Retrieve for the question that is being answered."""

    query: str
    k: int


class Found(Struct, frozen=True, tag=True):
    """What was retrieved."""

    passages: tuple[Passage, ...]


class NotFound(Struct, frozen=True, tag=True):
    """Retrieving raised this."""

    failure: Failure


class Told(Struct, frozen=True, tag=True):
    """What the pipeline returned, read."""

    answer: Answer | None
    problems: tuple[str, ...]
    memory: int


class Failed(Struct, frozen=True, tag=True):
    """The pipeline raised; ``fate`` says whether that passes by itself."""

    failure: Failure
    fate: str
    """``passing``, ``refused`` or nothing."""
    retry_after: float | None
    help: str
    memory: int


Message = Load | Ready | Unusable | Ask | Seek | Found | NotFound | Told | Failed
MESSAGES = msgspec.msgpack.Decoder(Message)


def check_query(query: object, k: object) -> None:
    """Raise TypeError where a pipeline calls retrieve with something else than a text and a number."""
    if not isinstance(query, str) or not isinstance(k, int) or k < 1:
        raise TypeError(
            f"retrieve(query, k) takes a text and a number from 1, found {query!r:.80} and {k!r:.80}"
        )
