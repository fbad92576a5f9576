"""Documents of a folder: files are found, read (risky ones in a subprocess), named, and cached.

A notice names each file that is left out.
"""

from __future__ import annotations

import os
import re
import sys
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from operator import is_not
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

import msgspec

from ragharness.corpus.folders.formats import (
    EXTENSIONS,
    INSTALL,
    LARGEST,
    LIBRARIES,
    Draft,
    ParsedFile,
    can_read,
    left_out,
    may_run_away,
    parse,
)
from ragharness.errors import UsageError
from ragharness.records import Document
from ragharness.support.files import hash_code, read_cached, write_cached
from ragharness.support.process import Child, ProcessDied, claim_pipes, receive, send

_LISTED = 1000  # notices of a folder that are listed; the rest is counted


class FolderContents(NamedTuple):
    """Documents of a folder, and a notice for each file that was left out or read as another kind."""

    documents: tuple[Document, ...]
    notices: tuple[str, ...]


class CachedFile(msgspec.Struct, frozen=True):
    """A file as it was when it was read, and what it holds."""

    name: str
    state: tuple[int, ...]  # size and times; none where it was too new to be trusted
    digest: str
    parsed: ParsedFile


_SETTLED = 2_000_000_000  # nanoseconds after which a change gives another time; some systems count by 2 s
_CACHED_FOLDERS = 6  # folders in the cache; the longest unused ones go first


def read_folder(
    path: Path, on_progress: Callable[..., None] | None = None, cache: Path | None = None
) -> FolderContents:
    """Documents of a folder by file name, unchanged ones from ``cache``; raises UsageError for none."""
    cache_path = cache and cache / f"folder-{_cache_key(path)}.msgpack"
    packed = read_cached(cache_path) if cache_path else None
    cached = msgspec.msgpack.decode(packed, type=list[CachedFile]) if packed else []
    cached_by_name = {file.name: file for file in cached}
    latest = time.time_ns() - _SETTLED
    files, notices = find_files(path)
    contents: list[CachedFile] = []
    with SubprocessReader() as subprocess:
        for number, file in enumerate(files):
            state = (file.size, *file.times) if max(file.times) < latest else ()
            content = cached_by_name.get(file.name)
            if content is None or not state or content.state != state:
                if on_progress is not None and number:
                    on_progress(f"reading {path}", number, len(files), "files")
                digest = _digest(file)
                unchanged = content is not None and content.digest == digest
                parsed = content.parsed if content and unchanged else _parsed(file, subprocess)
                content = CachedFile(file.name, state, digest, parsed)
            contents.append(content)
    if cache_path and (len(contents) != len(cached) or any(map(is_not, contents, cached))):
        write_cached(cache_path, msgspec.msgpack.encode(contents), most=_CACHED_FOLDERS)
    unreadable = [file.name for file in files if not can_read(file.extension)]
    unsupported = Counter(file.extension for file in files if file.extension not in EXTENSIONS)
    notices += (notice for content in contents for notice in content.parsed.notices)
    notices += _unread_notices(unreadable, unsupported)
    drafts = [draft for content in contents for draft in content.parsed.drafts]
    if not drafts:
        raise UsageError(
            f"{path} has no text, Markdown, reStructuredText, AsciiDoc, HTML, Word, PDF or JSON Lines file"
            " that can be read" + (f": {'; '.join(notices[:3])}" if notices else ""),
            help=INSTALL
            if unreadable
            else "ragharness run --corpus FOLDER takes .txt .md .rst .adoc .html .docx .pdf .jsonl",
        )
    documents = name_documents(drafts)
    notices += _twin_notices(documents)
    if len(notices) > _LISTED:
        notices[_LISTED:] = [f"and {len(notices) - _LISTED} more remarks like these"]
    return FolderContents(tuple(documents), tuple(notices))


def _parsed(file: FoundFile, subprocess: SubprocessReader) -> ParsedFile:
    if file.extension not in EXTENSIONS or not can_read(file.extension):
        return ParsedFile([], [])
    risky = sys.executable and may_run_away(file.path, file.size, file.extension)
    return (subprocess.read if risky else parse)(file.name, file.path, file.extension)


def _cache_key(path: Path) -> str:
    """Hash of the folder's path, and of all that reading it depends on besides its files."""
    versions = [_version(name) for name in ("lxml", "markdown-it-py", *sorted(set(LIBRARIES.values())))]
    code = hash_code(Path(__file__).parent, Path(__file__).parents[1] / "pages.py")
    return sha256(repr((sys.version_info[:2], versions, code, path.resolve())).encode()).hexdigest()[:32]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _digest(file: FoundFile) -> str:
    if file.size > LARGEST or file.extension not in EXTENSIONS:
        return f"{file.size} bytes"
    try:
        return sha256(file.path.read_bytes()).hexdigest()
    except OSError as error:
        return str(error.errno)


