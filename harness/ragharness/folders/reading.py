"""Reads a folder into documents, with a notice for every file that cannot be read."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from ragharness.errors import UsageError
from ragharness.folders.drafts import documents_of
from ragharness.folders.finding import find_files
from ragharness.folders.formats import (
    COMMAND,
    ENDINGS,
    LARGEST,
    LIBRARIES,
    can_read,
    may_run_away,
    parse,
)
from ragharness.folders.subprocess_reader import SubprocessReader
from ragharness.records import Document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ragharness.folders.drafts import Draft
    from ragharness.folders.finding import FoundFile

_LISTED = 1000
"""Files that are named with what is wrong with them; the rest is counted."""


@dataclass(frozen=True)
class Contents:
    """What a folder holds."""

    documents: tuple[Document, ...]
    notices: tuple[str, ...]
    """A sentence for each file that was left out, or read otherwise than its name says."""


def read_folder(path: Path, on_progress: Callable[..., None] | None = None) -> Contents:
    """Return the documents of a folder, in the order of their file names.

    Raises UsageError when nothing in it can be read.
    """
    files, notices = find_files(path)
    drafts: list[Draft] = []
    unreadable: list[str] = []
    others: Counter[str] = Counter()
    with SubprocessReader() as apart:
        for number, file in enumerate(files):
            ending = _ending(file)
            if ending not in ENDINGS:
                others[ending] += 1
                continue
            if not can_read(ending):
                unreadable.append(file.name)
                continue
            if on_progress is not None and number:
                on_progress(f"reading {path}", number, len(files), "files")
            risky = sys.executable and may_run_away(file.path, file.size, ending)
            parsed = (apart.read if risky else parse)(file.name, file.path, ending)
            drafts += parsed.drafts
            notices += parsed.notices
    notices += _unread(unreadable, others)
    if not drafts:
        raise UsageError(
            f"expected text, Markdown, reStructuredText, AsciiDoc, HTML, Word, PDF or JSON Lines files in"
            f" {path}, found none that can be read" + (f": {'; '.join(notices[:3])}" if notices else ""),
            help=COMMAND
            if unreadable
            else "ragharness run --corpus FOLDER takes .txt .md .rst .adoc .html .docx .pdf .jsonl",
        )
    documents = documents_of(drafts)
    return Contents(tuple(documents), _shortened([*notices, *_twins(documents)]))


def state_of(path: Path) -> str:
    """Return a hash of all that reading a folder depends on: its files, and what reads them."""
    files, notices = find_files(path)
    rooms = [Path(__file__).parent, Path(__file__).parents[1] / "filings"]
    versions = [_version(name) for name in ("lxml", "markdown-it-py", *sorted(set(LIBRARIES.values())))]
    digest = sha256(repr((sys.version_info[:2], versions, notices)).encode())
    for code in sorted(each for room in rooms for each in room.glob("*.py")):
        digest.update(code.read_bytes())
    for file in files:
        digest.update(f"{file.name}\n{file.size}\n".encode())
        if file.size <= LARGEST and _ending(file) in ENDINGS:
            digest.update(_hash(file.path).encode())
    return digest.hexdigest()[:32]


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


def _ending(file: FoundFile) -> str:
    return file.name.rsplit("/", 1)[-1].rpartition(".")[2].lower()


def _unread(unreadable: list[str], others: Counter[str]) -> Iterator[str]:
    missing: dict[str, list[str]] = {}
    for name in unreadable:
        missing.setdefault(name.rpartition(".")[2].lower(), []).append(name)
    for ending, names in sorted(missing.items()):
        named = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
        yield f"{named}: .{ending} needs a library that is not installed: {COMMAND}"
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
