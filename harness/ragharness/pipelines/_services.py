"""Services asked over HTTP: URLs, looked at before a run begins, headers with secrets, requests, failures.

What comes back is untrusted, from a service as from a command: bytes to text and JSON, within limits.
"""

from __future__ import annotations

import codecs
import ipaddress
import json
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_plus
from urllib.request import getproxies, proxy_bypass

from ragharness import __version__
from ragharness.errors import (
    AccessRefused,
    PipelineNotUsable,
    RagharnessError,
    TemporaryFailure,
    UnusableReply,
)
from ragharness.language.tables import regex
from ragharness.support.concurrency import PerLoop
from ragharness.support.http import TRANSIENT, Unpacker, retry_after
from ragharness.support.messages import SHORTEST_SECRET

if TYPE_CHECKING:
    from ssl import SSLContext

    import httpx

REPLY_LIMIT = 16 * 2**20  # bytes of one reply, unpacked; a longer one is given up
EXCERPT = 300  # characters of a reply that are quoted in a message
PATIENCE = 3.0  # seconds to wait for a connection; a slower service is not counted as absent
_CONFLICT = 409  # another request is in the way; what a foreign client means by it is not known
_TITLE = regex(r"(?is)<title[^>]*>(.*?)</title>")
_MARKUP = regex(r"(?is)\A\s*(?:<!doctype html|<html|<head|<body)")
_UNPRINTABLE = regex(r"\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]+")
_VARIABLE = regex(r"ENV:([A-Za-z_][A-Za-z0-9_]*)")
_HEADER_NAME = regex(r"[a-z0-9!#$%&'*+.^_`|~-]+")
_SECRET_HEADER = regex(r"auth|key|token|secret|password|credential|cookie")
_SECRET_SETTING = regex(  # names of JSON keys and command options that hold a secret; ``max_tokens`` is none
    r".*(?:(?:api|access|private)[_-]?key|secret|password|passwd|passphrase|authorization|cookie|jwt)"
    r"|(?:.*[_-])?(?:pwd|pass|pat)"
    r"|(?:.*[_-])?(?:access|auth|api|bearer|session)?token"
)
_SENDABLE = regex(r"[\x20-\x7e\t]*")
_HELP = "name a pipeline's service like http://127.0.0.1:8000/answer"


@dataclass(frozen=True)
class ServiceReply:
    """A service's reply, without the secrets that it was sent."""

    where: str  # the URL without its query
    status: int
    headers: dict[str, str]
    content: bytes
    charset: str

    @property
    def is_success(self) -> bool:
        """Whether the service says that it did what it was asked."""
        return 200 <= self.status < 300

    def text(self) -> str:
        """The body, of a failure as much as is readable; raises UnusableReply for no text."""
        try:
            return text_of(self.content, self.charset)
        except UnusableReply:
            if self.is_success:
                raise
            return self.content.decode("utf-8", "replace")


