"""A service on the loopback address that fails on schedule: for each question, what each attempt gets."""

from __future__ import annotations

import json
import socket
import socketserver
import struct
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from serving import LocalServer, Serving


@dataclass(frozen=True)
class Act:
    """What one request gets: bytes as they go over the wire, and how the connection ends."""

    wire: bytes
    pause: float = 0.0
    """Seconds before the second half of the bytes."""
    reset: bool = False
    """Whether the connection is torn down instead of closed."""
    echoes: bool = False
    """Whether what came in is put where the bytes say ``ECHO``."""


def reply(body: bytes, *, status: str = "200 OK", kind: str = "application/json", more: str = "") -> bytes:
    """Return a whole response."""
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n"
    )
    return f"{head}{more}\r\n".encode() + body


def answer(text: str) -> bytes:
    """Return the response of a service that works."""
    return reply(json.dumps({"answer": text}).encode())


@dataclass(frozen=True)
class Request:
    """One request that came in, and when."""

    question: str
    head: str
    moment: float


class Misbehaving(Serving):
    """A server for the length of a ``with`` block; ``schedule`` says what the n-th try (from 0) gets."""

    def __init__(self, schedule: Callable[[str, int], Act]) -> None:
        self.seen: list[Request] = []
        self._schedule = schedule
        self._tries: dict[str, int] = defaultdict(int)
        self._lock = threading.Lock()
        super().__init__(_Handler)

    @property
    def url(self) -> str:
        """The address that questions go to."""
        return f"http://{self.host}/answer"

    def moments(self, question: str) -> list[float]:
        """Return when each request for a question came in."""
        return [request.moment for request in self.seen if request.question == question]

    def next_act(self, question: str, head: str) -> Act:
        """Note a request and return what it gets."""
        with self._lock:
            self.seen.append(Request(question, head, time.monotonic()))
            number = self._tries[question]
            self._tries[question] += 1
        return self._schedule(question, number)


def _question(asked: dict[str, Any]) -> str:
    """Return the question of a request, of one to a language model too."""
    if "messages" not in asked:
        return str(asked["question"])
    return str(asked["messages"][-1]["content"]).rpartition("Question: ")[2].partition("\n")[0].strip()


class _Handler(socketserver.StreamRequestHandler):
    server: LocalServer

    def handle(self) -> None:
        head = b""
        while line := self.rfile.readline():
            head += line
            if line == b"\r\n":
                break
        if not head:
            # A look whether anybody listens.
            return
        size = next(
            (
                int(row.partition(b":")[2])
                for row in head.splitlines()
                if row.lower().startswith(b"content-length")
            ),
            0,
        )
        body = self.rfile.read(size)
        told = _question(json.loads(body)) if body else ""
        act = self.server.owner.next_act(told, head.decode("latin-1"))
        self._send(act, head)

    def _send(self, act: Act, head: bytes) -> None:
        wire = act.wire
        if act.echoes:
            lines = [line for line in head.splitlines() if b"uthorization" in line or b"HTTP/1" in line]
            before, _, content = wire.partition(b"\r\n\r\n")
            content = content.replace(b"ECHO", b" | ".join(lines).replace(b'"', b"'"))
            rows = [row for row in before.split(b"\r\n") if not row.startswith(b"Content-Length")]
            wire = b"\r\n".join((*rows, b"Content-Length: %d" % len(content))) + b"\r\n\r\n" + content
        half = len(wire) // 2 if act.pause else len(wire)
        self.wfile.write(wire[:half])
        if act.pause:
            time.sleep(act.pause)
            self.wfile.write(wire[half:])
        if act.reset:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