def _unread_notices(unreadable: list[str], unsupported: Counter[str]) -> Iterator[str]:
    by_extension: dict[str, list[str]] = {}
    for name in unreadable:
        by_extension.setdefault(name.rpartition(".")[2].lower(), []).append(name)
    for extension, names in sorted(by_extension.items()):
        listed = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
        yield f"{listed}: .{extension} needs a library that is not installed: {INSTALL}"
    if unsupported:
        counts = ", ".join(f"{count} .{extension}" for extension, count in sorted(unsupported.items())[:8])
        yield f"not read, unsupported file types: {counts}"


def _twin_notices(documents: list[Document]) -> Iterator[str]:
    originals: dict[str, str] = {}
    for document in documents:
        original = originals.setdefault(document.text, document.source)
        if original != document.source:
            yield f"{document.source} has the same text as {original}: nothing is asked about it"


_UNSAFE = re.compile(r"[^\w.-]+")
_EXTENSION = re.compile(rf"\.(?:{'|'.join(sorted(EXTENSIONS))})$", re.IGNORECASE)
_CONJUNCTION = re.compile(r"(?:^|[-.])(?:and|y|und|et)(?:[-.]|$)", re.IGNORECASE)
_LONGEST_ID = 80
_LONGEST_TITLE = 160
_VERSION = re.compile(r"\W*(?:version|release|v)?\.?\s*\d+\.\d|\W*unreleased\b", re.IGNORECASE)
"""A changelog begins with its newest version: nobody calls it by that."""
_CODE = re.compile(r"\S*\d{6}\S*")  # a mark of what wrote the file, "aapl-20240928": its name says more
_WORD = re.compile(r"[^\W\d_]{3}")  # a title by which somebody would speak of a document has a word


def name_documents(drafts: Sequence[Draft]) -> list[Document]:
    """Documents with unique ids, titles and handles, in the order of the drafts."""
    ids = _unique([_document_id(draft.id or draft.name) for draft in drafts], "-{}")
    plain = [_title(draft) for draft in drafts]
    counts = Counter(title.casefold() for title in plain)
    titles = _unique(
        [
            title if counts[title.casefold()] == 1 else f"{title} ({draft.name})"
            for title, draft in zip(plain, drafts, strict=True)
        ],
        " [{}]",
    )
    originals: dict[str, str] = {}
    return [
        Document(
            id=name,
            title=title,
            text=draft.text,
            # A text that stands there twice has one name: that of the first.
            handle=title if originals.setdefault(draft.text, name) == name and _WORD.search(title) else "",
            source=draft.name + (f":{draft.line}" if draft.line else ""),
        )
        for name, title, draft in zip(ids, titles, drafts, strict=True)
    ]


def _document_id(name: str) -> str:
    """Id that can stand between the brackets of a citation."""
    plain = _UNSAFE.sub("_", _EXTENSION.sub("", name).replace("/", ".")).strip("._-") or "document"
    if _CONJUNCTION.search(plain):
        plain = plain.replace("-", "_")
    if len(plain) > _LONGEST_ID:
        plain = f"{plain[: _LONGEST_ID - 9]}-{sha256(name.encode()).hexdigest()[:8]}"
    return plain


def _title(draft: Draft) -> str:
    # It will stand between quotation marks.
    title = draft.title.replace('"', "'")
    if not _WORD.search(title) or _VERSION.match(title) or _CODE.fullmatch(title):
        stem = unquote(draft.name.rsplit("/", 1)[-1].rsplit(".", 1)[0])
        title = " ".join(stem.replace("_", " ").split()) or draft.name
        title = f"{title} ({draft.name})" if "/" in draft.name and title != draft.name else title
    if len(title) > _LONGEST_TITLE:
        title = title[:_LONGEST_TITLE].rsplit(" ", 1)[0].rstrip(" ,;:-")
    return title


def _unique(names: Sequence[str], numbered: str) -> list[str]:
    """The names, repeated ones with a number behind; names that differ in case only are the same."""
    taken = {name.casefold() for name in names}
    used: set[str] = set()
    distinct = []
    for name in names:
        candidate, number = name, 1
        while candidate.casefold() in used or (number > 1 and candidate.casefold() in taken):
            number += 1
            candidate = name + numbered.format(number)
        used.add(candidate.casefold())
        distinct.append(candidate)
    return distinct


MOST_FILES = 100_000  # files of a folder that are looked at: more are hardly meant
DEEPEST = 64  # levels of folders below which nothing is looked for


class FoundFile(NamedTuple):
    """A file of the user's."""

    name: str  # its path below the folder, with ``/`` on every system, composed Unicode
    path: Path
    size: int
    times: tuple[int, int] = (0, 0)  # when its content, and when anything of it, was changed last, in ns

    @property
    def extension(self) -> str:
        """What stands after the last point of the file name, in lower case."""
        return self.name.rsplit("/", 1)[-1].rpartition(".")[2].lower()


