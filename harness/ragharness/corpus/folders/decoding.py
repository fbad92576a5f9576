"""Bytes of a file to text, and wrapped lines to paragraphs: offsets are into the text that comes out here."""

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
            "it is not UTF-8, and too few of its letters are Latin for Windows-1252 (Shift-JIS, GB18030,"
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
