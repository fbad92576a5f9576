"""Converts one file to documents by its extension, or gives the reason why it cannot be read."""

from __future__ import annotations

import io
import re
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ragharness.corpus.filings.layout import lay_out
from ragharness.corpus.filings.tree import local_name, looks_like_html, read_tree
from ragharness.corpus.folders.decoding import decode, one_line, plain_lines, unwrapped
from ragharness.corpus.folders.drafts import Draft, Parsed, left_out
from ragharness.corpus.folders.markdown import read_markdown
from ragharness.corpus.folders.pdf import is_pdf, read_pdf
from ragharness.corpus.folders.rst import rst_to_html
from ragharness.errors import RagharnessError

if TYPE_CHECKING:
    from lxml.etree import _Element

LARGEST = 50_000_000
"""Bytes of one file, and characters of its text, above which it is not read."""

_TEXT = frozenset({"txt", "text"})
_MARKDOWN = frozenset({"md", "markdown"})
_HTML = frozenset({"html", "htm", "xhtml"})
_LINES = frozenset({"jsonl", "ndjson"})
_RST = frozenset({"rst", "rest"})
_ADOC = frozenset({"adoc", "asciidoc"})
PDF, _DOCX = "pdf", "docx"
ENDINGS = frozenset({*_TEXT, *_MARKDOWN, *_HTML, *_LINES, *_RST, *_ADOC, _DOCX, PDF})

LIBRARIES = {
    PDF: "pypdf",
    _DOCX: "mammoth",
    **dict.fromkeys(_RST, "docutils"),
    **dict.fromkeys(_ADOC, "pyasciidoc"),
}
"""The library that a format needs beyond those that are always there."""

COMMAND = "pip install 'ragharness[folders]'"

_NESTED = frozenset({*_MARKDOWN, *_HTML, *_RST, *_ADOC})
"""Formats whose reading may take time by the square of a file's size."""

SMALL = 20_000
"""Bytes up to which the square does no harm: the worst page of that size took a second."""

_ADOC_SKIPPED = re.compile(r"^(?::!?[\w-]+!?:.*|(?:ifdef|ifndef|ifeval|endif|include)::.*|\[.*\]|//.*)$")
_ADOC_HEADING = re.compile(r"^(={1,6})\s+(?=\S)")
_ADOC_ITEM = re.compile(r"^(\*{1,5}|\.{1,5})\s+(?=\S)")
_ADOC_TERM = re.compile(r"^(\S.*?)::+\s+(?=\S)")
_ADOC_FENCE = re.compile(r"^(?:-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,})$")
_ADOC_LINK = re.compile(r"(?:link:|xref:|mailto:)?[^\s\[\]]*(?<=\S)\[([^\[\]]+)\]|<<[^,<>]*,?\s*([^<>]*)>>")
_ADOC_ROW = re.compile(r"\s*\|\s*")

_HEAD = 4096
_DECLARED = re.compile(rb"charset\s*=|encoding\s*=", re.IGNORECASE)
_AROUND = frozenset(
    {"title", "nav", "aside", "footer", "form", "button", "svg", "iframe", "object", "select"}
)
"""Elements of a page that are not what it says."""


def parse(name: str, path: Path, ending: str) -> Parsed:
    """Return the documents of a file; none, with the reason, where it cannot be read."""
    notices: list[str] = []
    try:
        return Parsed(_drafts(name, path, ending, notices), notices)
    except (ValueError, OSError, RagharnessError, RecursionError, MemoryError) as error:
        return left_out(name, _reason(error))


def can_read(ending: str) -> bool:
    """Whether the library that a format needs is installed."""
    library = LIBRARIES.get(ending)
    return library is None or find_spec(library) is not None


def may_run_away(path: Path, size: int, ending: str) -> bool:
    """Whether reading a file may take far longer, or far more memory, than its size tells."""
    if ending != PDF:
        return ending == _DOCX or (ending in _NESTED and size > SMALL)
    try:
        with path.open("rb") as file:
            return is_pdf(file.read(SMALL))
    except OSError:
        return False


def _drafts(name: str, path: Path, ending: str, notices: list[str]) -> list[Draft]:
    content = _content(path)
    if ending == PDF:
        title, text = read_pdf(content)
    elif ending in _HTML:
        if not looks_like_html(content):
            raise ValueError("it holds no web page")
        if not _DECLARED.search(content[:_HEAD]):
            content = _decoded(name, content, notices).encode()
        title, text = read_html(content)
    elif ending == _DOCX:
        title, text = read_html(_docx_to_html(content))
    else:
        plain = _decoded(name, content, notices)
        if ending in _LINES:
            return _documents(name, plain, notices)
        title, text = _of_text(plain, ending)
    if not any(map(str.isalnum, text)):
        raise ValueError("it holds no words")
    if len(text) > LARGEST:
        raise ValueError(f"its text has {len(text)} characters, more than {LARGEST}")
    return [Draft(name, title, text)]


