"""Redacts secrets: values of secret environment variables, logins and queries in URLs."""

from __future__ import annotations

import json
import os
import re
import time
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlsplit

_SECRET_NAME = re.compile(
    r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|COOKIE|WEBHOOK|JWT"
    r"|(?:^|_)(?:PASS|PAT|AUTH|DSN)$|_PWD$",
    re.IGNORECASE,
)
"""``PWD`` alone is the working folder."""
SHORTEST_SECRET = 8
"""Characters; shorter values ("1", "true") are no secrets and would hit ordinary words."""

_URL = re.compile(r"""[a-zA-Z][a-zA-Z0-9+.-]*://[^\s'"<>]+""")
_PLACE = re.compile(r"""(?<![^\s"'(])(/[^\s?#"')]*)[?#][^\s"')]+""")
"""A redirection may name its place without a host; its query may hold a key all the same."""

_STRING = re.compile(rb'("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?', re.DOTALL)
"""A text in JSON; with a colon behind it, the name of a field."""

_FRESH = 0.1
"""Seconds for which the environment is taken to be as it was, unless variables came or went."""


class _Seen(NamedTuple):
    """The secrets of the environment as it was at a time."""

    moment: float
    variables: int
    secrets: tuple[tuple[str, str], ...]


_seen = _Seen(0.0, -1, ())


def public(url: str) -> str:
    """Return a URL as it may be shown: without the user, password and query that may hold a secret."""
    try:
        parts = urlsplit(url)
    except ValueError:
        # Half a bracket is enough; what cannot be taken apart is cut where its secrets may begin.
        return re.split(r"[?#]", re.sub(r"(?<=//)[^/]*@", "", url), maxsplit=1)[0]
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def without_secrets(text: str) -> str:
    """Return the text without the values of secret environment variables, logins and queries of URLs."""
    for name, value in _secrets():
        if value in text:
            text = text.replace(value, f"[{name}]")
    return _PLACE.sub(r"\1", _URL.sub(lambda found: public(found[0]), text))


def scrubbed(content: bytes) -> bytes:
    """Return text or JSON in bytes without the values of secret environment variables.

    Of JSON its texts alone are changed, not the names of its fields: a password may be ``question``.
    """
    for name, value in _secrets():
        for written in (value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]):
            if (secret := written.encode("utf-8", "surrogateescape")) in content:
                if content[:1] in (b"{", b"["):
                    content = _without(content, value, f"[{name}]")
                    break
                content = content.replace(secret, f"[{name}]".encode())
    return content


def _without(content: bytes, value: str, name: str) -> bytes:
    def blanked(found: re.Match[bytes]) -> bytes:
        if found[2] or found[1][1:-1] in _words_of_records():
            return found[0]
        text: str = json.loads(found[1])
        return json.dumps(text.replace(value, name), ensure_ascii=False).encode("utf-8", "replace")

    return _STRING.sub(blanked, content)


@lru_cache(maxsize=1)
def _words_of_records() -> frozenset[bytes]:
    """Return what fields of a question or record hold one of, which nobody's text is: ``unanswerable``."""
    from msgspec.json import schema_components

    from ragharness.records import Question, Record

    told = json.dumps(schema_components([Question, Record]))
    lists = re.findall(r'"enum": (\[[^\]]*\])', told)
    return frozenset(word.encode() for each in lists for word in json.loads(each))


def _secrets() -> tuple[tuple[str, str], ...]:
    """Return name and value of each secret variable, the longest value first: one may hold another."""
    global _seen  # noqa: PLW0603 (reading the whole environment for every line would cost more than the line)
    now = time.monotonic()
    if len(os.environ) != _seen.variables or now - _seen.moment > _FRESH:
        # What was secret once stays so: a pipeline may change its key, or remove it.
        found = sorted(
            {*_seen.secrets, *(pair for pair in os.environ.items() if _is_secret(*pair))},
            key=lambda pair: (-len(pair[1]), pair),
        )
        _seen = _Seen(now, len(os.environ), tuple(found))
    return _seen.secrets


def _is_secret(name: str, value: str) -> bool:
    # A number is a setting (MAX_TOKENS), and would be found within others.
    return len(value) >= SHORTEST_SECRET and not value.isdecimal() and bool(_SECRET_NAME.search(name))


# A pipeline may remove its key when it is imported.
_secrets()
