"""A real HTTP server on the loopback address that serves what a test puts on it, and misbehaves on demand."""

from __future__ import annotations

import re
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler
from typing import Any

from serving import LocalServer, Serving


@dataclass
class Resource:
    """What one path answers; every field may be changed between two requests."""

    data: bytes = b""
    status: int = 200
    content_type: str = "application/octet-stream"
    etag: str = '"first"'
    ranges: bool = True
    """Whether a Range header is honoured."""
    location: str = ""
    """Where a redirect points to."""
    cuts: list[int] = field(default_factory=list)
    """For each of the next requests: the connection breaks after so many bytes of the body."""
    shift: int = 0
    """A lying server: a range begins so many bytes later than asked."""
    announce: bool = True
    """Whether the length is told beforehand."""
    more: dict[str, str] = field(default_factory=dict)
    """Further headers."""
    trickle: float = 0.0
    """Seconds before each 64 bytes of the body."""
    gate: threading.Event | None = None
    """The body is sent when the event is set."""


@dataclass(frozen=True)
class Seen:
    """One request that came in."""

    path: str
    headers: Message


class Loopback(Serving):
    """A server for the length of a ``with`` block; ``server["/a.zip"] = Resource(...)`` puts a file on it."""

    def __init__(self) -> None:
        self.resources: dict[str, Resource] = {}
        self.seen: list[Seen] = []
        super().__init__(_Handler)

    def __exit__(self, *raised: object) -> None:
        for resource in self.resources.values():
            if resource.gate:
                resource.gate.set()
        super().__exit__(*raised)

    def __setitem__(self, path: str, resource: Resource) -> None:
        self.resources[path] = resource

    def __getitem__(self, path: str) -> Resource:
        return self.resources[path]

    def url(self, path: str) -> str:
        """The address of a path on this server."""
        return f"http://{self.host}{path}"

    def asked_ranges(self) -> list[str]:
        """The Range header of each request, in order; "" where there was none."""
        return [seen.headers.get("Range", "") for seen in self.seen]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: LocalServer

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        self.server.owner.seen.append(Seen(self.path, self.headers))
        resource = self.server.owner.resources.get(path)
        self.close_connection = True
        if resource is None:
            self.send_error(404)
            return
        begin = self._begin(resource)
        if begin >= len(resource.data) > 0:
            self.send_response(416)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self._send(resource, begin)

    def _begin(self, resource: Resource) -> int:
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        unchanged = self.headers.get("If-Range", resource.etag) == resource.etag
        return int(asked[1]) if asked and resource.ranges and unchanged else 0

    def _send(self, resource: Resource, begin: int) -> None:
        size = len(resource.data)
        body = resource.data[begin + (resource.shift if begin else 0) :]
        self.send_response(206 if begin and resource.status == 200 else resource.status)
        self.send_header("Content-Type", resource.content_type)
        self.send_header("Connection", "close")
        if resource.etag:
            self.send_header("ETag", resource.etag)
        if resource.location:
            self.send_header("Location", resource.location)
        for name, value in resource.more.items():
            self.send_header(name, value)
        if begin:
            self.send_header("Content-Range", f"bytes {begin + resource.shift}-{size - 1}/{size}")
        if resource.announce:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if resource.gate:
            resource.gate.wait(20)
        body = body[: resource.cuts.pop(0)] if resource.cuts else body
        with suppress(OSError):
            for start in range(0, len(body), 64) if resource.trickle else ():
                time.sleep(resource.trickle)
                self.wfile.write(body[start : start + 64])
        if not resource.trickle:
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the base class' word)
        """Requests are kept in ``seen``; the test's output stays clean."""
