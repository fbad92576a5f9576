"""Bytes of a file to text: encodings, wrapped lines, and Markdown, AsciiDoc and reStructuredText.

Links keep their words, tables their rows. Offsets are into the text that comes out here.
"""

from __future__ import annotations

import codecs
import io
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

NOT_TEXT = "it holds no text but binary data"
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)  # the longer mark first: that of UTF-32 begins with that of UTF-16
_SAMPLE = 65_536  # bytes or characters at the beginning of a file by which it is judged
_CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_MOST_CONTROL = 0.02
_MOST_DAMAGED = 0.01
_MOST_FOREIGN = 0.3  # share of bytes beyond ASCII among a text's letters: in Latin script a tenth is much
_LETTERS = re.compile(rb"[A-Za-z\x80-\xff]")
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")


def decode(content: bytes) -> tuple[str, str]:
    """Text of a file and its encoding; raises ValueError with the reason for what is no text."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            return _checked(content[len(mark) :].decode(encoding, "replace")), encoding
    with suppress(UnicodeDecodeError):
        if "\0" not in (text := content.decode("utf-8")):
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


_WRAPPED = 40  # characters from which a line may go on in the next one: a shorter one ends by itself
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


_FRONT_MATTER = re.compile(
    r"\A\ufeff?---[ \t]*\n(?P<head>.{0,20000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL
)
_TITLE = re.compile(
    r"^title[ \t]*:[ \t]*(?P<quote>[\"']?)(?P<title>[^\n]*?)(?P=quote)[ \t]*$", re.MULTILINE | re.IGNORECASE
)
_TAG = re.compile(r"<[^<>]{0,2000}>")
_ROLE_PREFIX = re.compile(r"(?<!\\)\{[a-z][a-z:-]*\}$")  # before a reference of Sphinx: {func}`click.echo`
_LINE_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


def read_markdown(text: str) -> tuple[str, str]:
    """Title (of the front matter, else the page's heading, else "") and plain text of a page."""
    text = "\n".join(plain_lines(text))
    front = _FRONT_MATTER.match(text)
    named = _TITLE.search(front["head"]) if front else None
    blocks, heading = _blocks(_parser().parse(text[front.end() :] if front else text))
    return one_line(named["title"]) if named else heading, "\n\n".join(blocks)


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable(["table", "strikethrough"])


def _blocks(tokens: Sequence[Token]) -> tuple[list[str], str]:
    """Paragraphs, list items and tables in order, and the heading of the whole page ("" without)."""
    blocks: list[str] = []
    heading, level = "", ""
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "heading_open":
            level = token.tag
        elif token.type == "heading_close":
            level = ""
        elif token.type == "table_open":
            rows = []
        elif token.type == "tr_open":
            rows.append([])
        elif token.type == "table_close":
            blocks.append("\n".join(" | ".join(filter(None, row)) for row in rows if any(row)))
            rows = []
        elif token.type == "inline":
            text = _stripped_lines("".join(_inline_text(token.children or ())))
            if rows:
                rows[-1].append(one_line(text))
            elif text:
                blocks.append(text)
                if level and not heading and (level == "h1" or len(blocks) == 1):
                    heading = one_line(text)
        elif token.type in {"fence", "code_block"}:
            blocks.append(token.content.rstrip())
        elif token.type == "html_block":
            blocks.append(_stripped_lines(_TAG.sub(" ", _without_comments(token.content))))
    return [block for block in blocks if block.strip()], heading


def _stripped_lines(text: str) -> str:
    return "\n".join(filter(None, map(one_line, text.split("\n"))))


def _without_comments(text: str) -> str:
    """Text without ``<!-- ... -->``, in time by its length; an open one is no comment."""
    pieces, position = [], 0
    while (start := text.find("<!--", position)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        pieces.append(text[position:start])
        position = end + 3
    return " ".join([*pieces, text[position:]])


def _inline_text(tokens: Sequence[Token]) -> Iterator[str]:
    before = ""
    for token in tokens:
        if token.type == "link_open" and before == "link_close":
            yield " "  # a row of links has no blanks in between where its page has boxes
        before = token.type
        if token.type == "text":
            yield _ROLE_PREFIX.sub("", token.content)
        elif token.type == "code_inline":
            yield token.content
        elif token.type == "softbreak":
            yield " "
        elif token.type == "hardbreak" or (
            token.type == "html_inline" and _LINE_BREAK.fullmatch(token.content)
        ):
            yield "\n"


_ADOC_SKIPPED = re.compile(
    r"^(?::!?[\w-]+!?:.*|(?:ifdef|ifndef|ifeval|endif|include)::.*|\[.*\]|//.*"
    r"|-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,})$"
)  # attributes, conditions, comments and fences
_ADOC_HEADING = re.compile(r"^(={1,6})\s+(?=\S)")
_ADOC_ITEM = re.compile(r"^(\*{1,5}|\.{1,5})\s+(?=\S)")
_ADOC_TERM = re.compile(r"^(\S.*?)::+\s+(?=\S)")
_ADOC_LINK = re.compile(r"(?:link:|xref:|mailto:)?[^\s\[\]]*(?<=\S)\[([^\[\]]+)\]|<<[^,<>]*,?\s*([^<>]*)>>")
_ADOC_CELL = re.compile(r"\s*\|\s*")


def asciidoc_to_markdown(text: str) -> str:
    """Markdown of a page of AsciiDoc, without its attributes."""
    lines: list[str] = []
    in_table = False
    for line in plain_lines(text):
        if line.strip() == "|===":
            in_table = not in_table
            lines.append("")
        elif in_table and line.startswith("|"):
            lines += [" | ".join(filter(None, _ADOC_CELL.split(line))), ""]
        elif not _ADOC_SKIPPED.match(line):
            lines.append(_as_markdown(line))
    return "\n".join(lines)


def _as_markdown(line: str) -> str:
    line = _ADOC_HEADING.sub(lambda match: "#" * len(match[1]) + " ", line)
    line = _ADOC_ITEM.sub(lambda match: "  " * (len(match[1]) - 1) + "- ", line)
    return _ADOC_LINK.sub(lambda match: match[1] or match[2], _ADOC_TERM.sub(r"\1: ", line))


_DIRECTIVE = re.compile(r"^[ \t]*\.\.[ \t]+([A-Za-z][\w.+:-]*?)::(?:[ \t]|$)", re.MULTILINE)
_ROLE = re.compile(r":([A-Za-z][\w.+:-]*?):`")
_TARGET = re.compile(r"(?s)(.+?)\s*<([^<>]+)>\Z")
_CHANGES = {
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "deprecated": "Deprecated since version",
    "versionremoved": "Removed in version",
}  # what Sphinx prints for what a version brought
_NOT_SHOWN = frozenset(
    re.findall(
        r"\S+",
        """toctree index currentmodule module py:module py:currentmodule highlight literalinclude include raw
        only default-domain testsetup testcleanup image figure automodule autofunction autoclass automethod
        autoexception autodata autoattribute autosummary click""",
    )
)  # directives whose text is another file's, or is not for readers
_CODE = frozenset(
    ["code-block", "sourcecode", "code", "testcode", "testoutput", "doctest", "prompt", "parsed-literal"]
)
_OTHER_IN_SPHINX = frozenset({"class"})  # directives of docutils that mean something else in Sphinx
_SETTINGS = {
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "report_level": 5,
    "halt_level": 5,
    "syntax_highlight": "none",
    "math_output": "LaTeX",
    "line_length_limit": 1_000_000,
    "_disable_config": True,
}


def rst_to_html(text: str) -> bytes:
    """HTML of a page of reStructuredText or Sphinx; no other file is read, and nothing is run.

    Raises ValueError where docutils gives up on it.
    """
    from docutils.core import publish_parts

    _register_sphinx(text)
    try:
        parts = publish_parts(
            text, writer="html5", settings_overrides={**_SETTINGS, "warning_stream": io.StringIO()}
        )
    except Exception as error:
        raise ValueError(f"docutils cannot read it: {' '.join(str(error).split())[:200]}") from error
    # Remarks stand in <aside>, which a page has around its text.
    body = parts["html_body"].replace("<aside", "<div").replace("</aside>", "</div>")
    return f'<html><head><meta charset="utf-8"></head><body>{body}</body></html>'.encode()


def _register_sphinx(text: str) -> None:
    """Make known to docutils the directives and roles that a text uses of Sphinx, or of an extension."""
    from docutils.parsers.rst import directives, roles
    from docutils.parsers.rst.languages import en

    for name in {name.lower() for name in _DIRECTIVE.findall(text)}:
        if name not in en.directives or name in _NOT_SHOWN or name in _OTHER_IN_SPHINX:
            directives.register_directive(name, _any_directive())
    for name in {name.lower() for name in _ROLE.findall(text)} - en.roles.keys():
        roles.register_local_role(name, _sphinx_role)


@cache
def _any_directive() -> type[Any]:
    """Directive that shows its argument and its text, whatever its name."""
    from docutils import nodes
    from docutils.parsers.rst import Directive, directives

    class AnyDirective(Directive):  # type: ignore[misc,unused-ignore]
        optional_arguments = 1000
        final_argument_whitespace = True
        has_content = True
        option_spec: ClassVar[Any] = defaultdict[str, "Callable[[str], str]"](lambda: directives.unchanged)

        def run(self) -> list[Any]:
            name = self.name.lower()
            if name in _NOT_SHOWN:
                return []
            argument = " ".join(" ".join(self.arguments).split())
            if name in _CODE:
                code = "\n".join(self.content)
                return [nodes.literal_block(code, code)]
            if name in _CHANGES:
                version, _, remark = argument.partition(" ")
                text = f"{_CHANGES[name]} {version}" + (f": {remark}" if remark else "")
                if remark or not self.content or not self.content[0].strip():
                    return [nodes.paragraph("", text), *self._body()]
                inline = nodes.Element()
                self.state.nested_parse(self.content, self.content_offset, inline)
                return [nodes.paragraph("", f"{text}: {' '.join(inline.astext().split())}")]
            head = [argument] if argument and name != "rst-class" else []
            if default := self.options.get("default"):
                head.append(f"Default: {default}")
            return [*(nodes.paragraph(line, line) for line in head), *self._body()]

        def _body(self) -> list[Any]:
            box = nodes.container()
            self.state.nested_parse(self.content, self.content_offset, box)
            return [box] if box.children else []

    return AnyDirective


def _sphinx_role(
    _name: str, _raw: str, text: str, *_: object, **_options: object
) -> tuple[list[Any], list[Any]]:
    """Show what Sphinx shows of a reference: its title, or the end of the name after a tilde."""
    from docutils import nodes
    from docutils.utils import unescape

    label = unescape(text)
    if target := _TARGET.match(label):
        label = target[1]
    elif label.startswith("~"):
        label = label[1:].rsplit(".", 1)[-1]
    label = label.removeprefix("!")
    return [nodes.inline(label, label)], []
