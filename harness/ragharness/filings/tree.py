"""Bytes of a filing to a tree: XHTML as filed, mended where it is malformed, HTML where it is none."""

from __future__ import annotations

import re
from html.entities import html5
from typing import TYPE_CHECKING

from ragharness.errors import CorruptDownload

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element

LARGEST = 200_000_000
"""Bytes above which no filing is believed: the largest annual reports have about a tenth of it."""

DEEPEST = 2000
"""Levels of elements above which a file is refused: pages have some dozens."""

_AMPERSAND = re.compile(rb"&(?:#(\d{1,7});|#[xX]([0-9a-fA-F]{1,6});|([A-Za-z][A-Za-z0-9]{1,30});)?")
_OF_XML = frozenset({b"amp", b"lt", b"gt", b"quot", b"apos"})
_DECLARED = re.compile(
    rb"""^\s*<\?xml[^>]{0,200}?\bencoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["'][^>]{0,200}\?>"""
)
_CHARSET = re.compile(rb"""<meta[^>]{1,200}?charset\s*=\s*["']?([A-Za-z0-9._-]{1,40})""", re.IGNORECASE)
_DOCTYPE = re.compile(r"<!DOCTYPE[^>\[]{0,1000}(?:\[.{0,100000}?\]\s*)?>", re.IGNORECASE | re.DOTALL)
_PROLOG = re.compile(r"^\s*<\?xml[^>]{0,400}\?>")
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_BEGIN = re.compile(
    rb"<(?:\?xml|html|!doctype|!--|body|div|xbrl|sec-document|document)\b|<!--", re.IGNORECASE
)
_WRAPPED = re.compile(rb"<TEXT>(.*?)</TEXT>", re.IGNORECASE | re.DOTALL)
_HEAD = 4096
_WINDOWS = range(0x80, 0xA0)
_BLANK, _LAST = 0x20, 0x10FFFF
_SURROGATES, _NO_CHARACTERS = range(0xD800, 0xE000), range(0xFFFE, 0x10000)
"""Numbers that are no characters of XML."""


def looks_like_html(content: bytes) -> bool:
    """Whether the first bytes are those of a web page or an XML file."""
    return _BEGIN.search(content[:_HEAD]) is not None


def read_tree(content: bytes) -> _Element:
    """Return the root element of a page; what is malformed is mended as well as a parser can.

    Neither the network nor any other file is read, and no entity is expanded. Raises CorruptDownload for
    what is no page or is larger or deeper than any filing.
    """
    from lxml import etree

    if len(content) > LARGEST:
        raise CorruptDownload(f"expected a filing of at most {LARGEST} bytes, found {len(content)}")
    text = _PROLOG.sub("", _decoded(_unwrapped(content)).lstrip("\ufeff"))
    text = _NOT_XML.sub(" ", _DOCTYPE.sub("", text, count=1))
    if not text.strip():
        raise CorruptDownload("expected a filing, found an empty file")
    settings = {"recover": True, "no_network": True, "remove_comments": True, "remove_pis": True}
    encoded = text.encode()
    parser = etree.XMLParser(encoding="utf-8", resolve_entities=False, load_dtd=False, **settings)
    root = _parsed(encoded, parser)
    if root is None or not _whole(root, text):
        root = _parsed(encoded, etree.HTMLParser(encoding="utf-8", **settings))
    if root is None:
        raise CorruptDownload("expected a filing as HTML, found no element that can be read")
    return root


def local_name(element: _Element) -> str:
    """Return an element's name without its namespace, in lower case; "" for what is no element."""
    tag: object = element.tag
    if not isinstance(tag, str):
        return ""
    return str(tag.rpartition("}")[2].rpartition(":")[2].casefold())


def elements(root: _Element, name: str) -> Iterator[_Element]:
    """Yield all elements of a local name (in lower case), in the order of the page."""
    return (each for each in root.iter() if local_name(each) == name)


def attribute(element: _Element, name: str) -> str:
    """Return an attribute whatever its case (a parser of HTML lowers them); "" where there is none."""
    found = element.get(name)
    return str(element.get(name.casefold(), "") if found is None else found).strip()


def _parsed(encoded: bytes, parser: object) -> _Element | None:
    from lxml import etree

    try:
        root: _Element | None = etree.fromstring(encoded, parser)
    except (etree.LxmlError, ValueError):
        return None
    return root


def _whole(root: _Element, text: str) -> bool:
    """Whether a mended tree has kept the page: a parser of XML may give up in the middle of HTML."""
    if local_name(root) not in {"html", "xbrl"}:
        return False
    kept = sum(len(piece) for piece in root.itertext())
    return kept * 25 > len(text) or len(text) < _HEAD


def _unwrapped(content: bytes) -> bytes:
    """Return the first document of a complete submission, or the content itself."""
    if b"<TEXT>" not in content[:_HEAD] and b"<text>" not in content[:_HEAD]:
        return content
    found = _WRAPPED.search(content)
    inner = found[1].strip() if found else content
    return re.sub(rb"^<XBRL>|</XBRL>$", b"", inner, flags=re.IGNORECASE).strip()


def _decoded(content: bytes) -> str:
    content = _AMPERSAND.sub(_character, content)
    declared = _DECLARED.search(content[:_HEAD]) or _CHARSET.search(content[:_HEAD])
    named = declared[1].decode("ascii").casefold() if declared else "utf-8"
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        named = "utf-16"
    elif named.startswith(("ascii", "us-ascii", "utf-16", "utf-32")):
        named = "utf-8"
    text = _strictly(content, named)
    if text is None:
        text = _strictly(content, "utf-8")
    return content.decode("cp1252", errors="replace") if text is None else text


def _strictly(content: bytes, encoding: str) -> str | None:
    try:
        return content.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None


def _character(found: re.Match[bytes]) -> bytes:
    """Return what XML can read for an ampersand: it knows five names only, and none that stands alone."""
    decimal, hexadecimal, name = found.groups()
    if name in _OF_XML:
        return found[0]
    if name:
        told = html5.get(f"{name.decode('ascii')};", "")
        return b"".join(f"&#{ord(each)};".encode() for each in told) or b"&amp;" + found[0][1:]
    if not (decimal or hexadecimal):
        return b"&amp;"
    code = int(decimal) if decimal else int(hexadecimal, 16)
    if code in _WINDOWS:
        # Numbers that old programs took from the code page of Windows.
        code = ord(bytes([code]).decode("cp1252", errors="replace"))
    known = code >= _BLANK and code not in _SURROGATES and code not in _NO_CHARACTERS and code <= _LAST
    return f"&#{code};".encode() if known else b" "