def _of_text(plain: str, ending: str) -> tuple[str, str]:
    if ending in _RST:
        return read_html(rst_to_html(plain))
    if ending in _ADOC:
        return _read_adoc(plain)
    return read_markdown(plain) if ending in _MARKDOWN else ("", unwrapped(plain))


def _read_adoc(text: str) -> tuple[str, str]:
    """Read AsciiDoc: what differs from Markdown is written as Markdown, without attributes."""
    lines: list[str] = []
    in_table = False
    for line in plain_lines(text):
        if line.strip() == "|===":
            in_table = not in_table
            lines.append("")
        elif in_table and line.startswith("|"):
            lines += [" | ".join(filter(None, _ADOC_ROW.split(line))), ""]
        elif not _ADOC_SKIPPED.match(line) and not _ADOC_FENCE.match(line):
            lines.append(_as_markdown(line))
    return read_markdown("\n".join(lines))


def _as_markdown(line: str) -> str:
    line = _ADOC_HEADING.sub(lambda found: "#" * len(found[1]) + " ", line)
    line = _ADOC_ITEM.sub(lambda found: "  " * (len(found[1]) - 1) + "- ", line)
    return _ADOC_LINK.sub(lambda found: found[1] or found[2], _ADOC_TERM.sub(r"\1: ", line))


def _docx_to_html(content: bytes) -> bytes:
    """Return a .docx file as HTML without pictures, by mammoth; raises ValueError for what is none."""
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


def _decoded(name: str, content: bytes, notices: list[str]) -> str:
    text, encoding = decode(content)
    if encoding == "cp1252":
        notices.append(f"{name} is not UTF-8: read as Windows-1252")
    return text


def _content(path: Path) -> bytes:
    with path.open("rb") as file:
        content = file.read(LARGEST + 1)
    if not content:
        raise ValueError("it is empty")
    if len(content) > LARGEST:
        raise ValueError(f"it has {path.stat().st_size} bytes, more than {LARGEST}")
    return content


def _reason(error: BaseException) -> str:
    if isinstance(error, OSError):
        return f"it cannot be opened ({error.strerror or error})"
    if isinstance(error, (RecursionError, MemoryError)):
        return "it is nested too deeply or too large"
    return " ".join(str(error).split())[:300]


class _JsonDocument(msgspec.Struct):
    text: str
    id: str | int = ""
    title: str | None = ""


def _documents(name: str, plain: str, notices: list[str]) -> list[Draft]:
    """Return the documents of a file of JSON Lines; raises ValueError where no line holds one."""
    decoder = msgspec.json.Decoder(_JsonDocument)
    drafts: list[Draft] = []
    problems: list[str] = []
    for number, line in enumerate(plain.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = decoder.decode(line)
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
            problems.append(f"line {number} is no object with a text: {error}")
            continue
        text = unwrapped(row.text)
        if not text:
            problems.append(f"line {number} has an empty text")
            continue
        drafts.append(Draft(name, one_line(row.title or ""), text, one_line(str(row.id)), number))
    if not drafts:
        raise ValueError(f"no line of it is a document ({problems[0] if problems else 'all are empty'})")
    notices += (f"{name}: {each}" for each in problems)
    return drafts


def read_html(content: bytes) -> tuple[str, str]:
    """Return the title (``<title>``, else the first heading, else "") and the visible text of a page.

    Raises RagharnessError for what is no page.
    """
    root = read_tree(content, web=True)
    title = _first(root, ("title",)) or _first(root, ("h1", "h2"))
    _without_surroundings(root)
    parts: list[str] = []
    table = 0
    for block in lay_out(root).blocks:
        if parts:
            parts.append("\n" if block.table and block.table == table else "\n\n")
        table = block.table
        parts.append(block.text)
    return title, "\n".join(plain_lines("".join(parts))).strip()


def _first(root: _Element, names: tuple[str, ...]) -> str:
    for name in names:
        for element in root.iter():
            if local_name(element) == name:
                said = one_line("".join(element.itertext()))
                if said:
                    return said
    return ""


def _without_surroundings(root: _Element) -> None:
    for element in [each for each in root.iter() if local_name(each) in _AROUND]:
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
