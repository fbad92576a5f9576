"""What every test server has in common: a port of the loopback address, a thread, and the end of both."""

from __future__ import annotations

import socketserver
import threading
from typing import Any, TypeVar

Started = TypeVar("Started", bound="Serving")


class LocalServer(socketserver.ThreadingTCPServer):
    """Takes connections, many at once; its handlers find what a test put up as ``owner``."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    allow_reuse_address = True
    owner: Any

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is what some tests are about."""


class Serving:
    """A server for the length of a ``with`` block."""

    def __init__(self, handler: type[socketserver.BaseRequestHandler]) -> None:
        self._server = LocalServer(("127.0.0.1", 0), handler)
        self._server.owner = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    def __enter__(self: Started) -> Started:  # noqa: PYI019 (typing.Self is younger than 3.10)
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def host(self) -> str:
        """Address and port."""
        return f"127.0.0.1:{self._server.server_address[1]}"
