"""Joins wrapped lines into paragraphs.

Offsets of questions and passages are into the text that comes out here, never into the file.
"""

from __future__ import annotations

import re

_WRAPPED = 40
"""Characters from which a line may go on in the next one: a shorter one ends by itself."""

_BLANKS = re.compile(r"[^\S\n]+")
_INVISIBLE = re.compile(
    "[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"
)
_LIGATURES = str.maketrans({"\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl"})
_ENDS = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_ITEM = re.compile(
    r"[-*\u2022\u25aa\u25cf\u2013\u2014>|#]\s|\(?(?:\d{1,3}(?:\.\d{1,3})*|[A-Za-z]|[ivxlc]{1,5})[.)]\s"
)
_COLUMNS = re.compile(r"\S(?: {3,}|\t)\S")
_HYPHEN = re.compile(r"[a-z]-$")


def plain_lines(text: str) -> list[str]:
    """Return the lines of a text without what cannot be seen or typed; columns keep their distance."""
    lines = _ENDS.sub("\n", text).translate(_LIGATURES).split("\n")
    return [_INVISIBLE.sub("", line).rstrip() for line in lines]


def unwrapped(text: str) -> str:
    """Return a text with every paragraph on one line, paragraphs parted as they were."""
    words = frozenset(re.findall(r"[a-z]{5,}", text))
    paragraphs: list[list[str]] = []
    open_line = False
    for line in plain_lines(text):
        core = line.strip()
        if not core:
            open_line = False
            if paragraphs and paragraphs[-1]:
                paragraphs.append([])
            continue
        columns = _COLUMNS.search(line) is not None
        if open_line and not columns and not _ITEM.match(core):
            _join(paragraphs[-1], core, words)
        else:
            paragraphs.append([core])
        open_line = not columns and len(core) >= _WRAPPED
    return "\n".join(_BLANKS.sub(" ", "".join(pieces)) for pieces in paragraphs).strip()


def _join(pieces: list[str], after: str, words: frozenset[str]) -> None:
    """Add a line to the paragraph that it goes on; a word that was parted at its end becomes one again."""
    before = pieces[-1]
    if _HYPHEN.search(before) and after[0].islower():
        head, tail = before[:-1].rsplit(maxsplit=1)[-1], after.split(maxsplit=1)[0]
        whole = re.sub(r"[^a-z]", "", (head + tail).lower())
        if whole in words:
            pieces[-1] = before[:-1]
        pieces.append(after)
    else:
        pieces += (" ", after)


def one_line(text: str) -> str:
    """Return a text on one line."""
    return " ".join(_INVISIBLE.sub("", text).split())
