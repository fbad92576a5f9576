"""Exceptions of pipelines and graders: as records keep them, and whether they may pass.

A record keeps them short, printable and without secrets. The harness knows no client library: it looks at
what their exceptions have in common. A status is read from ``status_code``, ``status`` or ``code`` of the
exception or of its ``response``; a cut connection or a time-out is known by the names of its exception's
classes. What was raised ``from`` another is read by both.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragharness.errors import AccessRefused, TemporaryFailure
from ragharness.records import Failure
from ragharness.support.http import PASSING, retry_after
from ragharness.support.messages import INSTALLED, frames_of, without_secrets

_LONGEST = 2000
"""Characters of an exception's message that are kept."""

_LONGEST_TRACE = 6000
"""Characters of a traceback that are kept: its end, where the error is."""


_REFUSED = frozenset({401, 403})

_CUT = frozenset(
    {
        "APIConnectionError",
        "ChunkedEncodingError",
        "ClientConnectionError",
        "ClientPayloadError",
        "ConnectionError",
        "EndpointConnectionError",
        "IncompleteRead",
        "NetworkError",
        "ProtocolError",
        "RemoteProtocolError",
        "Timeout",
        "TimeoutError",
        "TimeoutException",
        "URLError",
    }
)
"""Classes of exceptions, of Python itself and of common clients, whose instances mean a cut connection."""

_LASTING = frozenset({"SSLCertVerificationError", "LocalProtocolError"})
"""Reasons of such an exception that no waiting mends: a certificate, a request that is none."""

_DEPTH = 5
"""Exceptions of a chain that are looked at."""


class Reported(Exception):
    """An exception of another process, of which only what a record keeps has come over."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


def describe(error: BaseException, where: str = "") -> Failure:
    """Return an exception's type, message, place and traceback; never raises.

    ``where`` says what raised it if not the pipeline. The place is the last frame of the user's own code.
    """
    if isinstance(error, Reported):
        return error.failure
    kind = type(error).__name__
    try:
        message = str(error)
    except BaseException:  # noqa: BLE001 (an exception that cannot even be printed)
        message = "(its message cannot be read)"
    message = _kept(message[: 2 * _LONGEST])[:_LONGEST]
    frames, own = frames_of(error)
    last = (own or frames)[-1:]
    place = "".join(f"{Path(each.filename).name}:{each.lineno}" for each in last)
    short = [
        traceback.FrameSummary(_short(each.filename), each.lineno, each.name, line=each.line)
        for each in frames
    ]
    trace = _kept("".join(traceback.format_list(short)))[-_LONGEST_TRACE:]
    return Failure(f"{kind} {where}".strip(), message, place, trace)


def _kept(text: str) -> str:
    return without_secrets(text).encode("utf-8", "replace").decode("utf-8")


def _short(filename: str) -> str:
    """Return a file's path without the folder of the machine that it lies in."""
    for folder in (*INSTALLED, _working_folder()):
        if folder and filename.startswith(f"{folder}{os.sep}"):
            return filename[len(folder) + 1 :]
    return filename


def _working_folder() -> str:
    try:
        return str(Path.cwd())
    except OSError:
        return ""


@dataclass(frozen=True)
class Passing:
    """A failure that may be gone soon."""

    retry_after: float | None = None
    """Seconds that the service asked to wait."""
    cut: bool = False
    """Whether no service answered: the connection was cut or never came about."""


def judge(error: BaseException) -> Passing | AccessRefused | None:
    """Return whether a failure passes, or a refusal of the credentials; None: it is the question's own."""
    for each in _chain(error):
        if isinstance(each, AccessRefused):
            return each
        if isinstance(each, TemporaryFailure):
            cut = any(isinstance(cause, Exception) and _is_cut(cause) for cause in _chain(each.__cause__))
            return Passing(each.retry_after, cut=cut)
        if isinstance(each, Exception) and (found := _judged(each)) is not None:
            return found
    return None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    cause = error
    for _ in range(_DEPTH):
        if cause is None:
            return
        yield cause
        cause = cause.__cause__


def _judged(error: Exception) -> Passing | AccessRefused | None:
    try:
        status, headers = _status(error), _headers(error)
        if status in _REFUSED or getattr(error, "code", None) == "insufficient_quota":
            return _refusal(error, status)
        if status is not None:
            return Passing(retry_after(headers)) if status in PASSING else None
    except BaseException:  # noqa: BLE001 (the exception is foreign and its attributes may do anything)
        return None
    return Passing(cut=True) if _is_cut(error) else None


def _refusal(error: Exception, status: int | None) -> AccessRefused:
    said = describe(error)
    message = " ".join(said.message.split())[:300] or "no reason given"
    what = f"{status} ({said.type}: {message})" if status else f"{said.type}: {message}"
    return AccessRefused(
        f"expected the pipeline's service to accept the credentials, found {what}",
        help="correct the key",
    )


def _status(error: Any) -> int | None:
    """Return the HTTP status that an exception carries."""
    response = getattr(error, "response", None)
    for holder in (error, response):
        for name in ("status_code", "status", "code"):
            value = getattr(holder, name, None)
            if isinstance(value, int) and not isinstance(value, bool) and 100 <= value < 600:
                return int(value)
    if isinstance(response, dict):
        # The clients of AWS keep their answers as dictionaries.
        value = response.get("ResponseMetadata", {}).get("HTTPStatusCode")
        return value if isinstance(value, int) else None
    return None


def _headers(error: Any) -> Any:
    response = getattr(error, "response", None)
    if isinstance(response, dict):
        return response.get("ResponseMetadata", {}).get("HTTPHeaders")
    return getattr(response, "headers", None) or getattr(error, "headers", None)


def _is_cut(error: Exception) -> bool:
    reason = getattr(error, "reason", None)
    reasons = [*_chain(error), *([reason] if isinstance(reason, BaseException) else [])]
    return bool(_CUT & _names(error)) and not any(_LASTING & _names(each) for each in reasons)


def _names(error: BaseException) -> set[str]:
    return {kind.__name__ for kind in type(error).__mro__}
