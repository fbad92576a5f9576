"""What is read of a file before it has names of its own, and the documents that come of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple
from urllib.parse import unquote

import msgspec

from ragharness.records import Document

_ODD = re.compile(r"[^\w.-]+")
_JOINS = re.compile(r"(?:^|[-.])(?:and|y|und|et)(?:[-.]|$)", re.IGNORECASE)
_LONGEST_ID = 80
_LONGEST_TITLE = 160
_VERSION = re.compile(r"\W*(?:version|release|v)?\.?\s*\d+\.\d|\W*unreleased\b", re.IGNORECASE)
"""A changelog begins with its newest version: nobody calls it by that."""
_CODE = re.compile(r"\S*\d{6}\S*")
"""A mark of whatever wrote the file, "aapl-20240928": the file's own name says more."""
_NAMED = re.compile(r"[^\W\d_]{3}")
"""A title by which somebody would speak of a document has a word."""


class Draft(NamedTuple):
    """A document before it has names of its own."""

    name: str
    title: str
    text: str
    id: str = ""
    line: int = 0


class Parsed(msgspec.Struct):
    """What a file holds."""

    drafts: list[Draft]
    notices: list[str]
    """A sentence for what of it was left out, or read otherwise than its name says."""


def left_out(name: str, reason: str) -> Parsed:
    """Return nothing but the sentence that says why."""
    return Parsed([], [f"{name} is left out: {reason}"])


def documents_of(drafts: Sequence[Draft]) -> list[Document]:
    """Return documents with ids, titles and handles of their own, in the order of the drafts."""
    ids = _unique([_id(each.id or each.name) for each in drafts], "-{}")
    plain = [_title(each) for each in drafts]
    repeated = Counter(title.casefold() for title in plain)
    wanted = [
        title if repeated[title.casefold()] == 1 else f"{title} ({draft.name})"
        for title, draft in zip(plain, drafts, strict=True)
    ]
    titles = _unique(wanted, " [{}]")
    first: dict[str, str] = {}
    return [
        Document(
            id=name,
            title=title,
            text=draft.text,
            # A text that stands there twice has one name: that of the first.
            handle=title if first.setdefault(draft.text, name) == name and _NAMED.search(title) else "",
            source=draft.name + (f":{draft.line}" if draft.line else ""),
        )
        for name, title, draft in zip(ids, titles, drafts, strict=True)
    ]


def _id(name: str) -> str:
    """Return a name that can stand between the brackets of a citation."""
    stem = re.sub(
        r"\.(?:txt|text|md|markdown|rst|rest|adoc|asciidoc|html?|xhtml|docx|pdf|jsonl|ndjson)$",
        "",
        name,
        flags=re.IGNORECASE,
    )
    plain = _ODD.sub("_", stem.replace("/", ".")).strip("._-") or "document"
    if _JOINS.search(plain):
        plain = plain.replace("-", "_")
    if len(plain) > _LONGEST_ID:
        plain = f"{plain[: _LONGEST_ID - 9]}-{sha256(name.encode()).hexdigest()[:8]}"
    return plain


def _title(draft: Draft) -> str:
    # It will stand between quotation marks.
    title = draft.title.replace('"', "'")
    if not _NAMED.search(title) or _VERSION.match(title) or _CODE.fullmatch(title):
        stem = unquote(draft.name.rsplit("/", 1)[-1].rsplit(".", 1)[0])
        title = " ".join(stem.replace("_", " ").split()) or draft.name
        title = f"{title} ({draft.name})" if "/" in draft.name and title != draft.name else title
    if len(title) > _LONGEST_TITLE:
        title = title[:_LONGEST_TITLE].rsplit(" ", 1)[0].rstrip(" ,;:-")
    return title


def _unique(names: Sequence[str], numbered: str) -> list[str]:
    """Return the names, repeated ones with a number behind; names that differ in case only are the same."""
    taken = {name.casefold() for name in names}
    seen: set[str] = set()
    found = []
    for name in names:
        other, number = name, 1
        while other.casefold() in seen or (number > 1 and other.casefold() in taken):
            number += 1
            other = name + numbered.format(number)
        seen.add(other.casefold())
        found.append(other)
    return found
