"""Parses the URL of a service, and checks once before a run that it can be reached."""

from __future__ import annotations

import ipaddress
import socket
from typing import TYPE_CHECKING
from urllib.request import getproxies, proxy_bypass

from ragharness.errors import PipelineNotUsable

if TYPE_CHECKING:
    import httpx

PATIENCE = 3.0
"""Seconds to wait for a connection; a service that is slower than that is not counted as absent."""

_HELP = "name a pipeline's service like http://127.0.0.1:8000/answer"


def address(written: str) -> httpx.URL:
    """Return a URL without its fragment; raises PipelineNotUsable for none, or one that holds a login."""
    import httpx

    try:
        url = httpx.URL(written)
        port_is_one = url.port is None or 0 < url.port < 65536
    except httpx.InvalidURL as error:
        raise PipelineNotUsable(f"expected a URL, found {written[:200]!r}: {error}", help=_HELP) from error
    if not url.host or not port_is_one:
        raise PipelineNotUsable(f"expected a URL with a host, found {written[:200]!r}", help=_HELP)
    if url.userinfo:
        raise PipelineNotUsable(
            f"expected a URL without a login in it, found one for {url.host}",
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
            f"expected a service on this machine (--offline or RAGHARNESS_OFFLINE is set), found {url.host}",
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
        raise PipelineNotUsable(
            f"expected a service that listens at {url.host}:{port}, found: {error.strerror or error}",
            help="start it, or correct the URL",
        ) from error
