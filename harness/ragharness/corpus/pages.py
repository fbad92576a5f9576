"""Element tree of a page: parsed as XHTML, repaired if malformed, as HTML if it is not XHTML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from html.entities import html5
from typing import NamedTuple

from lxml import etree

from ragharness.errors import CorruptDownload

LARGEST = 200_000_000  # bytes above which no file is believed: a submission holds exhibits and pictures too
LARGEST_PAGE = 64_000_000  # bytes above which no page is believed: the largest banks have a quarter of it
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
_BEGIN = re.compile(rb"(?i)<(?:\?xml|html|!doctype|!--|body|div|xbrl|sec-document|document)\b|<!--")
_SUBMISSION = re.compile(rb"<(?:SEC-DOCUMENT|SEC-HEADER|DOCUMENT|TYPE|TEXT)>")
_WRAPPED = re.compile(rb"<TEXT>(.*?)(?:</TEXT>|\Z)", re.DOTALL)
_INLINE = b"inlineXBRL"  # part of the namespace that every page with tagged facts names
_END = re.compile(rb"</(?:[a-z]+:)?(?:html|xbrl)\s*>", re.IGNORECASE)
_HEAD = 4096
_TABLE_PARTS = frozenset({"table", "tr", "td", "th"})
_PARENTS = {"table": {"", "td", "th"}, "tr": {"table"}, "td": {"tr"}, "th": {"tr"}}  # what each lies in
_WINDOWS = range(0x80, 0xA0)
_BLANK, _LAST = 0x20, 0x10FFFF
_SURROGATES, _NO_CHARACTERS = range(0xD800, 0xE000), range(0xFFFE, 0x10000)  # not of XML


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
    settings = dict.fromkeys(["recover", "huge_tree", "no_network", "remove_comments", "remove_pis"], True)
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
    """Whether table cells and rows lie within each other: their ends are missing, as only HTML allows."""
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


_BLANKS = re.compile(r"[\s\u00a0\u2000-\u200a\u202f\u205f\u3000]+")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff\u0080-\u009f]")
_ITEM = re.compile(r"item\s+\d{1,2}[a-c]?[.:]|part\s+[iv]{1,3}[.:]", re.IGNORECASE)
"""The number of a heading, whose title stands apart from it on the page and not in the text."""
_HEADING = 14


class PageLine:
    """A run of text without a break; blanks are collapsed as a browser does."""

    __slots__ = ("_pieces", "length", "start")

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self.length = 0
        self.start = -1  # its offset in the finished text, once that is laid out

    def add(self, text: str) -> tuple[int, int] | None:
        """Append text; the span of its visible characters, None without any."""
        text = _BLANKS.sub(" ", _INVISIBLE.sub("", text))
        if not self.length or self._pieces[-1].endswith(" "):
            text = text.lstrip(" ")
        if not text:
            return None
        if self._pieces and self.length < _HEADING and text[0].isalpha() and _ITEM.fullmatch(self.text):
            self._pieces.append(" ")
            self.length += 1
        start = self.length + len(text) - len(text.lstrip(" "))
        end = self.length + len(text.rstrip(" "))
        self._pieces.append(text)
        self.length += len(text)
        return (start, end) if end > start else None

    @property
    def text(self) -> str:
        """Its visible text."""
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0].rstrip(" ") if self._pieces else ""


@dataclass
class Block:
    """A paragraph or a row of a table: lines, each with what separates it from the one before."""

    lines: list[tuple[str, PageLine]]
    table: int = 0  # the number of its table; 0: no row
    begins_page: bool = False

    @property
    def text(self) -> str:
        """The block as it is read."""
        return "".join(separator + line.text for separator, line in self.lines)


@dataclass
class Mark:
    """Where an element's visible text begins and ends."""

    element: etree._Element
    begin: tuple[PageLine, int] | None = None
    end: tuple[PageLine, int] | None = None


SEPARATOR = " | "  # between the cells of a row
_BLOCKS = frozenset(
    re.findall(
        r"\w+",
        """address article aside blockquote body center dd div dl dt fieldset figure footer form h1 h2 h3 h4
        h5 h6 header hr html li main nav ol p pre section table tbody td tfoot th thead tr ul caption
        title""",
    )
)
_HIDDEN = frozenset({"head", "script", "style", "noscript", "template", "resources", "references", "hidden"})
_TAGGED = frozenset({"nonfraction", "nonnumeric", "fraction", "continuation"})
_HIDDEN_PART = 20_000  # characters that a part which is not shown may have, however short the page is
_NOT_SHOWN = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_BREAK_BEFORE = re.compile(r"(?:page-)?break-before\s*:\s*(?:always|page)", re.IGNORECASE)
_BREAK_AFTER = re.compile(r"(?:page-)?break-after\s*:\s*(?:always|page)", re.IGNORECASE)
_BEFORE = re.compile(r"[($€£¥]{1,2}|[+–-]|(?:US|C|A|HK)\$|\((?:US\$)?")  # a cell of the number after it
_AFTER = re.compile(r"[)%]{1,3}|\)?\s?(?:pts?|bps|pp|x)\.?|\([a-z]\)|\*{1,3}|[†‡]")  # of the one before
_BULLET = re.compile(
    r"[•●▪◦‣■□☐☒✓*–—·-]|\(?(?:\d{1,3}|[A-Za-z]|[ivx]{1,5})[.)]|(?:Item|ITEM)\s+\d{1,2}[A-C]?\.?|(?:Note|NOTE)\s+\d{1,2}\.?"
)  # a first cell that numbers or names what follows


