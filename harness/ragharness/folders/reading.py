"""Reads a folder into documents, with a notice for every file that cannot be read."""

from __future__ import annotations

import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from ragharness.errors import UsageError
from ragharness.folders.apart import Reader
from ragharness.folders.finding import find_files
from ragharness.folders.formats import ENDINGS, LARGEST, PDF, Draft
from ragharness.folders.pdf import COMMAND, can_read
from ragharness.records import Document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ragharness.folders.finding import Found

_LISTED = 1000
"""Files that are named with what is wrong with them; the rest is counted."""

_ODD = re.compile(r"[^\w.-]+")
_JOINS = re.compile(r"(?:^|[-.])(?:and|y|und|et)(?:[-.]|$)", re.IGNORECASE)
_LONGEST_ID = 80
_LONGEST_TITLE = 160
_NAMED = re.compile(r"[^\W\d_]{3}")
"""A title by which somebody would speak of a document has a word."""


@dataclass(frozen=True)
class Contents:
    """What a folder holds."""

    documents: tuple[Document, ...]
    notices: tuple[str, ...]
    """A sentence for each file that was left out, or read otherwise than its name says."""
    kinds: dict[str, int] = field(default_factory=dict)
    """Files that were read, by their endings."""


def read_folder(path: Path, on_progress: Callable[..., None] | None = None) -> Contents:
    """Return the documents of a folder, in the order of their file names.

    Raises UsageError when nothing in it can be read.
    """
    files, notices = find_files(path)
    drafts: list[Draft] = []
    kinds: dict[str, int] = {}
    pdf_missing: list[str] = []
    others: dict[str, int] = {}
    with Reader() as reader:
        for number, file in enumerate(files):
            ending = _ending(file)
            if ending not in ENDINGS:
                others[ending] = others.get(ending, 0) + 1
                continue
            if ending == PDF and not can_read():
                pdf_missing.append(file.name)
                continue
            if on_progress is not None and number:
                on_progress(f"reading {path}", number, len(files), "files")
            parsed = reader.read(file, ending)
            drafts += parsed.drafts
            notices += parsed.notices
            kinds[ending] = kinds.get(ending, 0) + bool(parsed.drafts)
    notices += _unread(pdf_missing, others)
    if not drafts:
        raise UsageError(
            f"expected text, Markdown, HTML, PDF or JSON Lines files in {path}, found none that can be read"
            + (f": {'; '.join(notices[:3])}" if notices else ""),
            help=COMMAND
            if pdf_missing
            else "ragharness run --corpus FOLDER takes .txt .md .html .pdf .jsonl",
        )
    documents = documents_of(drafts)
    return Contents(tuple(documents), _shortened([*notices, *_twins(documents)]), kinds)


def state_of(path: Path) -> str:
    """Return a hash of all that reading a folder depends on: its files, and what reads them."""
    files, notices = find_files(path)
    rooms = [Path(__file__).parent, Path(__file__).parents[1] / "filings"]
    digest = sha256(repr((sys.version_info[:2], _versions(), notices)).encode())
    for code in sorted(each for room in rooms for each in room.glob("*.py")):
        digest.update(code.read_bytes())
    for file in files:
        digest.update(f"{file.name}\n{file.size}\n".encode())
        if file.size <= LARGEST and _ending(file) in ENDINGS:
            digest.update(_hash(file.path).encode())
    return digest.hexdigest()[:32]


def _versions() -> list[str]:
    return [_version(name) for name in ("lxml", "markdown-it-py", "pypdf")]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _hash(path: Path) -> str:
    try:
        return sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        return str(error.errno)


def _ending(file: Found) -> str:
    return file.name.rsplit("/", 1)[-1].rpartition(".")[2].lower()


def _unread(pdf_missing: list[str], others: dict[str, int]) -> Iterator[str]:
    if pdf_missing:
        named = ", ".join(pdf_missing[:5]) + (
            f" and {len(pdf_missing) - 5} more" if len(pdf_missing) > 5 else ""
        )
        yield f"{named}: PDF needs a library that is not installed: {COMMAND}"
    if others:
        told = ", ".join(f"{count} .{ending}" for ending, count in sorted(others.items())[:8])
        yield f"not read, unsupported file types: {told}"


def _twins(documents: list[Document]) -> Iterator[str]:
    first: dict[str, str] = {}
    for each in documents:
        original = first.setdefault(each.text, each.source)
        if original != each.source:
            yield f"{each.source} has the same text as {original}: nothing is asked about it"


def _shortened(notices: list[str]) -> tuple[str, ...]:
    rest = len(notices) - _LISTED
    return tuple(notices[:_LISTED]) + ((f"and {rest} more remarks like these",) if rest > 0 else ())


def documents_of(drafts: Sequence[Draft]) -> list[Document]:
    """Return documents with ids, titles and handles of their own, in the order of the drafts."""
    ids = _unique([_id(each.id or each.name) for each in drafts])
    plain = [_title(each) for each in drafts]
    repeated = Counter(title.casefold() for title in plain)
    wanted = [
        title if repeated[title.casefold()] == 1 else f"{title} ({draft.name})"
        for title, draft in zip(plain, drafts, strict=True)
    ]
    titles = _unique(wanted, between=" ")
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
    stem = re.sub(r"\.(?:txt|text|md|markdown|html?|xhtml|pdf|jsonl|ndjson)$", "", name, flags=re.IGNORECASE)
    plain = _ODD.sub("_", stem.replace("/", ".")).strip("._-") or "document"
    if _JOINS.search(plain):
        plain = plain.replace("-", "_")
    if len(plain) > _LONGEST_ID:
        plain = f"{plain[: _LONGEST_ID - 9]}-{sha256(name.encode()).hexdigest()[:8]}"
    return plain


def _title(draft: Draft) -> str:
    # It will stand between quotation marks.
    title = draft.title.replace('"', "'")
    if not _NAMED.search(title):
        stem = draft.name.rsplit("/", 1)[-1].rsplit(".", 1)[0]
        title = " ".join(stem.replace("_", " ").split()) or draft.name
    if len(title) > _LONGEST_TITLE:
        title = title[:_LONGEST_TITLE].rsplit(" ", 1)[0].rstrip(" ,;:-")
    return title


def _unique(names: Sequence[str], between: str = "-") -> list[str]:
    """Return the names, repeated ones with a number; letters that differ in case only are the same."""
    taken = {name.casefold() for name in names}
    seen: set[str] = set()
    found = []
    for name in names:
        other, number = name, 1
        while other.casefold() in seen or (number > 1 and other.casefold() in taken):
            number += 1
            other = f"{name}{between}{number}" if between == "-" else f"{name} [{number}]"
        seen.add(other.casefold())
        found.append(other)
    return found
