"""Finds the files below a folder and reads them into documents, with a notice for each that is left out."""

from __future__ import annotations

import os
import sys
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from operator import is_not
from pathlib import Path
from typing import NamedTuple

import msgspec

from ragharness.corpus.folders.drafts import Parsed, documents_of
from ragharness.corpus.folders.formats import (
    COMMAND,
    ENDINGS,
    LARGEST,
    LIBRARIES,
    can_read,
    may_run_away,
    parse,
)
from ragharness.corpus.folders.subprocess_reader import SubprocessReader
from ragharness.errors import UsageError
from ragharness.records import Document
from ragharness.support.files import hash_code, keep, kept

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


MOST_FILES = 100_000
"""Files of a folder that are looked at: more are hardly meant."""

DEEPEST = 64
"""Levels of folders below which nothing is looked for."""


class FoundFile(NamedTuple):
    """A file of the user's."""

    name: str
    """Its path below the folder, with ``/`` on every system, composed Unicode."""
    path: Path
    size: int
    times: tuple[int, int] = (0, 0)
    """When its content, and when anything of it, was changed last, in nanoseconds."""


def find_files(folder: Path) -> tuple[list[FoundFile], list[str]]:
    """Return the files below a folder sorted by name, and a sentence for each thing that was passed over.

    Hidden files and folders are passed over in silence; links that lead out of the folder are named.
    """
    home = Path(os.path.realpath(folder))
    found: list[FoundFile] = []
    notices: list[str] = []
    waiting: list[tuple[Path, str, int]] = [(folder, "", 0)]
    seen = {str(home)}
    while waiting:
        place, prefix, depth = waiting.pop()
        for name, entry in _entries(place, prefix, notices):
            path = place / entry.name
            try:
                below, file, aside = _kind(name, path, entry, home)
            except OSError as error:
                # It may have gone meanwhile, or its folder may be listed but not entered.
                below, file, aside = False, None, f"{name} cannot be opened: {error.strerror}"
            if file is not None:
                found.append(file)
            elif below:
                real = os.path.realpath(path)
                if depth >= DEEPEST:
                    aside = f"{name} lies more than {DEEPEST} folders deep: not read"
                elif real not in seen:
                    seen.add(real)
                    waiting.append((path, f"{name}/", depth + 1))
            notices += [aside] if aside else []
            if len(found) > MOST_FILES:
                notices.append(f"more than {MOST_FILES} files: the rest is not read")
                return sorted(found), notices
    return sorted(found), sorted(notices)


def _kind(name: str, path: Path, entry: os.DirEntry[str], home: Path) -> tuple[bool, FoundFile | None, str]:
    """Return whether a path is a folder, the file that it is, and what is to be said of anything else."""
    linked = entry.is_symlink()
    if linked and not _inside(path, home):
        return False, None, f"{name} is a link that leads out of the folder: not read"
    # The listing tells what is no link; only a path bears links that lead in a ring.
    kind = path if linked else entry
    if kind.is_dir():
        return True, None, ""
    if kind.is_file():
        found = entry.stat()
        return False, FoundFile(name, path, found.st_size, (found.st_mtime_ns, found.st_ctime_ns)), ""
    return False, None, f"{name} is no regular file: not read"


def _entries(place: Path, prefix: str, notices: list[str]) -> list[tuple[str, os.DirEntry[str]]]:
    try:
        with os.scandir(place) as found:
            entries = sorted(found, key=lambda each: each.name)
    except OSError as error:
        notices.append(f"{prefix or place} cannot be opened: {error.strerror}")
        return []
    return [(_printable(prefix + each.name), each) for each in entries if not each.name.startswith(".")]


def _printable(name: str) -> str:
    """Return a name that can be encoded: bytes of a file name that are no UTF-8 become question marks."""
    if name.isascii():
        return name
    return unicodedata.normalize("NFC", name.encode("utf-8", "replace").decode("utf-8"))


def _inside(path: Path, home: Path) -> bool:
    real = Path(os.path.realpath(path))
    return real == home or home in real.parents
