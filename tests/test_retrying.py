"""Which failures pass: told from the real exceptions of real clients, and how long is waited."""

from __future__ import annotations

import http.client
import random
import ssl
import urllib.error
from datetime import datetime, timedelta, timezone
from email.message import Message
from email.utils import format_datetime
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragharness.errors import AccessRefused, TemporaryFailure
from ragharness.runner.limits import Passing, judge
from ragharness.support.http import LONGEST_WAIT, backoff
from ragharness.support.process import ProcessDied

REQUEST = httpx.Request("POST", "http://localhost/v1")


def by_httpx(status: int, **headers: str) -> httpx.HTTPStatusError:
    """Return what ``raise_for_status`` raises."""
    response = httpx.Response(
        status, request=REQUEST, headers={name.replace("_", "-"): value for name, value in headers.items()}
    )
    with pytest.raises(httpx.HTTPStatusError) as raised:
        response.raise_for_status()
    return raised.value


def by_urllib(status: int, **headers: str) -> urllib.error.HTTPError:
    """Return what ``urlopen`` raises."""
    told = Message()
    for name, value in headers.items():
        told[name.replace("_", "-")] = value
    return urllib.error.HTTPError("http://localhost", status, "no", told, None)


class RateLimitError(Exception):
    """As the clients of hosted models have it: a status and the response."""

    def __init__(self, status: int, code: str | None = None, **headers: str) -> None:
        super().__init__(f"Error code: {status}")
        self.status_code = status
        self.code = code
        self.response = httpx.Response(status, request=REQUEST, headers=headers)


class APIConnectionError(Exception):
    """As the clients of hosted models have it: a name alone."""


class ClientError(Exception):
    """As the clients of AWS have it: a dictionary."""

    def __init__(self, status: int) -> None:
        self.response = {"ResponseMetadata": {"HTTPStatusCode": status, "HTTPHeaders": {"retry-after": "7"}}}


def caused(error: Exception, cause: Exception) -> Exception:
    """Return an error that was raised from another."""
    error.__cause__ = cause
    return error


class LyingError(Exception):
    """Its attributes raise."""

    @property
    def response(self) -> Any:
        raise RuntimeError("no")


@pytest.mark.parametrize(
    ("error", "wait"),
    [
        (by_httpx(429, retry_after="3"), 3.0),
        (by_httpx(429, retry_after_ms="1500"), 1.5),
        (by_httpx(429, retry_after="soon"), None),
        (by_httpx(429, retry_after="-4"), None),
        (by_httpx(503), None),
        (by_httpx(529), None),
        (by_urllib(500), None),
        (by_urllib(429, Retry_After="12"), 12.0),
        (RateLimitError(429), None),
        (APIConnectionError("cut"), None),
        (ClientError(503), 7.0),
        (TemporaryFailure("busy", retry_after=2.5), 2.5),
        (httpx.ConnectError("refused", request=REQUEST), None),
        (httpx.ReadTimeout("slow", request=REQUEST), None),
        (httpx.RemoteProtocolError("cut", request=REQUEST), None),
        (ConnectionResetError("reset"), None),
        (TimeoutError("slow"), None),
        (http.client.IncompleteRead(b""), None),
        (http.client.RemoteDisconnected("cut"), None),
        (urllib.error.URLError(ConnectionRefusedError("no")), None),
        (caused(ValueError("could not ask"), by_httpx(502)), None),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_passes_is_asked_again(error: Exception, wait: float | None) -> None:
    found = judge(error)
    assert isinstance(found, Passing)
    assert found.retry_after == wait


@pytest.mark.parametrize(
    "error",
    [
        by_httpx(400),
        by_httpx(404),
        by_urllib(422),
        ValueError("429"),
        KeyError("status_code"),
        FileNotFoundError("x"),
        SystemExit(429),
        LyingError(),
        ProcessDied("exit code 3"),
        httpx.LocalProtocolError("a header that is none", request=REQUEST),
        urllib.error.URLError(ssl.SSLCertVerificationError("unknown issuer")),
        caused(httpx.ConnectError("x", request=REQUEST), ssl.SSLCertVerificationError("unknown issuer")),
    ],
    ids=repr,
)
def test_what_does_not_pass_is_the_question_s_own(error: Any) -> None:
    assert judge(error) is None


@pytest.mark.parametrize(
    "error",
    [
        by_httpx(401),
        by_urllib(403),
        RateLimitError(403),
        RateLimitError(429, "insufficient_quota"),
        AccessRefused("no such key"),
        caused(ValueError("could not ask"), by_httpx(401)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_refused_credentials_end_the_run(error: Exception) -> None:
    assert isinstance(judge(error), AccessRefused)


def test_no_key_is_in_the_sentence_about_refused_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-0123456789abcdef")
    error = RateLimitError(401)
    error.args = ("Incorrect API key provided: sk-0123456789abcdef",)
    assert "sk-0123456789abcdef" not in str(judge(error))
    assert "[SOME_API_KEY]" in str(judge(error))


def test_a_date_is_waited_for() -> None:
    date = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=30), usegmt=True)
    found = judge(by_httpx(429, retry_after=date))
    assert isinstance(found, Passing)
    assert found.retry_after
    assert 27 < found.retry_after <= 30
    assert judge(by_httpx(429, retry_after="Wed, 21 Oct 2015 07:28:00 GMT")) == Passing(0.0)


@given(st.integers(1, 2000), st.none() | st.floats(0, 1e9), st.integers())
def test_waits_are_bounded(attempt: int, retry_after: float | None, seed: int) -> None:
    wait = backoff(attempt, retry_after, random.Random(seed))
    least = min(retry_after, LONGEST_WAIT) if retry_after is not None else 0.0
    most = least + 1.0 if retry_after is not None else min(60.0, 2.0 ** min(attempt - 1, 10))
    assert least <= wait <= most
