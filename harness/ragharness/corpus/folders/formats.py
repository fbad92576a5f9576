"""Reading of one file of a known format: its documents, or the reason why it cannot be read."""

from __future__ import annotations

import io
import logging
import re
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import msgspec
from lxml import etree

from ragharness.corpus.folders.text import (
    asciidoc_to_markdown,
    decode,
    one_line,
    plain_lines,
    read_markdown,
    rst_to_html,
    unwrapped,
)
from ragharness.corpus.pages import Layout, elements, local_name, looks_like_html, read_tree
from ragharness.errors import RagharnessError

LARGEST = 50_000_000  # bytes of one file, and characters of its text, above which it is not read
_TEXT = frozenset({"txt", "text"})
_MARKDOWN = frozenset({"md", "markdown"})
_HTML = frozenset({"html", "htm", "xhtml"})
_JSON_LINES = frozenset({"jsonl", "ndjson"})
_RST = frozenset({"rst", "rest"})
_ASCIIDOC = frozenset({"adoc", "asciidoc"})
_PDF, _DOCX = "pdf", "docx"
EXTENSIONS = frozenset({*_TEXT, *_MARKDOWN, *_HTML, *_JSON_LINES, *_RST, *_ASCIIDOC, _DOCX, _PDF})
LIBRARIES = {_PDF: "pypdf", _DOCX: "mammoth", **dict.fromkeys(_RST, "docutils")}  # beyond what all have
INSTALL = "pip install 'ragharness[folders]'"
_NESTED = frozenset({*_MARKDOWN, *_HTML, *_RST, *_ASCIIDOC})  # may take time by the square of their size
SMALL = 20_000  # bytes up to which the square does no harm: the worst page of that size took a second


class Draft(NamedTuple):
    """A document before it gets its unique id and title."""

    name: str
    title: str
    text: str
    id: str = ""
    line: int = 0


class ParsedFile(msgspec.Struct):
    """Contents of a file, and notices of what was left out or read otherwise than its name says."""

    drafts: list[Draft]
    notices: list[str]


def left_out(name: str, reason: str) -> ParsedFile:
    """Nothing but the notice that says why."""
    return ParsedFile([], [f"{name} is left out: {reason}"])


def parse(name: str, path: Path, extension: str) -> ParsedFile:
    """Contents of a file; a notice with the reason where it cannot be read."""
    notices: list[str] = []
    try:
        return ParsedFile(_drafts(name, path, extension, notices), notices)
    except OSError as error:
        reason = f"it cannot be opened ({error.strerror or error})"
    except (RecursionError, MemoryError):
        reason = "it is nested too deeply or too large"
    except (ValueError, RagharnessError) as error:
        reason = " ".join(str(error).split())[:300]
    return left_out(name, reason)


def can_read(extension: str) -> bool:
    """Whether the library that a format needs is installed."""
    library = LIBRARIES.get(extension)
    return library is None or find_spec(library) is not None


def may_run_away(path: Path, size: int, extension: str) -> bool:
    """Whether reading a file may take far longer, or far more memory, than its size tells."""
    if extension != _PDF:
        return extension == _DOCX or (extension in _NESTED and size > SMALL)
    try:
        with path.open("rb") as file:
            return _is_pdf(file.read(SMALL))
    except OSError:
        return False


def _drafts(name: str, path: Path, extension: str, notices: list[str]) -> list[Draft]:
    content = _content(path)
    if extension == _PDF:
        title, text = _read_pdf(content)
    elif extension in _HTML:
        if not looks_like_html(content):
            raise ValueError("it holds no web page")
        if not _CHARSET.search(content[:_HEAD]):
            content = _decoded(name, content, notices).encode()
        title, text = _read_html(content)
    elif extension == _DOCX:
        title, text = _read_html(_docx_to_html(content))
    else:
        text = _decoded(name, content, notices)
        if extension in _JSON_LINES:
            return _json_documents(name, text, notices)
        title, text = _read_text(text, extension)
    if not any(map(str.isalnum, text)):
        raise ValueError("it holds no words")
    if len(text) > LARGEST:
        raise ValueError(f"its text has {len(text)} characters, more than {LARGEST}")
    return [Draft(name, title, text)]


def _read_text(text: str, extension: str) -> tuple[str, str]:
    if extension in _RST:
        return _read_html(rst_to_html(text))
    if extension in _ASCIIDOC:
        return read_markdown(asciidoc_to_markdown(text))
    return read_markdown(text) if extension in _MARKDOWN else ("", unwrapped(text))


def _content(path: Path) -> bytes:
    with path.open("rb") as file:
        content = file.read(LARGEST + 1)
    if not content:
        raise ValueError("it is empty")
    if len(content) > LARGEST:
        raise ValueError(f"it has {path.stat().st_size} bytes, more than {LARGEST}")
    return content


def _decoded(name: str, content: bytes, notices: list[str]) -> str:
    text, encoding = decode(content)
    if encoding == "cp1252":
        notices.append(f"{name} is not UTF-8: read as Windows-1252")
    return text


class _JsonDocument(msgspec.Struct):
    text: str
    id: str | int = ""
    title: str | None = ""


