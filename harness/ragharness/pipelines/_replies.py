"""Decodes replies of services and processes: untrusted bytes to text and JSON."""

from __future__ import annotations

import codecs
import json
from typing import Any

from ragharness.errors import UnusableReply
from ragharness.language.tables import regex

REPLY_LIMIT = 16 * 2**20
"""Bytes of one reply, unpacked; a longer one is given up."""

EXCERPT = 300
"""Characters of a reply that are quoted in a message."""

_UNPRINTABLE = regex(r"\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]+")


def too_long() -> UnusableReply:
    """Return what is raised for a reply beyond the limit."""
    return UnusableReply(f"expected a reply of at most {REPLY_LIMIT // 2**20} MiB, found a longer one")


def text_of(content: bytes, charset: str = "") -> str:
    """Return the text that the bytes are in ``charset`` (UTF-8 if none is told); raises UnusableReply."""
    try:
        name = codecs.lookup(charset or "utf-8").name
    except LookupError:
        raise UnusableReply(f"expected a reply in a known encoding, found {excerpt(charset)!r}") from None
    try:
        return content.decode("utf-8-sig" if name == "utf-8" else name)
    except UnicodeDecodeError as error:
        found = " ".join(f"{byte:02x}" for byte in content[error.start : error.start + 4])
        raise UnusableReply(
            f"expected a reply in {name}, found the bytes {found} at position {error.start:,}"
        ) from None
    except (LookupError, ValueError, AttributeError):
        raise UnusableReply(f"expected a reply in an encoding of text, found {name}") from None


def json_of(text: str) -> Any:
    """Return the one JSON value that a text is; raises UnusableReply."""
    try:
        return json.loads(text)
    except RecursionError:
        raise UnusableReply("expected JSON, found it nested too deeply") from None
    except ValueError as error:
        more = "more than one JSON value" if "Extra data" in str(error) else f"({error}) {excerpt(text)!r}"
        raise UnusableReply(f"expected one JSON value, found {more}") from None


def excerpt(text: str, limit: int = EXCERPT) -> str:
    """Return the beginning of a text on one line, without anything that a terminal would act upon."""
    words = " ".join(_UNPRINTABLE.sub(" ", text[: 4 * limit]).split())
    return words if len(words) <= limit else f"{words[: limit - 3]}..."
