"""Markdown to plain text: links keep their words, tables their rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from ragharness.corpus.folders.decoding import one_line, plain_lines

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_FRONT = re.compile(r"\A\ufeff?---[ \t]*\n(?P<head>.{0,20000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_TITLE = re.compile(
    r"^title[ \t]*:[ \t]*(?P<quote>[\"']?)(?P<title>[^\n]*?)(?P=quote)[ \t]*$", re.MULTILINE | re.IGNORECASE
)
_TAG = re.compile(r"<[^<>]{0,2000}>")
_ROLE = re.compile(r"(?<!\\)\{[a-z][a-z:-]*\}$")
"""What stands before a reference of Sphinx: {func}`click.echo`."""
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


def read_markdown(text: str) -> tuple[str, str]:
    """Return the title (front matter, else its heading, else "") and the plain text of a page."""
    text = "\n".join(plain_lines(text))
    front = _FRONT.match(text)
    named = _TITLE.search(front["head"]) if front else None
    body = text[front.end() :] if front else text
    blocks, heading = blocks_of(_parser().parse(body))
    return one_line(named["title"]) if named else heading, "\n\n".join(blocks)


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable(["table", "strikethrough"])


def blocks_of(tokens: Sequence[Token]) -> tuple[list[str], str]:
    """Return paragraphs, list items and tables in order, and the heading of the whole page, if it has one."""
    blocks: list[str] = []
    heading, kind = "", ""
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "heading_open":
            kind = token.tag
        elif token.type == "heading_close":
            kind = ""
        elif token.type == "table_open":
            rows = []
        elif token.type == "tr_open":
            rows.append([])
        elif token.type == "table_close":
            blocks.append("\n".join(" | ".join(filter(None, row)) for row in rows if any(row)))
            rows = []
        elif token.type == "inline":
            said = "\n".join(filter(None, map(one_line, _inline(token).split("\n"))))
            if rows:
                rows[-1].append(one_line(said))
            elif said:
                blocks.append(said)
                if kind and not heading and (kind == "h1" or len(blocks) == 1):
                    heading = one_line(said)
        elif token.type in {"fence", "code_block"}:
            blocks.append(token.content.rstrip())
        elif token.type == "html_block":
            blocks.append(
                "\n".join(
                    filter(None, map(one_line, _TAG.sub(" ", _without_comments(token.content)).split("\n")))
                )
            )
    return [block for block in blocks if block.strip()], heading


def _without_comments(text: str) -> str:
    """Return a text without ``<!-- ... -->``, in time by its length; an open one is no comment."""
    kept, place = [], 0
    while (start := text.find("<!--", place)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        kept.append(text[place:start])
        place = end + 3
    return " ".join([*kept, text[place:]])


def _inline(token: Token) -> str:
    return "".join(_pieces(token.children or ()))


def _pieces(tokens: Sequence[Token]) -> Iterator[str]:
    before = ""
    for token in tokens:
        if token.type == "link_open" and before == "link_close":
            yield " "  # a row of links has no blanks in between where its page has boxes
        before = token.type
        if token.type == "text":
            yield _ROLE.sub("", token.content)
        elif token.type == "code_inline":
            yield token.content
        elif token.type == "softbreak":
            yield " "
        elif token.type == "hardbreak" or (token.type == "html_inline" and _BREAK.fullmatch(token.content)):
            yield "\n"
