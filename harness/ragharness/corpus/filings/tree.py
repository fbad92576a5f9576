"""Element tree of a page: parsed as XHTML, repaired if malformed, as HTML if it is not XHTML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from html.entities import html5

from lxml import etree

from ragharness.errors import CorruptDownload

LARGEST = 200_000_000
"""Bytes above which no file is believed: a complete submission holds exhibits and pictures too."""

LARGEST_PAGE = 64_000_000
"""Bytes above which no page is believed: the annual reports of the largest banks have a quarter of it."""

_AMPERSAND = re.compile(r"&(?:#(\d{1,7});|#[xX]([0-9a-fA-F]{1,6});|([A-Za-z][A-Za-z0-9]{1,30});)?")
_OF_XML = frozenset({"amp", "lt", "gt", "quot", "apos"})
_DECLARED = re.compile(
    rb"""^\s*<\?xml[^>]{0,200}?\bencoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["'][^>]{0,200}\?>"""
)
_CHARSET = re.compile(rb"""<meta[^>]{1,200}?charset\s*=\s*["']?([A-Za-z0-9._-]{1,40})""", re.IGNORECASE)
_DOCTYPE_BEGINS = re.compile("<!DOCTYPE", re.IGNORECASE)
_DOCTYPE = re.compile(r"<!DOCTYPE[^>\[]{0,1000}(?:\[.{0,100000}?\]\s*)?>", re.IGNORECASE | re.DOTALL)
_PROLOG = re.compile(r"^\s*<\?xml[^>]{0,400}\?>")
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_BEGIN = re.compile(
    rb"<(?:\?xml|html|!doctype|!--|body|div|xbrl|sec-document|document)\b|<!--", re.IGNORECASE
)
_SUBMISSION = re.compile(rb"<(?:SEC-DOCUMENT|SEC-HEADER|DOCUMENT|TYPE|TEXT)>")
_WRAPPED = re.compile(rb"<TEXT>(.*?)(?:</TEXT>|\Z)", re.DOTALL)
_INLINE = b"inlineXBRL"  # part of the namespace that every page with tagged facts names
_END = re.compile(rb"</(?:[a-z]+:)?(?:html|xbrl)\s*>", re.IGNORECASE)
_HEAD = 4096
_TABLE_PARTS = frozenset({"table", "tr", "td", "th"})
_PARENTS = {"table": {"", "td", "th"}, "tr": {"table"}, "td": {"tr"}, "th": {"tr"}}
"""What each part of a table may lie in."""
_WINDOWS = range(0x80, 0xA0)
_BLANK, _LAST = 0x20, 0x10FFFF
_SURROGATES, _NO_CHARACTERS = range(0xD800, 0xE000), range(0xFFFE, 0x10000)
"""Numbers that are no characters of XML."""


def looks_like_html(content: bytes) -> bool:
    """Whether the first bytes are those of a web page or an XML file."""
    # Without the zeros of UTF-16.
    return _BEGIN.search(content[:_HEAD].replace(b"\0", b"")) is not None


def is_whole(content: bytes) -> bool:
    """Whether a page, or that of a submission, goes to its end: half a filing seems to be silent."""
    return _END.search(_unwrapped(content)) is not None


def read_tree(content: bytes, *, web: bool = False) -> etree._Element:
    """Root element of a page; what is malformed is mended as well as a parser can.

    ``web``: a page that is no well-formed XML is HTML; a filing is XHTML with mistakes. Of a complete
    submission it is the first document with tagged facts. Neither the network nor any other
    file is read, and no entity is expanded. Raises CorruptDownload for what is no page or is too large.
    """
    content = _unwrapped(content)
    if len(content) > LARGEST_PAGE:
        raise CorruptDownload(f"it has {len(content)} bytes, more than the {LARGEST_PAGE} of any page")
    text = _PROLOG.sub("", _decoded(content).lstrip("\ufeff"))
    text = _NOT_XML.sub(" ", _without_doctype(text))
    if not text.strip():
        raise CorruptDownload("it is empty")
    # Huge: long texts and deep nesting are read; what a page may have in all is bounded above.
    settings = {
        "recover": True,
        "huge_tree": True,
        "no_network": True,
        "remove_comments": True,
        "remove_pis": True,
    }
    encoded = text.encode()
    parser: etree.XMLParser | etree.HTMLParser = etree.XMLParser(
        encoding="utf-8", resolve_entities=False, load_dtd=False, **settings
    )
    root = _parsed(encoded, parser)
    if root is None or not _whole(root, text) or (parser.error_log and (web or _tangled(root))):
        parser = etree.HTMLParser(encoding="utf-8", **settings)
        root = _parsed(encoded, parser)
    if root is None:
        raise CorruptDownload("it has no element of HTML that can be read")
    if any(error.type_name == "ERR_RESOURCE_LIMIT" for error in parser.error_log):
        raise CorruptDownload("its elements are nested deeper than those of any page")
    return root


