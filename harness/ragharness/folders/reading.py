"""Reads a folder into documents, with a notice for every file that cannot be read."""

from __future__ import annotations

import sys
import time
from collections import Counter
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from operator import is_not
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ragharness.errors import UsageError
from ragharness.folders.drafts import Parsed, documents_of
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
from ragharness.support.files import hash_code, keep, kept

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ragharness.folders.finding import FoundFile

_LISTED = 1000
"""Files that are named with what is wrong with them; the rest is counted."""


@dataclass(frozen=True)
class Contents:
    """What a folder holds."""

    documents: tuple[Document, ...]
    notices: tuple[str, ...]
    """A sentence for each file that was left out, or read otherwise than its name says."""


class ReadFile(msgspec.Struct, frozen=True):
    """A file as it was when it was read, and what it holds."""

    name: str
    state: tuple[int, ...]
    """Its size and times; none where it was so new that it may have been changed again at the same time."""
    digest: str
    parsed: Parsed


_SETTLED = 2_000_000_000
"""Nanoseconds after which a change is sure to give a file another time: some systems count by two seconds."""

_KEPT = 6
"""Folders in the cache; the longest unused ones go first."""


def read_folder(
    path: Path, on_progress: Callable[..., None] | None = None, cache: Path | None = None
) -> Contents:
    """Return the documents of a folder, in the order of their file names.

    Of files that have not changed, what ``cache`` holds is taken. Raises UsageError when nothing in it can be
    read.
    """
    place = cache and cache / f"folder-{_key(path)}.msgpack"
    packed = kept(place) if place else None
    known = msgspec.msgpack.decode(packed, type=list[ReadFile]) if packed else []
    before = {each.name: each for each in known}
    latest = time.time_ns() - _SETTLED
    files, notices = find_files(path)
    read: list[ReadFile] = []
    with SubprocessReader() as apart:
        for number, file in enumerate(files):
            state = (file.size, *file.times) if max(file.times) < latest else ()
            each = before.get(file.name)
            if each is None or not state or each.state != state:
                if on_progress is not None and number:
                    on_progress(f"reading {path}", number, len(files), "files")
                digest = _hash(file)
                parsed = each.parsed if each and each.digest == digest else _parsed(file, apart)
                each = ReadFile(file.name, state, digest, parsed)
            read.append(each)
    if place and (len(read) != len(known) or any(map(is_not, read, known))):
        keep(place, msgspec.msgpack.encode(read), most=_KEPT)
    drafts = [draft for each in read for draft in each.parsed.drafts]
    lacking = [each.name for each in files if _ending(each) in ENDINGS and not can_read(_ending(each))]
    notices += (notice for each in read for notice in each.parsed.notices)
    notices += _unread(lacking, Counter(_ending(each) for each in files if _ending(each) not in ENDINGS))
    if not drafts:
        raise UsageError(
            f"expected text, Markdown, reStructuredText, AsciiDoc, HTML, Word, PDF or JSON Lines files in"
            f" {path}, found none that can be read" + (f": {'; '.join(notices[:3])}" if notices else ""),
            help=COMMAND
            if lacking
            else "ragharness run --corpus FOLDER takes .txt .md .rst .adoc .html .docx .pdf .jsonl",
        )
    documents = documents_of(drafts)
    return Contents(tuple(documents), _shortened([*notices, *_twins(documents)]))


def _parsed(file: FoundFile, apart: SubprocessReader) -> Parsed:
    ending = _ending(file)
    if ending not in ENDINGS or not can_read(ending):
        return Parsed([], [])
    risky = sys.executable and may_run_away(file.path, file.size, ending)
    return (apart.read if risky else parse)(file.name, file.path, ending)


def _key(path: Path) -> str:
    """Return a hash of the place of a folder, and of all that reading it depends on besides its files."""
    versions = [_version(name) for name in ("lxml", "markdown-it-py", *sorted(set(LIBRARIES.values())))]
    code = hash_code(Path(__file__).parent, Path(__file__).parents[1] / "filings")
    return sha256(repr((sys.version_info[:2], versions, code, path.resolve())).encode()).hexdigest()[:32]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _hash(file: FoundFile) -> str:
    if file.size > LARGEST or _ending(file) not in ENDINGS:
        return f"{file.size} bytes"
    try:
        return sha256(file.path.read_bytes()).hexdigest()
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
