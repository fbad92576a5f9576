"""A pipeline behind a URL: a question is one request, made from a JSON template, its reply the answer.

Settings: ``method``, ``template``, ``header-NAME`` (a value in which ``ENV:VARIABLE`` stands for what that
environment variable holds, so that no key is written down), and dotted paths to the parts of a reply:
``answer``, ``citations``, ``passages``, ``confidence``, ``usage``. Time limits and repetition are the run's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ragharness import __version__
from ragharness.errors import PipelineNotUsable, TemporaryFailure, UnusableReply
from ragharness.pipelines import BuiltPipeline
from ragharness.pipelines._headers import Headers
from ragharness.pipelines._loops import PerLoop
from ragharness.pipelines._replies import REPLY_LIMIT, json_of, text_of, too_long
from ragharness.pipelines._services import (
    address,
    certificates,
    failure,
    is_local,
    is_page,
    must_be_allowed,
    must_listen,
    told,
    untrusted,
)
from ragharness.pipelines._template import PARTS, Paths, Template

if TYPE_CHECKING:
    from collections.abc import Sequence

    import httpx

    from ragharness.pipelines import Context
    from ragharness.records import Passage

METHODS = ("POST", "GET", "PUT", "PATCH")
TEMPLATE = '{"question": "{question}"}'
"""What is sent when no template is given: such a pipeline retrieves for itself."""


def build(context: Context, argument: str) -> BuiltPipeline:
    """Return the pipeline at ``http:argument``; raises PipelineNotUsable."""
    return made(context, f"http:{argument}")


def made(context: Context, written: str) -> BuiltPipeline:
    """Return the pipeline at a URL at which somebody listens; raises PipelineNotUsable."""
    options = context.options
    url = address(written)
    method = options.choice("method", "POST", METHODS)
    template = Template(options.text("template", TEMPLATE))
    if method == "GET" and not template.text.startswith("{"):
        raise PipelineNotUsable("expected a template that is an object for method=GET: it becomes the query")
    places = {name: options.text(name) for name in ("answer", *PARTS)}
    headers = Headers(options.starting("header-"))
    headers.hide(url.query.decode("ascii", "replace"))
    options.finish(f"the pipeline {written.partition(':')[0]!r}")
    must_be_allowed(url, offline=options.offline)
    must_listen(url)
    endpoint = Endpoint(url, method, template, Paths(**places), headers, context.k)
    settings = {name: path for name, path in places.items() if path} | headers.settings
    return BuiltPipeline(
        endpoint.ask if template.takes_passages else endpoint.ask_alone,
        name=f"{url.netloc.decode()}{url.path}",
        settings={"method": method, "template": template.text, **settings},
        # The query may hold a secret: it counts, but it is not written down.
        source=url.query,
    )


class Endpoint:
    """Asks questions of one URL, at most as many at once as its caller awaits."""

    def __init__(
        self, url: httpx.URL, method: str, template: Template, paths: Paths, headers: Headers, k: int
    ) -> None:
        self._url = url
        self._where = f"{url.scheme}://{url.netloc.decode()}{url.path}"
        self._method = method
        self._template = template
        self._paths = paths
        self._headers = headers
        self._k = k
        self._certificates = certificates(url)
        self._idle: PerLoop[list[httpx.AsyncClient]] = PerLoop(list, _close_all)

    async def ask_alone(self, question: str) -> Any:
        """Return what the pipeline answered out of what it knows itself."""
        return await self.ask(question, ())

    async def ask(self, question: str, passages: Sequence[Passage]) -> Any:
        """Return what the pipeline answered.

        Raises AccessRefused, TemporaryFailure for what another try may mend, and UnusableReply for the rest.
        """
        import httpx

        idle = await self._idle.get()
        # Each has one connection: what many of them share is searched for every request (twice the work).
        client = idle.pop() if idle else self._client()
        try:
            value = self._template.fill(question, passages, self._k)
            response, content = await self._exchanged(client, value)
        except (httpx.UnsupportedProtocol, httpx.LocalProtocolError, httpx.DecodingError) as error:
            raise UnusableReply(f"{self._where}: {self._headers.blanked(str(error))}") from error
        except httpx.TransportError as error:
            raise self._cut(error) from error
        finally:
            idle.append(client)
        return self._read(response, content)

    async def _exchanged(self, client: httpx.AsyncClient, value: Any) -> tuple[httpx.Response, bytes]:
        import msgspec

        if self._method == "GET":
            request = client.build_request("GET", self._url.copy_merge_params(_query(value)))
        else:
            kind = {"Content-Type": "application/json"}
            request = client.build_request(
                self._method, self._url, content=msgspec.json.encode(value), headers=kind
            )
        response = await client.send(request, stream=True)
        try:
            content = bytearray()
            async for piece in response.aiter_bytes():
                content += piece
                if len(content) > REPLY_LIMIT:
                    raise too_long()
        finally:
            await response.aclose()
        return response, bytes(content)

    def _read(self, response: httpx.Response, content: bytes) -> Any:
        content = self._headers.blanked_bytes(content)
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        try:
            text = text_of(content, response.charset_encoding or "")
        except UnusableReply:
            if response.is_success:
                raise
            text = content.decode("utf-8", "replace")
        headers = {name: self._headers.blanked(value) for name, value in response.headers.items()}
        problem = failure(self._where, response.status_code, headers, text)
        if problem is not None:
            raise problem
        return self._paths.read(value_of(kind, text))

    def _cut(self, error: Exception) -> Exception:
        reason = self._headers.blanked(str(error)) or type(error).__name__
        return untrusted(self._where, reason) or TemporaryFailure(f"{self._where}: {reason}")

    def _client(self) -> httpx.AsyncClient:
        from http.cookiejar import CookieJar, DefaultCookiePolicy

        import httpx

        return httpx.AsyncClient(
            headers={"User-Agent": f"ragharness/{__version__}", "Accept": "*/*", **self._headers.values},
            # Questions are independent: what one of them is told to remember, no other sends.
            cookies=CookieJar(policy=DefaultCookiePolicy(allowed_domains=[])),
            timeout=None,  # noqa: S113 (the run has one)
            follow_redirects=False,
            trust_env=not is_local(self._url.host),
            verify=self._certificates,
        )


def value_of(kind: str, text: str) -> Any:
    """Return the JSON value or the plain text of a reply of this content type; raises UnusableReply."""
    if kind == "text/event-stream":
        raise UnusableReply("expected one reply, found a stream of events: ask for one without streaming")
    if is_page(text):
        raise UnusableReply(f"expected JSON or plain text, found a web page: {told(text)}")
    if kind.endswith(("json", "javascript")) or text.lstrip()[:1] in ("{", "["):
        return json_of(text)
    return text


async def _close_all(clients: list[httpx.AsyncClient]) -> None:
    for client in clients:
        await client.aclose()


def _query(value: dict[str, Any]) -> dict[str, Any]:
    """Return a filled template as a query takes it: texts, numbers, lists of them, anything else as JSON."""
    import json

    def plain(part: Any) -> Any:
        return json.dumps(part, ensure_ascii=False) if isinstance(part, (dict, list)) else part

    return {
        key: [plain(each) for each in part] if isinstance(part, list) else plain(part)
        for key, part in value.items()
    }
