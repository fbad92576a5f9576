"""AsciiDoc to plain text: what differs from Markdown is written as Markdown, and read as that."""

from __future__ import annotations

import re

from ragharness.folders.markdown import read_markdown
from ragharness.folders.wrapping import plain_lines

_SKIPPED = re.compile(r"^(?::!?[\w-]+!?:.*|(?:ifdef|ifndef|ifeval|endif|include)::.*|\[.*\]|//.*)$")
_HEADING = re.compile(r"^(={1,6})\s+(?=\S)")
_ITEM = re.compile(r"^(\*{1,5}|\.{1,5})\s+(?=\S)")
_TERM = re.compile(r"^(\S.*?)::+\s+(?=\S)")
_FENCE = re.compile(r"^(?:-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,})$")
_LINK = re.compile(r"(?:link:|xref:|mailto:)?[^\s\[\]]*(?<=\S)\[([^\[\]]+)\]|<<[^,<>]*,?\s*([^<>]*)>>")
_ROW = re.compile(r"\s*\|\s*")


def read_adoc(text: str) -> tuple[str, str]:
    """Return the first heading ("" without) and the plain text of a page, without attributes."""
    lines: list[str] = []
    in_table = False
    for line in plain_lines(text):
        if line.strip() == "|===":
            in_table = not in_table
            lines.append("")
        elif in_table and line.startswith("|"):
            lines += [" | ".join(filter(None, _ROW.split(line))), ""]
        elif not _SKIPPED.match(line) and not _FENCE.match(line):
            lines.append(_as_markdown(line))
    return read_markdown("\n".join(lines))


def _as_markdown(line: str) -> str:
    line = _HEADING.sub(lambda found: "#" * len(found[1]) + " ", line)
    line = _ITEM.sub(lambda found: "  " * (len(found[1]) - 1) + "- ", line)
    return _LINK.sub(lambda found: found[1] or found[2], _TERM.sub(r"\1: ", line))
