"""A real HTTP server on the loopback address that answers questions as a test tells it to, or fails to."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any

from serving import LocalServer, Serving

if TYPE_CHECKING:
    from email.message import Message


@dataclass(frozen=True)
class Asked:
    """One request that came in."""

    method: str
    path: str
    headers: Message
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


@dataclass
class Reply:
    """One reply; a value that is neither bytes nor text goes out as JSON."""

    value: Any = "Yes."
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    kind: str = ""
    cut: int | None = None
    """The connection breaks after so many bytes of the body; below 0: before the status line."""

    def body(self) -> tuple[bytes, str]:
        """The bytes and their content type."""
        if isinstance(self.value, bytes):
            return self.value, self.kind or "application/json"
        if isinstance(self.value, str):
            return self.value.encode(), self.kind or "text/plain; charset=utf-8"
        return json.dumps(self.value).encode(), self.kind or "application/json"


class Answering(Serving):
    """A server for the length of a ``with`` block; many threads call ``reply`` with what was asked."""

    def __init__(self, reply: Callable[[Asked], Reply]) -> None:
        self.reply = reply
        self.asked: list[Asked] = []
        super().__init__(_Handler)

    def url(self, path: str = "/ask") -> str:
        """The address of a path on this server."""
        return f"http://{self.host}{path}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True
    server: LocalServer

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        asked = Asked(self.command, self.path, self.headers, body)
        self.server.owner.asked.append(asked)
        reply = self.server.owner.reply(asked)
        content, kind = reply.body()
        if reply.cut is not None:
            self.close_connection = True
            if reply.cut < 0:
                return
        self.send_response(reply.status)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(len(content)),
            **reply.headers,
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content[: reply.cut])

    do_GET = do_PUT = do_PATCH = do_POST  # noqa: N815 (the base class' words)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the base class' word)
        """Requests are kept in ``asked``; the test's output stays clean."""