class Client:
    """Asks one service, as many times at once as its caller awaits; each request is sent once."""

    def __init__(
        self,
        url: httpx.URL,
        headers: Headers,
        fixed: Mapping[str, str],
        *,
        connect_seconds: float | None = None,
        if_absent: str = "",
    ) -> None:
        """``if_absent``: the help where nobody has ever listened; empty: that counts as a cut connection."""
        from http.cookiejar import CookieJar, DefaultCookiePolicy

        import httpx

        self.where = f"{url.scheme}://{url.netloc.decode()}{url.path}"
        self._url = url
        self._headers = headers
        self._if_absent = if_absent
        self._reached = False
        self._idle: PerLoop[list[httpx.AsyncClient]] = PerLoop(list, _close_all)
        ours = {"Accept": "*/*", "Accept-Encoding": "gzip, deflate"}
        self._new_client = partial(
            httpx.AsyncClient,
            headers={"User-Agent": f"ragharness/{__version__}", **ours, **fixed, **headers.values},
            # Questions are independent: what one of them is told to remember, no other sends.
            cookies=CookieJar(policy=DefaultCookiePolicy(allowed_domains=[])),
            timeout=httpx.Timeout(None, connect=connect_seconds),  # the run limits the call as a whole
            follow_redirects=False,
            trust_env=not is_local(url.host),
            verify=_certificates(url),
        )
        try:
            self._new_client()
        except (httpx.InvalidURL, ValueError, ImportError) as error:
            message = f"HTTP_PROXY, HTTPS_PROXY or ALL_PROXY does not hold the URL of a proxy: {error}"
            raise PipelineNotUsable(message, help="correct it, or unset it") from error

    async def ask(
        self, method: str = "POST", *, content: bytes | None = None, query: Mapping[str, Any] | None = None
    ) -> ServiceReply:
        """Send JSON or a query and return the reply.

        Raises TemporaryFailure for a cut connection, AccessRefused for a certificate that is not trusted or
        where nobody has listened since the start, UnusableReply for what is no HTTP or too long.
        """
        import httpx

        idle = await self._idle.get()
        # Each has one connection: what many of them share is searched for every request (twice the work).
        client = idle.pop() if idle else self._new_client()
        try:
            url = self._url.copy_merge_params(query) if query is not None else self._url
            kind = {"Content-Type": "application/json"} if content is not None else {}
            request = client.build_request(method, url, content=content, headers=kind)
            response, body = await _exchange(client, request)
        except (httpx.UnsupportedProtocol, httpx.LocalProtocolError, ValueError) as error:
            raise UnusableReply(f"{self.where}: {self._headers.blanked(str(error))}") from error
        except httpx.TransportError as error:
            raise self._connection_error(error) from error
        finally:
            idle.append(client)
        self._reached = True
        headers = {name: self._headers.blanked(value) for name, value in response.headers.items()}
        body = self._headers.blanked_bytes(body)
        return ServiceReply(self.where, response.status_code, headers, body, response.charset_encoding or "")

    def _connection_error(self, error: httpx.TransportError) -> RagharnessError:
        import httpx

        reason = self._headers.blanked(str(error)) or type(error).__name__
        if "CERTIFICATE_VERIFY_FAILED" in reason:
            # The reason stands between the library's own words and its line of code.
            plain = reason.rpartition("verify failed: ")[2].rpartition(" (_ssl")[0] or reason
            return AccessRefused(
                f"the TLS certificate of {self.where} is not trusted: {plain}",
                help="name the certificate of its authority: export SSL_CERT_FILE=/path/to/authority.pem",
            )
        if self._if_absent and isinstance(error, httpx.ConnectError) and not self._reached:
            return AccessRefused(f"no server answers at {self.where}: {reason}", help=self._if_absent)
        return TemporaryFailure(f"{self.where}: {reason}")


async def _exchange(client: httpx.AsyncClient, request: httpx.Request) -> tuple[httpx.Response, bytes]:
    response = await client.send(request, stream=True)
    try:
        content = bytearray()
        unpacker = Unpacker(response.headers)
        async for piece in response.aiter_raw():
            for block in unpacker.blocks(piece):
                content += block
                if len(content) > REPLY_LIMIT:
                    raise too_long()
    finally:
        await response.aclose()
    return response, bytes(content)


async def _close_all(clients: list[httpx.AsyncClient]) -> None:
    for client in clients:
        await client.aclose()


def _certificates(url: httpx.URL) -> SSLContext | bool:
    """Trusted authorities of encrypted connections: SSL_CERT_FILE where it is set; False for none."""
    import httpx

    try:
        return False if url.scheme == "http" and is_local(url.host) else httpx.create_ssl_context()
    except OSError as error:
        path = os.environ.get("SSL_CERT_FILE") or os.environ.get("SSL_CERT_DIR")
        message = f"cannot read certificates from {path} (SSL_CERT_FILE): {error.strerror or error}"
        raise PipelineNotUsable(message, help="correct it, or unset SSL_CERT_FILE") from error