def _json_documents(name: str, content: str, notices: list[str]) -> list[Draft]:
    """Documents of a file of JSON Lines; raises ValueError where no line holds one."""
    decoder = msgspec.json.Decoder(_JsonDocument)
    drafts: list[Draft] = []
    problems: list[str] = []
    for number, line in enumerate(content.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = decoder.decode(line)
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
            problems.append(f"line {number} is no object with a text: {error}")
            continue
        if text := unwrapped(row.text):
            drafts.append(Draft(name, one_line(row.title or ""), text, one_line(str(row.id)), number))
        else:
            problems.append(f"line {number} has an empty text")
    if not drafts:
        raise ValueError(f"no line of it is a document ({problems[0] if problems else 'all are empty'})")
    notices += (f"{name}: {problem}" for problem in problems)
    return drafts


_HEAD = 4096
_CHARSET = re.compile(rb"charset\s*=|encoding\s*=", re.IGNORECASE)
_SURROUNDINGS = frozenset(
    {"title", "nav", "aside", "footer", "form", "button", "svg", "iframe", "object", "select"}
)  # elements of a page that are not part of its text


def _read_html(content: bytes) -> tuple[str, str]:
    """Title (``<title>``, else the first heading, else "") and text of a page; raises RagharnessError."""
    root = read_tree(content, web=True)
    title = _first_text(root, ("title",)) or _first_text(root, ("h1", "h2"))
    _remove_surroundings(root)
    parts: list[str] = []
    table = 0
    for block in Layout(root).blocks:
        if parts:
            parts.append("\n" if block.table and block.table == table else "\n\n")
        table = block.table
        parts.append(block.text)
    return title, "\n".join(plain_lines("".join(parts))).strip()


def _first_text(root: etree._Element, names: tuple[str, ...]) -> str:
    texts = (one_line("".join(element.itertext())) for name in names for element in elements(root, name))
    return next(filter(None, texts), "")


def _remove_surroundings(root: etree._Element) -> None:
    for element in [element for element in root.iter() if local_name(element) in _SURROUNDINGS]:
        parent = element.getparent()
        if parent is None:
            continue
        before = element.getprevious()
        tail = f" {element.tail or ''}"
        if before is not None:
            before.tail = (before.tail or "") + tail
        else:
            parent.text = (parent.text or "") + tail
        parent.remove(element)


def _docx_to_html(content: bytes) -> bytes:
    """HTML of a .docx file without its pictures, by mammoth; raises ValueError for what is none."""
    if not content.startswith(b"PK"):
        raise ValueError("it is no .docx file (an old .doc must be saved as .docx)")
    import mammoth

    try:
        result = mammoth.convert_to_html(
            io.BytesIO(content), style_map="p[style-name='Title'] => h1:fresh", convert_image=lambda _: []
        )
    except Exception as error:
        raise ValueError(f"it is damaged: {' '.join(str(error).split())[:200]}") from error
    return f'<html><head><meta charset="utf-8"></head><body>{result.value}</body></html>'.encode()


MOST_PAGES = 5_000  # pages of one PDF file that are read
_REPEATED = 0.6  # share of pages on whose edge the same line stands: a running head, not part of the text
_PDF_HEAD = 1024
_EDGE_LINES = 2
_FEWEST_PAGES = 4
_DIGITS = re.compile(r"\d+")


def _is_pdf(content: bytes) -> bool:
    """Whether the mark of a PDF file stands where it must: within the first kilobyte."""
    return b"%PDF-" in content[:_PDF_HEAD]


def _read_pdf(content: bytes) -> tuple[str, str]:
    """Title by its own properties ("" without) and text of a PDF file, without running heads, by pypdf."""
    if not _is_pdf(content):
        raise ValueError("it is no PDF file")
    import pypdf

    # It reports every oddity of a file to the log.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = pypdf.PdfReader(io.BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            raise ValueError("it is encrypted and needs a password")  # noqa: TRY301
        if len(reader.pages) > MOST_PAGES:
            raise ValueError(f"it has {len(reader.pages)} pages, more than {MOST_PAGES}")  # noqa: TRY301
        pages = [plain_lines(page.extract_text() or "") for page in reader.pages]
        title = one_line(str((reader.metadata and reader.metadata.title) or ""))
    except ValueError as error:
        raise ValueError(one_line(str(error))[:200] or "it is damaged") from error
    except Exception as error:
        reason = one_line(str(error))[:200] or type(error).__name__
        raise ValueError(f"it is damaged or needs a password: {reason}") from error
    text = unwrapped("\n".join(line for page in _without_running_heads(pages) for line in page))
    if not text:
        raise ValueError("it holds no text (scanned pages need text recognition first)")
    return title, text


def _without_running_heads(pages: list[list[str]]) -> list[list[str]]:
    filled = [[line.strip() for line in page if line.strip()] for page in pages]
    edges = Counter(
        masked
        for page in filled
        for masked in {_masked(line) for line in (*page[:_EDGE_LINES], *page[-_EDGE_LINES:])}
    )
    common = {line for line, count in edges.items() if count >= max(_FEWEST_PAGES, _REPEATED * len(filled))}
    return [
        [
            line
            for index, line in enumerate(page)
            if _EDGE_LINES <= index < len(page) - _EDGE_LINES or _masked(line) not in common
        ]
        for page in filled
    ]


def _masked(line: str) -> str:
    return _DIGITS.sub("#", line)
