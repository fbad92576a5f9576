"""Bytes of a file to text, and wrapped lines to paragraphs: offsets are into the text that comes out here."""

from __future__ import annotations

import codecs
import re

NOT_TEXT = "it holds no text but binary data"

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""The longer mark first: that of UTF-32 begins with that of UTF-16."""

_SAMPLE = 65_536
"""Bytes or characters at the beginning of a file by which it is judged."""

_CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_MOST_CONTROL = 0.02
_MOST_DAMAGED = 0.01
_MOST_FOREIGN = 0.3
"""Share of bytes beyond ASCII among the letters of a text: in Latin script a tenth is much."""

_LETTERS = re.compile(rb"[A-Za-z\x80-\xff]")
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")


def decode(content: bytes) -> tuple[str, str]:
    """Text of a file and its encoding; raises ValueError with the reason for what is no text."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            return _checked(content[len(mark) :].decode(encoding, "replace")), encoding
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        pass
    else:
        if "\0" not in text:
            return _checked(text), "utf-8"
    sample = content[:_SAMPLE]
    if encoding := _unmarked_utf16(sample):
        return _checked(content.decode(encoding, "replace")), encoding
    if b"\0" in sample:
        raise ValueError(NOT_TEXT)
    if len(_BEYOND_ASCII.findall(sample)) > _MOST_FOREIGN * len(_LETTERS.findall(sample)):
        raise ValueError(
            "it is not UTF-8, and too few of its letters are Latin for Windows-1252 (Shift-JIS, GB18030,"
            " Windows-1251?): save it as UTF-8"
        )
    return _checked(content.decode("cp1252", "replace")), "cp1252"


def _unmarked_utf16(sample: bytes) -> str:
    """Name of the UTF-16 of a text without a mark, or "": in Latin script every other byte is zero."""
    half = len(sample) // 2
    for encoding, high, low in (("utf-16-le", 1, 0), ("utf-16-be", 0, 1)):
        if half > 1 and sample[high::2].count(0) > 0.7 * half and sample[low::2].count(0) < 0.05 * half:
            return encoding
    return ""


def _checked(text: str) -> str:
    sample = text[:_SAMPLE]
    if len(_CONTROL.findall(sample)) > _MOST_CONTROL * len(sample):
        raise ValueError(NOT_TEXT)
    if sample.count("\N{REPLACEMENT CHARACTER}") > _MOST_DAMAGED * len(sample):
        raise ValueError("its bytes are no text in UTF-8, UTF-16 or Windows-1252")
    return text


_WRAPPED = 40
"""Characters from which a line may go on in the next one: a shorter one ends by itself."""

_BLANKS = re.compile(r"[^\S\n]+")
_INVISIBLE = re.compile(
    "[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"
)
_LIGATURES = str.maketrans({"\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl"})
_LINE_ENDS = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_LIST_ITEM = re.compile(
    r"[-*\u2022\u25aa\u25cf\u2013\u2014>|#]\s|\(?(?:\d{1,3}(?:\.\d{1,3})*|[A-Za-z]|[ivxlc]{1,5})[.)]\s"
)
_COLUMNS = re.compile(r"\S(?: {3,}|\t)\S")
_HYPHEN = re.compile(r"[a-z]-$")


def plain_lines(text: str) -> list[str]:
    """Lines of a text without what cannot be seen or typed; columns keep their distance."""
    lines = _LINE_ENDS.sub("\n", text).translate(_LIGATURES).split("\n")
    return [_INVISIBLE.sub("", line).rstrip() for line in lines]


def unwrapped(text: str) -> str:
    """Text with every paragraph on one line; blank lines between paragraphs stay."""
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
        if open_line and not columns and not _LIST_ITEM.match(core):
            _append_line(paragraphs[-1], core, words)
        else:
            paragraphs.append([core])
        open_line = not columns and len(core) >= _WRAPPED
    return "\n".join(_BLANKS.sub(" ", "".join(pieces)) for pieces in paragraphs).strip()


def _append_line(paragraph: list[str], line: str, words: frozenset[str]) -> None:
    """Add a line to the paragraph that it continues; a word hyphenated at the line's end is joined again."""
    before = paragraph[-1]
    if not (_HYPHEN.search(before) and line[0].islower()):
        paragraph += (" ", line)
        return
    head, tail = before[:-1].rsplit(maxsplit=1)[-1], line.split(maxsplit=1)[0]
    if re.sub(r"[^a-z]", "", (head + tail).lower()) in words:
        paragraph[-1] = before[:-1]
    paragraph.append(line)


def one_line(text: str) -> str:
    """Text on one line, blanks collapsed."""
    return " ".join(_INVISIBLE.sub("", text).split())
