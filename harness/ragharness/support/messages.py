"""Messages of one kind: what differs between them, such as quoted parts and numbers, is left out."""

from __future__ import annotations

import re
from functools import lru_cache

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