def _without_doctype(text: str) -> str:
    """Leave out the document type, with the entities that it may declare; only the first is looked at."""
    begin = _DOCTYPE_BEGINS.search(text)
    whole = _DOCTYPE.match(text, begin.start()) if begin else None
    return text if whole is None else text[: whole.start()] + text[whole.end() :]


def local_name(element: etree._Element) -> str:
    """An element's name without its namespace, in lower case; "" for what is no element."""
    return _local_tag(element.tag)


@lru_cache(maxsize=1024)
def _local_tag(tag: object) -> str:
    return tag.rpartition("}")[2].rpartition(":")[2].casefold() if isinstance(tag, str) else ""


def elements(root: etree._Element, name: str) -> Iterator[etree._Element]:
    """All elements of a local name (in lower case), in the order of the page."""
    return (element for element in root.iter() if local_name(element) == name)


def attribute(element: etree._Element, name: str) -> str:
    """An attribute whatever its case (a parser of HTML lowers them); "" for none."""
    value = element.get(name)
    return str(element.get(name.casefold(), "") if value is None else value).strip()


def _parsed(encoded: bytes, parser: etree.XMLParser | etree.HTMLParser) -> etree._Element | None:
    try:
        return etree.fromstring(encoded, parser)
    except (etree.LxmlError, ValueError):
        return None


def _whole(root: etree._Element, text: str) -> bool:
    """Whether a mended tree has kept the page: a parser of XML may give up in the middle of HTML."""
    if local_name(root) not in {"html", "xbrl"}:
        return False
    length = sum(len(piece) for piece in root.itertext())
    return length * 25 > len(text) or len(text) < _HEAD


def _tangled(root: etree._Element) -> bool:
    """Whether cells and rows of tables lie within each other: the next end was taken for one that is missing.

    A parser of HTML knows that a cell ends where the next one begins.
    """
    ancestors = (ancestor for body in elements(root, "body") for ancestor in body.iterancestors())
    if any(local_name(ancestor) == "head" for ancestor in ancestors):
        return True  # a tag without an end, as HTML has them, keeps the head open
    return any(
        _table_part_around(element) not in _PARENTS[name]
        for element in root.iter()
        if (name := local_name(element)) in _PARENTS
    )


def _table_part_around(element: etree._Element) -> str:
    """The nearest part of a table that holds an element, a table included; "" for none."""
    names = map(local_name, element.iterancestors())
    return next((name for name in names if name in _TABLE_PARTS), "")


def _unwrapped(content: bytes) -> bytes:
    """The first document of a complete submission that has tagged facts, or the content itself."""
    if not _SUBMISSION.search(content[:_HEAD]):
        return content
    documents = (match[1] for match in _WRAPPED.finditer(content))
    page = next(documents, content)
    if _INLINE not in page:
        page = next((document for document in documents if _INLINE in document), page)
    return re.sub(rb"^<XBRL>|</XBRL>$", b"", page.strip(), flags=re.IGNORECASE).strip()


def _decoded(content: bytes) -> str:
    declared = _DECLARED.search(content[:_HEAD]) or _CHARSET.search(content[:_HEAD])
    named = declared[1].decode("ascii").casefold() if declared else "utf-8"
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        named = "utf-16"
    elif named.startswith(("ascii", "us-ascii", "utf-16", "utf-32")):
        named = "utf-8"
    for encoding in (named, "utf-8"):
        with suppress(UnicodeDecodeError, LookupError):
            return _AMPERSAND.sub(_character, content.decode(encoding))
    return _AMPERSAND.sub(_character, content.decode("cp1252", errors="replace"))


def _character(match: re.Match[str]) -> str:
    """What XML can read for an ampersand: it knows five names only, and none that stands alone."""
    decimal, hexadecimal, name = match.groups()
    if name in _OF_XML:
        return match[0]
    if name:
        characters = html5.get(f"{name};", "")
        return "".join(f"&#{ord(character)};" for character in characters) or f"&amp;{match[0][1:]}"
    if not (decimal or hexadecimal):
        return "&amp;"
    code = int(decimal) if decimal else int(hexadecimal, 16)
    if code in _WINDOWS:
        # Numbers that old programs took from the code page of Windows.
        code = ord(bytes([code]).decode("cp1252", errors="replace"))
    valid = _BLANK <= code <= _LAST and code not in _SURROGATES and code not in _NO_CHARACTERS
    return f"&#{code};" if valid else " "
