"""Sends one request to a model service; classifies failures and retries none."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ragharness import __version__
from ragharness.errors import AccessRefused, TemporaryFailure, UnusableReply
from ragharness.pipelines._addresses import is_local
from ragharness.pipelines._llm.refusing import Refusal
from ragharness.pipelines._loops import PerLoop
from ragharness.pipelines._replies import REPLY_LIMIT, json_of, text_of, too_long
from ragharness.pipelines._services import certificates, is_page, told, untrusted

if TYPE_CHECKING:
    import httpx

    from ragharness.pipelines._headers import Headers
    from ragharness.pipelines._llm.services import Reply, Service

CONNECT_SECONDS = 10.0
"""How long a service may take to accept a connection; how long it may write is for the run to say."""


class Line:
    """A line to one endpoint, used by as many questions at once as its caller awaits."""

    def __init__(self, url: httpx.URL, service: Service, headers: Headers, model: str, key_name: str) -> None:
        self.address = f"{url.scheme}://{url.netloc.decode()}{url.path}"
        self._url = url
        self._service = service
        self._headers = headers
        self._model = model
        self._key_name = key_name
        self._reached = False
        self._certificates = certificates(url)
        self._clients = PerLoop(self._client, _closed)

    async def ask(self, request: bytes) -> tuple[Reply | Refusal, float]:
        """Return the reply, or why there is none, and the seconds that it took.

        Raises TemporaryFailure for a cut connection, AccessRefused where nobody has listened since the start,
        UnusableReply for what is no reply of the API.
        """
        import httpx

        client = await self._clients.get()
        began = time.perf_counter()
        try:
            response, content = await self._exchanged(client, request)
        except (httpx.UnsupportedProtocol, httpx.LocalProtocolError, httpx.DecodingError) as error:
            raise UnusableReply(f"{self.address}: {self._headers.blanked(str(error))}") from error
        except httpx.TransportError as error:
            raise self._cut(error) from error
        self._reached = True
        return self._read(response, content), time.perf_counter() - began

    async def _exchanged(self, client: httpx.AsyncClient, request: bytes) -> tuple[httpx.Response, bytes]:
        content = bytearray()
        async with client.stream("POST", self._url, content=request) as response:
            async for piece in response.aiter_bytes():
                content += piece
                if len(content) > REPLY_LIMIT:
                    raise too_long()
        return response, self._headers.blanked_bytes(bytes(content))

    def _read(self, response: httpx.Response, content: bytes) -> Reply | Refusal:
        if not response.is_success:
            text = content.decode("utf-8", "replace")
            return Refusal(
                self.address, self._model, self._key_name, response.status_code, response.headers, text
            )
        text = text_of(content)
        if is_page(text):
            raise UnusableReply(f"expected JSON of {self.address}, found a web page: {told(text)}")
        return self._service.read(json_of(text))

    def _cut(self, error: httpx.TransportError) -> Exception:
        import httpx

        reason = self._headers.blanked(str(error)) or type(error).__name__
        if refused := untrusted(self.address, reason):
            return refused
        if isinstance(error, httpx.ConnectError) and not self._reached:
            return AccessRefused(
                f"no server answers at {self.address}: {reason}",
                help="start the server, or correct --base-url",
            )
        return TemporaryFailure(f"{self.address}: {reason}")

    def _client(self) -> httpx.AsyncClient:
        import httpx

        own = {"User-Agent": f"ragharness/{__version__}", "Content-Type": "application/json"}
        return httpx.AsyncClient(
            headers={**own, **self._service.headers, **self._headers.values},
            timeout=httpx.Timeout(None, connect=CONNECT_SECONDS),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=None),
            follow_redirects=False,
            trust_env=not is_local(self._url.host),
            verify=self._certificates,
        )


async def _closed(client: httpx.AsyncClient) -> None:
    await client.aclose()
