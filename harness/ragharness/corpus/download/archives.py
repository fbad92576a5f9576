"""Extracts the wanted files from an untrusted archive, or takes a single file."""

from __future__ import annotations

import lzma
import shutil
import stat
import struct
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath, PureWindowsPath

from ragharness.corpus.download.pinned import (
    DownloadRequest,
    Listener,
    Pinned,
    altered,
    hash_file,
    hash_stream,
)
from ragharness.corpus.download.storage import new_file, require_space
from ragharness.errors import CorpusUnavailable, CorruptDownload

LARGEST_MEMBER = 1 << 30
"""Bytes above which no file of a corpus is believed."""

LARGEST_RATIO = 200
"""Text shrinks to a fifth, tables to a twentieth; what shrinks more than this is made to explode."""

_SMALL = 10 << 20
"""Members up to this size harm nobody, whatever their ratio."""

_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,
    RuntimeError,
    ValueError,
)
"""What zipfile raises for a torn, encrypted or exotic archive; a failing disk is a StorageError already."""


def install(
    path: Path, request: DownloadRequest, folder: Path, on_progress: Listener, *, name: str = ""
) -> dict[str, str]:
    """Put the corpus' files in ``path`` (a zip or one JSON file) into a folder; return their hashes by name.

    ``name`` is what the file was called where it came from. Raises CorruptDownload for whatever is not
    the published content, CorpusUnavailable when a wanted file is not in it.
    """
    name = name or path.name
    with path.open("rb") as file:
        head = file.read(512).lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(b"PK"):
        installed = _from_zip(path, name, request, folder, on_progress)
    elif head.startswith(b"{"):
        installed = _from_file(path, name, request, folder)
    else:
        kind = "a web page" if head.startswith(b"<") else "something else" if head else "an empty file"
        raise CorruptDownload(
            f"expected a zip archive or a JSON file in {name}, found {kind}",
            help=f"{request.fetch_command}, or --from with another copy",
        )
    missing = [each for each in request.wanted if each not in installed]
    if missing:
        raise CorpusUnavailable(
            f"expected {missing[0]} in {name}, found {', '.join(installed) or 'no file of the corpus'}",
            help=request.fetch_command,
        )
    return installed


def is_zip(path: Path) -> bool:
    """Whether a file begins as a zip does."""
    with path.open("rb") as file:
        return file.read(2) == b"PK"


def plain_names(path: Path) -> set[str]:
    """Return the file names in a zip, wherever they sit; raises CorruptDownload for a damaged one."""
    with _opened(path, path.name) as archive:
        return {PurePosixPath(each.filename).name for each in archive.infolist()}


def read_members(path: Path, suffixes: Collection[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the names and the content of the files of some kinds in a zip, by their names.

    Raises CorruptDownload for an archive that is damaged or made to do harm; nothing is written.
    """
    with _opened(path, path.name) as archive:
        members = sorted(archive.infolist(), key=lambda each: each.filename)
        for member in members:
            _refuse_harmful(member, path.name)
        for member in members:
            name = PurePosixPath(member.filename)
            if name.suffix.casefold() in suffixes and not member.filename.startswith("__MACOSX/"):
                yield member.filename, archive.read(member)


@contextmanager
def _opened(path: Path, name: str, advice: str = "--from with another copy") -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as archive:
            _refuse_explosive("it", _sizes(archive), path.stat().st_size, name)
            yield archive
    except _UNREADABLE as error:
        raise CorruptDownload(
            f"expected a whole zip archive in {name}, found it truncated or damaged: {error}", help=advice
        ) from error


def _from_zip(
    path: Path, name: str, request: DownloadRequest, folder: Path, on_progress: Listener
) -> dict[str, str]:
    installed: dict[str, str] = {}
    with _opened(path, name, f"{request.fetch_command}, or --from with another copy") as archive:
        members = archive.infolist()
        for member in members:
            _refuse_harmful(member, name)
        for wanted, pinned in request.welcome.items():
            if not (candidates := _called(members, wanted)):
                continue
            true_one, found = _true_one(archive, candidates, pinned)
            if true_one is not None:
                _unpack(archive, true_one, folder / wanted)
                installed[wanted] = found
                continue
            where, size = f"{wanted} in {name}", candidates[-1].file_size
            problem = altered(where, wanted, pinned, found, size, request)
            if wanted in request.wanted:
                raise problem
            on_progress(f"left out: {problem}", 0, 0)
    return installed


def _refuse_harmful(member: zipfile.ZipInfo, archive: str) -> None:
    """Raise for a member that would leave the folder, is a link, or unpacks to far more than it is."""
    parts = PurePosixPath(member.filename.replace("\\", "/")).parts
    rooted = PureWindowsPath(member.filename).anchor or member.filename.startswith("/")
    if rooted or ".." in parts or stat.S_ISLNK(member.external_attr >> 16):
        raise CorruptDownload(
            f"{archive} is refused: its member {member.filename!r} leaves the folder",
            help="--from with an archive that you trust",
        )
    what = f"its member {member.filename!r}"
    _refuse_explosive(what, member.file_size, member.compress_size, archive)
    if member.file_size > LARGEST_MEMBER:
        raise _explosive(what, member.file_size, member.compress_size, archive)


def _sizes(archive: zipfile.ZipFile) -> int:
    """Return the size of all members together; those that share their bytes count each for itself."""
    return sum(member.file_size for member in archive.infolist())


def _refuse_explosive(what: str, size: int, packed: int, archive: str) -> None:
    if size > _SMALL and size > LARGEST_RATIO * max(1, packed):
        raise _explosive(what, size, packed, archive)


def _explosive(what: str, size: int, packed: int, archive: str) -> CorruptDownload:
    return CorruptDownload(
        f"{archive} is refused: {what} would grow from {packed} to {size} bytes",
        help="--from with an archive that you trust",
    )


def _called(members: list[zipfile.ZipInfo], name: str) -> list[zipfile.ZipInfo]:
    """Return the members of that file name, wherever they sit, the least deep first."""
    found = [each for each in members if PurePosixPath(each.filename).name == name and not each.is_dir()]
    kept = [each for each in found if not each.filename.startswith("__MACOSX/")]
    return sorted(kept, key=lambda each: (each.filename.count("/"), each.filename))


def _true_one(
    archive: zipfile.ZipFile, members: list[zipfile.ZipInfo], pinned: Pinned
) -> tuple[zipfile.ZipInfo | None, str]:
    """Return the first member that is the pinned content (or none) and the hash that was read last."""
    found = ""
    for member in members:
        with archive.open(member) as packed:
            found = hash_stream(packed)
        if pinned.sha256 in ("", found):
            return member, found
    return None, found


def _unpack(archive: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path) -> None:
    require_space(target.parent, member.file_size)
    with archive.open(member) as packed, new_file(target) as file:
        shutil.copyfileobj(packed, file)


def _from_file(path: Path, name: str, request: DownloadRequest, folder: Path) -> dict[str, str]:
    """Take one JSON file: known by its content, else by its name."""
    found = hash_file(path)
    by_content = [each for each, pinned in request.welcome.items() if pinned.sha256 == found]
    by_name = [each for each, pinned in request.welcome.items() if each == name and not pinned.sha256]
    if not by_content + by_name:
        expected, pinned = next(iter(request.wanted.items()))
        raise altered(name, expected, pinned, found, path.stat().st_size, request)
    target = (by_content + by_name)[0]
    require_space(folder, path.stat().st_size)
    with path.open("rb") as source, new_file(folder / target) as file:
        shutil.copyfileobj(source, file)
    return {target: found}