def failure(reply: ServiceReply, text: str) -> RagharnessError:
    """The exception for a reply that is no success."""
    status = reply.status
    phrase = next((standard.phrase for standard in HTTPStatus if standard == status), "")
    message = f"{reply.where} replied {status} {phrase}".rstrip()
    if status in (401, 403):
        return AccessRefused(
            f"{message}: {message_of(text)}",
            help="send the value of a variable: --pipeline-option 'header-authorization=Bearer ENV:NAME'",
        )
    # Of a service that the user named, whatever is its own fault passes.
    if status in TRANSIENT or status == _CONFLICT or status >= 500:
        return TemporaryFailure(f"{message}: {message_of(text)}", retry_after=retry_after(reply.headers))
    if 300 <= status < 400:
        target = excerpt(reply.headers.get("location", ""), 200) or "nowhere"
        return UnusableReply(f"{message} to {target}, which is not followed: use that address directly")
    return UnusableReply(f"{message}: {message_of(text)}")


def address(written: str) -> httpx.URL:
    """A URL without its fragment; raises PipelineNotUsable for none, or one that holds a login."""
    import httpx

    try:
        url = httpx.URL(written)
        valid_port = url.port is None or 0 < url.port < 65536
    except httpx.InvalidURL as error:
        raise PipelineNotUsable(f"{written[:200]!r} is no URL: {error}", help=_HELP) from error
    if not url.host or not valid_port:
        raise PipelineNotUsable(f"the URL {written[:200]!r} names no host", help=_HELP)
    if url.userinfo:
        raise PipelineNotUsable(
            f"the URL for {url.host} holds a login, which would be written down",
            help="--pipeline-option 'header-authorization=Basic ENV:NAME' sends the value of NAME",
        )
    return url.copy_with(fragment=None)


def is_local(host: str) -> bool:
    """Whether a host is this machine: no proxy stands between."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def must_be_allowed(url: httpx.URL, *, offline: bool) -> None:
    """Raise PipelineNotUsable for a service elsewhere where nothing outside this machine may be asked."""
    if offline and not is_local(url.host):
        raise PipelineNotUsable(
            f"{url.host} is not on this machine, and --offline or RAGHARNESS_OFFLINE is set",
            help="drop --offline and unset RAGHARNESS_OFFLINE, or serve a model at http://127.0.0.1:...",
        )


def must_listen(url: httpx.URL) -> None:
    """Raise PipelineNotUsable when nobody can be there: no such host, or a port that refuses.

    A mistyped port would otherwise cost every question its tries. Behind a proxy only the proxy knows.
    """
    proxies = getproxies()
    through_proxy = (proxies.get(url.scheme) or proxies.get("all")) and not proxy_bypass(url.host)
    if through_proxy and not is_local(url.host):
        return
    port = url.port or (443 if url.scheme == "https" else 80)
    try:
        socket.create_connection((url.host, port), timeout=PATIENCE).close()
    except TimeoutError:
        return
    except OSError as error:
        message = f"nothing listens at {url.host}:{port}: {error.strerror or error}"
        raise PipelineNotUsable(message, help="start the service, or correct the URL") from error


class Headers:
    """Headers with their values, and the settings that say where the values came from."""

    def __init__(self, written: dict[str, str]) -> None:
        """Raises PipelineNotUsable for a variable that is absent or cannot be sent."""
        self.settings = {f"header-{name}": value for name, value in written.items()}
        self._secrets: dict[str, str] = {}
        self.values = {name: self._filled(name, value) for name, value in written.items()}

    def hide(self, query: str) -> None:
        """Blank the values of a URL's query too: some services take their key there."""
        for part in query.split("&"):
            value = part.partition("=")[2]
            for secret in (value, unquote_plus(value)):
                if len(secret) >= SHORTEST_SECRET:
                    self._secrets[secret] = "URL"

    def blanked(self, text: str) -> str:
        """A text with the names of variables where their values stood."""
        for secret, name in self._secrets.items():
            text = text.replace(secret, f"[{name}]")
        return text

    def blanked_bytes(self, content: bytes) -> bytes:
        """Bytes with the names of variables where their values stood."""
        for secret, name in self._secrets.items():
            content = content.replace(secret.encode(), f"[{name}]".encode())
        return content

    def _filled(self, header: str, written: str) -> str:
        if not _HEADER_NAME.fullmatch(header):
            raise PipelineNotUsable(f"{header!r}, after 'header-', is no name of a header")
        if _SECRET_HEADER.search(header) and not _VARIABLE.search(written):
            raise PipelineNotUsable(
                f"the header {header!r} must take its value from the environment, not in plain text",
                help=f"put it into a variable: export NAME=...; --pipeline-option {header_option(header)}",
            )
        return _VARIABLE.sub(lambda match: self._value(header, match[1]), written)

    def _value(self, header: str, variable: str) -> str:
        value = os.environ.get(variable, "").strip()
        if not value or not _SENDABLE.fullmatch(value):
            problem = "holds characters that a header cannot" if value else "is not set"
            message = f"the environment variable {variable}, for the header {header!r}, {problem}"
            raise PipelineNotUsable(message, help=f"export {variable}=...")
        if len(value) >= SHORTEST_SECRET:
            self._secrets[value] = variable
        return value


