"""Error messages that are short and safe to show: on one line, grouped by kind, without secrets."""

from __future__ import annotations

import json
import os
import re
import time
from functools import lru_cache
from pathlib import Path
from traceback import FrameSummary, extract_tb
from typing import NamedTuple
from urllib.parse import urlsplit

LONGEST = 160  # characters of a message that shares its line with others
SHORTEST_SECRET = 8  # characters; shorter values ("1", "true") are no secrets and would hit ordinary words
_OUR_FOLDERS = tuple(
    f"{Path(__file__).parents[2] / package}{os.sep}" for package in ("ragharness", "ragquestions")
)
_VARIABLE = re.compile(
    r"""(?<!\w)(?:'(?:[^'\\\n]|\\.)*(?:'|\Z)|"(?:[^"\\\n]|\\.)*(?:"|\Z)|`[^`\n]*(?:`|\Z))(?!\w)"""
    r"""|\b0x[0-9a-f]+\b|\d[\d.,:]*""",
    re.IGNORECASE,
)  # quoted parts, also ones that were cut off, addresses, numbers
_SECRET_NAME = re.compile(
    r"(?i)KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|COOKIE|WEBHOOK|JWT"
    r"|(?:^|_)(?:PASS|PAT|AUTH|DSN)$|_PWD$",
)  # ``PWD`` alone is the working folder
_URL = re.compile(r"""[a-zA-Z][a-zA-Z0-9+.-]*://[^\s'"<>]+""")
_URL_PATH = re.compile(r"""(?<![^\s"'(])(/[^\s?#"')]*)[?#][^\s"')]+""")
"""A redirection may name its target without a host; its query may hold a key all the same."""
_STRING = re.compile(rb'("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?', re.DOTALL)
"""A string in JSON; with a colon behind it, the name of a field."""
_FRESH = 0.1  # seconds for which the environment is taken to be as it was, unless variables came or went


@lru_cache(maxsize=128)
def message_kind(message: str) -> str:
    """A message without what differs between messages of one kind."""
    return _VARIABLE.sub("_", message)


def error_line(kind: str, message: str, where: str = "") -> str:
    """An error on one line: type, message, location."""
    flat = " ".join(message.split())
    cut = flat if len(flat) <= LONGEST else f"{flat[:LONGEST].rstrip()}..."
    return f"{kind}: {cut}" + (f" ({where})" if where else "")


@lru_cache
def library_folders() -> tuple[str, ...]:
    """Folders of the standard library and of installed packages."""
    import sysconfig  # slow, and only errors ask

    return tuple(map(sysconfig.get_path, ("stdlib", "platstdlib", "purelib", "platlib")))


def split_frames(error: BaseException) -> tuple[list[FrameSummary], list[FrameSummary]]:
    """The frames of an error outside of this package, and of those the ones in the user's own code."""
    frames = extract_tb(error.__traceback__)
    outside = [frame for frame in frames if not frame.filename.startswith(_OUR_FOLDERS)]
    libraries = (*library_folders(), "<")
    users = (frame for frame in outside if not frame.filename.startswith(libraries))
    return outside, [frame for frame in users if "site-packages" not in frame.filename]


def public_url(url: str) -> str:
    """A URL without the user, password and query, which may hold a secret."""
    try:
        parts = urlsplit(url)
    except ValueError:
        # Half a bracket is enough; what cannot be taken apart is cut where its secrets may begin.
        return re.split(r"[?#]", re.sub(r"(?<=//)[^/]*@", "", url), maxsplit=1)[0]
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def redact(text: str) -> str:
    """The text without the values of secret environment variables, logins and queries of URLs."""
    for name, value in _secrets():
        if value in text:
            text = text.replace(value, f"[{name}]")
    return _URL_PATH.sub(r"\1", _URL.sub(lambda match: public_url(match[0]), text))


def redact_bytes(content: bytes) -> bytes:
    """Text or JSON in bytes without the values of secret environment variables.

    Of JSON its strings alone are changed, not the names of its fields: a password may be ``question``.
    """
    for name, value in _secrets():
        for spelling in (value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]):
            if (secret := spelling.encode("utf-8", "surrogateescape")) in content:
                if content[:1] in (b"{", b"["):
                    content = _redact_json(content, value, f"[{name}]")
                    break
                content = content.replace(secret, f"[{name}]".encode())
    return content


def _redact_json(content: bytes, value: str, name: str) -> bytes:
    def redacted(match: re.Match[bytes]) -> bytes:
        if match[2] or match[1][1:-1] in _record_words():
            return match[0]
        text: str = json.loads(match[1])
        return json.dumps(text.replace(value, name), ensure_ascii=False).encode("utf-8", "replace")

    return _STRING.sub(redacted, content)


@lru_cache(maxsize=1)
def _record_words() -> frozenset[bytes]:
    """Fixed values of the fields of questions and records, such as ``unanswerable``: nobody's text."""
    from msgspec.json import schema_components

    from ragharness.records import Question, Record

    schema = json.dumps(schema_components([Question, Record]))
    enums = re.findall(r'"enum": (\[[^\]]*\])', schema)
    return frozenset(word.encode() for enum in enums for word in json.loads(enum))


class _Environment(NamedTuple):
    """The secrets of the environment as it was at a time."""

    moment: float
    variables: int
    secrets: tuple[tuple[str, str], ...]


_environment = _Environment(0.0, -1, ())


def _secrets() -> tuple[tuple[str, str], ...]:
    """Name and value of each secret variable, the longest value first: one may hold another."""
    global _environment  # noqa: PLW0603 (reading all of it for every line would cost more than the line)
    now = time.monotonic()
    if len(os.environ) != _environment.variables or now - _environment.moment > _FRESH:
        # What was secret once stays so: a pipeline may change its key, or remove it.
        secrets = {*_environment.secrets, *(pair for pair in os.environ.items() if _is_secret(*pair))}
        longest_first = sorted(secrets, key=lambda pair: (-len(pair[1]), pair))
        _environment = _Environment(now, len(os.environ), tuple(longest_first))
    return _environment.secrets


def _is_secret(name: str, value: str) -> bool:
    # A number is a setting (MAX_TOKENS), and would be found within others.
    return len(value) >= SHORTEST_SECRET and not value.isdecimal() and bool(_SECRET_NAME.search(name))


# A pipeline may remove its key when it is imported.
_secrets()
