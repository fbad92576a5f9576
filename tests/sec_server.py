"""A server that plays the SEC on the loopback address: wants a contact, bans who asks too fast."""

from __future__ import annotations

import gzip
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from serving import LocalServer, Serving

LIMIT = 10
"""Requests that one second may hold."""


@dataclass
class Page:
    """What a path answers; ``troubles`` are what the next requests get instead, one each."""

    data: bytes
    troubles: list[str] = field(default_factory=list)
    """``429``, ``403``, ``503``, ``cut``, ``half`` (of the compressed data) or ``html`` (an error page)."""


class Sec(Serving):
    """A server for the length of a ``with`` block."""

    def __init__(self) -> None:
        self.pages: dict[str, Page] = {}
        self.asked: list[tuple[float, str, str]] = []
        self.banned = False
        self._lock = threading.Lock()
        self._recent: deque[float] = deque()
        super().__init__(_Handler)

    @property
    def url(self) -> str:
        """The address that stands for both hosts of the SEC."""
        return f"http://{self.host}"

    @property
    def paths(self) -> list[str]:
        """What was asked for, in order."""
        return [path for _, path, _ in self.asked]

    def admits(self, path: str, agent: str) -> bool:
        """Count a request; False from the moment on that somebody was too fast, or names no contact."""
        with self._lock:
            now = time.monotonic()
            self.asked.append((now, path, agent))
            self._recent.append(now)
            while self._recent and self._recent[0] <= now - 1:
                self._recent.popleft()
            self.banned = self.banned or len(self._recent) > LIMIT
            return not self.banned and "@" in agent


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: LocalServer

    def do_GET(self) -> None:
        sec = self.server.owner
        if not sec.admits(self.path, self.headers.get("User-Agent", "")):
            self._send(403, b"<html>Request Rate Threshold Exceeded</html>")
            return
        page = sec.pages.get(self.path)
        if page is None:
            self._send(404, b"<html>not found</html>")
            return
        trouble = page.troubles.pop(0) if page.troubles else ""
        if trouble.isdigit():
            self._send(int(trouble), b"<html>busy</html>", retry="0")
        elif trouble == "html":
            self._send(200, b"<!DOCTYPE html><html><body>Please log in</body></html>")
        else:
            self._send(200, page.data, trouble=trouble)

    def _send(self, status: int, data: bytes, *, retry: str = "", trouble: str = "") -> None:
        packed = "gzip" in self.headers.get("Accept-Encoding", "")
        body = gzip.compress(data) if packed else data
        if trouble == "half":
            body = body[: len(body) // 2]
        self.send_response(status)
        if packed:
            self.send_header("Content-Encoding", "gzip")
        if retry:
            self.send_header("Retry-After", retry)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if trouble == "cut":
            self.wfile.write(body[: len(body) // 2])
            self.close_connection = True
            return
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the base class' word)
        """Requests are kept in ``asked``; the test's output stays clean."""
