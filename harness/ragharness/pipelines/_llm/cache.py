"""Replies kept between runs: one small file a request, named for all that the answer depends on."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from ragharness.pipelines._llm.services import Reply
from ragharness.support.files import write_whole

FORMAT = 1
"""Raised when a kept file changes its meaning."""


class ReplyCache:
    """Replies by the request that they answer: the address and the bytes that were sent, never a key.

    Files rather than a database: writing one is a rename, so that threads and processes cannot harm each
    other, and a file that is torn or altered is as good as none.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def find(self, address: str, request: bytes) -> tuple[Reply, float] | None:
        """Return the reply and the seconds that its call took; None where none is kept."""
        path = self._path(address, request)
        try:
            held: Any = json.loads(path.read_bytes()) if path else None
            reply, seconds = Reply(**held["reply"]), float(held["seconds"])
            whole = held["digest"] == _digest(held["reply"], seconds)
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return None
        return (reply, seconds) if whole else None

    def keep(self, address: str, request: bytes, reply: Reply, seconds: float) -> None:
        """Keep a reply; a cache that cannot be written is no error."""
        path = self._path(address, request)
        if path is None:
            return
        told = asdict(reply)
        content = {"reply": told, "seconds": seconds, "digest": _digest(told, seconds)}
        with suppress(OSError):
            write_whole(path, json.dumps(content).encode(), private=True)

    def _path(self, address: str, request: bytes) -> Path | None:
        if self._folder is None:
            return None
        key = hashlib.sha256(f"{FORMAT}\n{address}\n".encode() + request).hexdigest()
        return self._folder / key[:2] / f"{key[2:]}.json"


def _digest(reply: dict[str, Any], seconds: float) -> str:
    known = {field.name: reply.get(field.name) for field in fields(Reply)}
    return hashlib.sha256(json.dumps([known, seconds], sort_keys=True).encode()).hexdigest()
