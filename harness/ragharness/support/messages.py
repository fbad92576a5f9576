"""Errors in few words: on one line, without what differs between those of one kind, in whose code."""

from __future__ import annotations

import json
import os
import re
import sysconfig
import time
from functools import lru_cache
from pathlib import Path
from traceback import FrameSummary, extract_tb
from typing import NamedTuple
from urllib.parse import urlsplit

_VARIABLE = re.compile(
    r"""(?<!\w)(?:'(?:[^'\\\n]|\\.)*(?:'|\Z)|"(?:[^"\\\n]|\\.)*(?:"|\Z)|`[^`\n]*(?:`|\Z))(?!\w)"""
    r"""|\b0x[0-9a-f]+\b|\d[\d.,:]*""",
    re.IGNORECASE,
)
"""Quoted parts, also ones that were cut off, addresses, numbers."""


LONGEST = 160
"""Characters of a message that is one of several things on a line."""


@lru_cache(maxsize=128)
def kind_of(message: str) -> str:
    """Return a message without what differs between messages of one kind."""
    return _VARIABLE.sub("_", message)


def told(kind: str, message: str, where: str = "") -> str:
    """Return an error on one line: type, message, place."""
    flat = " ".join(message.split())
    cut = flat if len(flat) <= LONGEST else f"{flat[:LONGEST].rstrip()}..."
    return f"{kind}: {cut}" + (f" ({where})" if where else "")


INSTALLED = tuple(map(sysconfig.get_path, ("stdlib", "platstdlib", "purelib", "platlib")))
"""Folders of the standard library and of installed packages."""

_OURS = tuple(f"{Path(__file__).parents[2] / package}{os.sep}" for package in ("ragharness", "ragquestions"))


def frames_of(error: BaseException) -> tuple[list[FrameSummary], list[FrameSummary]]:
    """Return the frames of an error outside of this package, and of those the ones in code of the user's."""
    found = [each for each in extract_tb(error.__traceback__) if not each.filename.startswith(_OURS)]
    return found, [
        each
        for each in found
        if not each.filename.startswith((*INSTALLED, "<")) and "site-packages" not in each.filename
    ]


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