class _Style(NamedTuple):
    not_shown: bool
    begins_page: bool
    ends_page: bool


@lru_cache(maxsize=1024)
def _styled(style: str) -> _Style:
    """What a style says; a page has few, thousands of times."""
    patterns = (_NOT_SHOWN, _BREAK_BEFORE, _BREAK_AFTER)
    return _Style(*(pattern.search(style) is not None for pattern in patterns))


class _Cell(NamedTuple):
    element: etree._Element
    lines: list[PageLine]


class Layout:
    """A page as a reader sees it, with its tagged elements; hidden facts, scripts and heads are left out."""

    def __init__(self, root: etree._Element) -> None:
        self.blocks: list[Block] = []
        self.marks: list[Mark] = []
        # Tables nest, so rows and cells are stacks.
        self._line = PageLine()
        self._cells: list[_Cell] = []
        self._rows: list[list[_Cell]] = []
        self._tables: list[tuple[etree._Element, int]] = []
        self._count = 0
        self._open: list[Mark] = []
        self._new_page = False
        walk = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
        large = sum(len(piece) for piece in root.itertext()) // 3
        for event, element in walk:
            if event != "start":
                if event == "end":
                    self._end(element)
                self._add(element.tail)
            elif not isinstance(element.tag, str) or self._is_hidden(element, large):
                walk.skip_subtree()
            else:
                self._start(element)
                self._add(element.text)
        self._flush()

    @staticmethod
    def _is_hidden(element: etree._Element, large: int) -> bool:
        name = local_name(element)
        if name in _HIDDEN or (
            name == "header" and str(element.tag).rpartition("}")[0].endswith("inlineXBRL")
        ):
            return True
        if not _styled(element.get("style", "")).not_shown:
            return False
        # In a malformed page the hidden part may seem to hold everything that follows it.
        return sum(len(piece) for piece in element.itertext()) <= max(large, _HIDDEN_PART)

    def _start(self, element: etree._Element) -> None:
        name = local_name(element)
        if name in _BLOCKS or name == "br":
            self._break(within=name == "br")
            self._new_page |= _styled(element.get("style", "")).begins_page
        if name == "table":
            if len(self._rows) < len(self._tables):
                # A table between the rows of another: the end of that one was forgotten.
                self._tables.pop()
            self._count += 1
            self._tables.append((element, self._count))
        elif name == "tr" and self._tables:
            self._rows.append([])
        elif name in {"td", "th"} and self._rows and len(self._rows) == len(self._tables):
            self._close_cell()
            self._cells.append(_Cell(element, []))
        elif name in _TAGGED:
            mark = Mark(element)
            self.marks.append(mark)
            self._open.append(mark)

    def _end(self, element: etree._Element) -> None:
        name = local_name(element)
        if name in _TAGGED:
            self._open = [mark for mark in self._open if mark.element is not element]
        if name not in _BLOCKS:
            return
        self._break()
        if name in {"td", "th"} and self._cells and self._cells[-1].element is element:
            self._close_cell()
        elif name == "tr" and self._rows:
            self._emit_row(self._rows.pop())
        elif name == "table" and self._tables and self._tables[-1][0] is element:
            self._tables.pop()
        self._new_page |= _styled(element.get("style", "")).ends_page

    def _close_cell(self) -> None:
        """End the cell of the innermost row, if one is open: a page may have forgotten to."""
        if self._cells and len(self._cells) == len(self._rows):
            self._rows[-1].append(self._cells.pop())

    def _add(self, text: str | None) -> None:
        if text and (span := self._line.add(text)):
            for mark in self._open:
                mark.begin = mark.begin or (self._line, span[0])
                mark.end = (self._line, span[1])

    def _break(self, *, within: bool = False) -> None:
        """End a line; a break within a cell is a blank there."""
        if within and self._cells:
            self._line.add(" ")
        else:
            self._flush()

    def _flush(self) -> None:
        if not self._line.text:
            return
        if self._cells:
            self._cells[-1].lines.append(self._line)
        else:
            self._emit([("", self._line)])
        self._line = PageLine()

    def _emit_row(self, cells: list[_Cell]) -> None:
        filled = [cell.lines for cell in cells if cell.lines]
        if not filled:
            return
        if self._cells:
            # A table within a cell: its row becomes lines of that cell.
            self._cells[-1].lines.extend(line for lines in filled for line in lines)
            return
        for row in [[("", line)] for line in filled[0]] if len(filled) == 1 else [_joined(filled)]:
            self._emit(row)

    def _emit(self, lines: list[tuple[str, PageLine]]) -> None:
        self.blocks.append(Block(lines, self._tables[-1][1] if self._tables else 0, self._new_page))
        self._new_page = False


def _joined(cells: list[list[PageLine]]) -> list[tuple[str, PageLine]]:
    """The cells of a row in one line: a currency goes with its number, a bullet with its text."""
    row: list[tuple[str, PageLine]] = []
    before = ""
    for number, lines in enumerate(cells):
        text = " ".join(line.text for line in lines)
        if not row:
            separator = ""
        elif number > 1 and _AFTER.fullmatch(text):
            separator = "" if text[0] in ")%*†‡" else " "
        elif _BEFORE.fullmatch(before) and (
            text[:1].isdigit() or (text[:1] in "(.—" and before[-1] in "$€£¥")
        ):
            separator = ""
        elif number == 1 and _BULLET.fullmatch(before):
            separator = " "
        else:
            separator = SEPARATOR
        for line in lines:
            row.append((separator, line))
            separator = " "
        before = text
    return row
