"""Errors in few words: on one line, without what differs between those of one kind, in whose code."""

from __future__ import annotations

import os
import re
import sysconfig
from functools import lru_cache
from pathlib import Path
from traceback import FrameSummary, extract_tb

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
