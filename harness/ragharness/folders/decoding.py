"""Decodes a text file: by its byte order mark, as UTF-8, as UTF-16 without a mark, else as Windows-1252.

Guessing between one-byte encodings from letter counts errs on short texts and differs from release to release
of a guesser; questions are asked in English, so the one encoding is taken that English files have, and said.
A text that is mostly beyond ASCII is in none of these: it is refused, not read as what it does not say.
"""

from __future__ import annotations

import codecs
import re

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""The longer mark first: that of UTF-32 begins with that of UTF-16."""

_LOOKED_AT = 65_536
_CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_MOST_CONTROL = 0.02
_MOST_DAMAGED = 0.01

_MOST_FOREIGN = 0.3
"""Share of bytes beyond ASCII among the letters of a text: in Latin script a tenth is much."""

_LETTERS = re.compile(rb"[A-Za-z\x80-\xff]")
_BEYOND = re.compile(rb"[\x80-\xff]")

NOT_TEXT = "it holds no text but binary data"


def decode(content: bytes) -> tuple[str, str]:
    """Return the text of a file and its encoding; raises ValueError with the reason for what is no text."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _believed(content[len(mark) :].decode(encoding, "replace")), encoding
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        pass
    else:
        if "\0" not in text:
            return _believed(text), "utf-8"
    wide = _wide(content[:_LOOKED_AT])
    if wide:
        return _believed(content.decode(wide, "replace")), wide
    head = content[:_LOOKED_AT]
    if b"\0" in head:
        raise ValueError(NOT_TEXT)
    if len(_BEYOND.findall(head)) > _MOST_FOREIGN * len(_LETTERS.findall(head)):
        raise ValueError(
            "it is no UTF-8, and too few of its letters are Latin for Windows-1252 (Shift-JIS, GB18030,"
            " Windows-1251?): save it as UTF-8"
        )
    return _believed(content.decode("cp1252", "replace")), "cp1252"


def _wide(content: bytes) -> str:
    """Return the UTF-16 that a text without mark is in: in Latin script every other byte is empty."""
    half = len(content) // 2
    if half < 2:
        return ""
    if content[1::2].count(0) > 0.7 * half and content[::2].count(0) < 0.05 * half:
        return "utf-16-le"
    if content[::2].count(0) > 0.7 * half and content[1::2].count(0) < 0.05 * half:
        return "utf-16-be"
    return ""


def _believed(text: str) -> str:
    head = text[:_LOOKED_AT]
    if len(_CONTROL.findall(head)) > _MOST_CONTROL * len(head):
        raise ValueError(NOT_TEXT)
    if head.count("\N{REPLACEMENT CHARACTER}") > _MOST_DAMAGED * len(head):
        raise ValueError("its bytes are no text in UTF-8, UTF-16 or Windows-1252")
    return text