def find_files(folder: Path) -> tuple[list[FoundFile], list[str]]:
    """Files below a folder sorted by name, and a notice for each thing that was passed over.

    Hidden files and folders are passed over in silence; links that lead out of the folder are named.
    """
    home = Path(os.path.realpath(folder))
    files: list[FoundFile] = []
    notices: list[str] = []
    waiting: list[tuple[Path, str, int]] = [(folder, "", 0)]
    entered = {str(home)}
    while waiting:
        parent, prefix, depth = waiting.pop()
        for name, entry in _entries(parent, prefix, notices):
            path = parent / entry.name
            try:
                outcome = _inspect(name, path, entry, home)
            except OSError as error:
                # It may have gone meanwhile, or its folder may be listed but not entered.
                outcome = f"{name} cannot be opened: {error.strerror}"
            if isinstance(outcome, FoundFile):
                files.append(outcome)
            elif outcome:
                notices.append(outcome)
            elif depth >= DEEPEST:
                notices.append(f"{name} lies more than {DEEPEST} folders deep: not read")
            elif (real := os.path.realpath(path)) not in entered:
                entered.add(real)
                waiting.append((path, f"{name}/", depth + 1))
            if len(files) > MOST_FILES:
                notices.append(f"more than {MOST_FILES} files: the rest is not read")
                return sorted(files), notices
    return sorted(files), sorted(notices)


def _inspect(name: str, path: Path, entry: os.DirEntry[str], home: Path) -> FoundFile | str:
    """The file at a path, a notice why it is passed over, or "" for a folder."""
    linked = entry.is_symlink()
    if linked and not Path(os.path.realpath(path)).is_relative_to(home):
        return f"{name} is a link that leads out of the folder: not read"
    # The listing tells what is no link; only a path bears links that lead in a ring.
    target = path if linked else entry
    if target.is_dir():
        return ""
    if target.is_file():
        stat = entry.stat()
        return FoundFile(name, path, stat.st_size, (stat.st_mtime_ns, stat.st_ctime_ns))
    return f"{name} is no regular file: not read"


def _entries(folder: Path, prefix: str, notices: list[str]) -> list[tuple[str, os.DirEntry[str]]]:
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError as error:
        notices.append(f"{prefix or folder} cannot be opened: {error.strerror}")
        return []
    return [(_printable(prefix + entry.name), entry) for entry in entries if not entry.name.startswith(".")]


def _printable(name: str) -> str:
    """Name that can be encoded: bytes of a file name that are no UTF-8 become question marks."""
    if name.isascii():
        return name
    return unicodedata.normalize("NFC", name.encode("utf-8", "replace").decode("utf-8"))


SECONDS = 120.0  # for reading one file; one of thousands of pages is read in less
MEMORY = 4 * 1024**3  # bytes of address space of the process, where the system can limit it
_JOBS = msgspec.msgpack.Decoder(tuple[str, bytes, str])  # name, path as the system writes it, extension
_PARSED = msgspec.msgpack.Decoder(ParsedFile)


class SubprocessReader(AbstractContextManager["SubprocessReader"]):
    """Reads files that may be slow or huge in a subprocess with a limit of time and memory.

    Where it runs out of time or dies, the file is named and the next one gets a new process.
    """

    def __init__(self, seconds: float = SECONDS, memory: int = MEMORY) -> None:
        """``seconds`` and ``memory`` (bytes) are the limits of one file."""
        self._seconds = seconds
        self._memory = memory
        self._child: Child | None = None

    def __exit__(self, *_: object) -> None:
        if self._child:
            self._child.end()

    def read(self, name: str, path: Path, extension: str) -> ParsedFile:
        """Contents of a file; a notice with the reason where it cannot be read."""
        job = (name, os.fsencode(path.absolute()), extension)
        child, self._child = self._child or self._start(), None
        try:
            parsed = child.ask(job, _PARSED, self._seconds)
        except TimeoutError:
            return left_out(name, f"it takes longer than {self._seconds:g} seconds to read")
        except ProcessDied as death:
            return left_out(name, f"its reader broke down over it or ran out of memory ({death})")
        self._child = child
        return parsed

    def _start(self) -> Child:
        program = f"from ragharness.corpus.folders.reading import serve; serve({self._memory})"
        self._child = Child("it", program, quiet=True)
        return self._child


def serve(memory: int) -> None:
    """Read the files that the other side names, one after another, in so much memory; ends with its pipe."""
    incoming, outgoing = claim_pipes()
    with suppress(ImportError, OSError, ValueError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (memory, hard))
    with suppress(EOFError):
        while True:
            number, (name, path, extension) = receive(incoming, _JOBS)
            send(outgoing, number, parse(name, Path(os.fsdecode(path)), extension))
