"""HTTP status codes of services as the failures that a run distinguishes."""

from __future__ import annotations

from http import HTTPStatus
from os import environ
from typing import TYPE_CHECKING

from ragharness.errors import (
    AccessRefused,
    PipelineNotUsable,
    RagharnessError,
    TemporaryFailure,
    UnusableReply,
)
from ragharness.language.tables import regex
from ragharness.pipelines._addresses import is_local
from ragharness.pipelines._replies import excerpt
from ragharness.support.http import PASSING, retry_after

if TYPE_CHECKING:
    from collections.abc import Mapping
    from ssl import SSLContext

    import httpx

_TITLE = regex(r"(?is)<title[^>]*>(.*?)</title>")
_MARKUP = regex(r"(?is)\A\s*(?:<!doctype html|<html|<head|<body)")
_CONFLICT = 409
"""Another request is in the way of this one; what a foreign client means by it is not known."""


def failure(where: str, status: int, headers: Mapping[str, str], text: str) -> RagharnessError | None:
    """Return what to raise for a reply of this status; None for a success."""
    if 200 <= status < 300:
        return None
    said = f"{where} replied {_named(status)}"
    if status in (401, 403):
        return AccessRefused(
            f"{said}: {told(text)}",
            help="send the value of a variable: --pipeline-option 'header-authorization=Bearer ENV:NAME'",
        )
    # Of a service that the user named, whatever is its own fault passes.
    if status in PASSING or status == _CONFLICT or status >= 500:
        return TemporaryFailure(f"{said}: {told(text)}", retry_after=retry_after(headers))
    if 300 <= status < 400:
        target = excerpt(headers.get("location", ""), 200) or "nowhere"
        return UnusableReply(f"{said} to {target}, which is not followed: use that address directly")
    return UnusableReply(f"{said}: {told(text)}")


def untrusted(where: str, reason: str) -> AccessRefused | None:
    """Return what to raise where a connection failed for this reason: a certificate; None for another one."""
    if "CERTIFICATE_VERIFY_FAILED" not in reason:
        return None
    # Between the library's words before and its own line of code behind stands what was found.
    plain = reason.rpartition("verify failed: ")[2].rpartition(" (_ssl")[0] or reason
    return AccessRefused(
        f"expected a trusted certificate of {where}, found otherwise: {plain}",
        help="name the certificate of its authority: export SSL_CERT_FILE=/path/to/authority.pem",
    )


def certificates(url: httpx.URL) -> SSLContext | bool:
    """Return what encrypted connections trust: SSL_CERT_FILE where it is set; False for none."""
    import httpx

    try:
        return False if url.scheme == "http" and is_local(url.host) else httpx.create_ssl_context()
    except OSError as error:
        found = environ.get("SSL_CERT_FILE") or environ.get("SSL_CERT_DIR")
        raise PipelineNotUsable(
            f"expected certificates in {found} (SSL_CERT_FILE), found: {error.strerror or error}",
            help="correct it, or unset SSL_CERT_FILE",
        ) from error


def is_page(text: str) -> bool:
    """Whether a text is a web page: what proxies and frameworks show to people in the place of a reply."""
    return _MARKUP.match(text) is not None


def told(text: str) -> str:
    """Return the beginning of what a service said, of a web page its title."""
    title = _TITLE.search(text[:10_000]) if is_page(text) else None
    return excerpt(title[1] if title else text) or "it said no more"


def _named(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)
