"""AsciiDoc to plain text, with pyasciidoc (extra ``folders``): the tokens are those of Markdown."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from ragharness.folders.markdown import blocks_of
from ragharness.folders.wrapping import plain_lines

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_ATTRIBUTE = re.compile(r"^:!?[\w-]+!?:.*$")
_HEAD = re.compile(r"^(?:ifdef|ifndef|ifeval|endif|include)::.*$|^\[\[.*\]\]$|^\[[^\]]*\]$")


def read_adoc(text: str) -> tuple[str, str]:
    """Return the first heading ("" without) and the plain text of a page, without attributes."""
    kept = [line for line in plain_lines(text) if not (_ATTRIBUTE.match(line) or _HEAD.match(line))]
    blocks, heading = blocks_of(_parser().parse("\n".join(kept)))
    return heading, "\n\n".join(blocks)


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt
    from pyasciidoc import asciidoc

    return MarkdownIt("commonmark", {"html": False}).use(asciidoc)