def is_secret(name: str, value: str) -> bool:
    """Whether a value that is written out under this name, in JSON or in a command, must not be kept."""
    return len(value) >= SHORTEST_SECRET and bool(_SECRET_SETTING.fullmatch(name.lower()))


def header_option(header: str) -> str:
    """How the header of this name is set."""
    return f"'header-{header}={'Bearer ' if header == 'authorization' else ''}ENV:NAME'"


def too_long() -> UnusableReply:
    """The exception for a reply beyond the limit."""
    return UnusableReply(f"the reply is longer than {REPLY_LIMIT // 2**20} MiB")


def text_of(content: bytes, charset: str = "") -> str:
    """The text that the bytes are in ``charset`` (default: UTF-8); raises UnusableReply."""
    try:
        name = codecs.lookup(charset or "utf-8").name
    except LookupError:
        raise UnusableReply(f"the reply is in an unknown encoding, {excerpt(charset)!r}") from None
    try:
        return content.decode("utf-8-sig" if name == "utf-8" else name)
    except UnicodeDecodeError as error:
        digits = " ".join(f"{byte:02x}" for byte in content[error.start : error.start + 4])
        message = f"the reply is not in {name}: it has the bytes {digits} at position {error.start:,}"
        raise UnusableReply(message) from None
    except (LookupError, ValueError, AttributeError):
        raise UnusableReply(f"the reply is in {name}, which is no encoding of text") from None


def json_of(text: str) -> Any:
    """The one JSON value that a text is; raises UnusableReply."""
    try:
        return json.loads(text)
    except RecursionError:
        raise UnusableReply("the JSON is nested too deeply") from None
    except ValueError as error:
        problem = "more than one" if "Extra data" in str(error) else f"({error}) {excerpt(text)!r}"
        raise UnusableReply(f"expected one JSON value, found {problem}") from None


def is_page(text: str) -> bool:
    """Whether a text is a web page: what proxies and frameworks show to people in the place of a reply."""
    return _MARKUP.match(text) is not None


def message_of(text: str) -> str:
    """The beginning of what a service said, of a web page its title."""
    title = _TITLE.search(text[:10_000]) if is_page(text) else None
    return excerpt(title[1] if title else text) or "it said no more"


def excerpt(text: str, limit: int = EXCERPT) -> str:
    """The beginning of a text on one line, without anything that a terminal would act upon."""
    line = " ".join(_UNPRINTABLE.sub(" ", text[: 4 * limit]).split())
    return line if len(line) <= limit else f"{line[: limit - 3]}..."
