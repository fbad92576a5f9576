"""Extraction of the required files from an untrusted archive, or from a single file."""

from __future__ import annotations

import shutil
import stat
import struct
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from lzma import LZMAError
from pathlib import Path, PurePosixPath, PureWindowsPath
from zipfile import BadZipFile

from ragharness.corpus.download.pinned import (
    DownloadRequest,
    Listener,
    Pinned,
    hash_file,
    hash_stream,
    new_file,
    require_space,
)
from ragharness.errors import CorpusUnavailable, CorruptDownload

LARGEST_MEMBER = 1 << 30  # bytes above which no file of a corpus is believed
LARGEST_RATIO = 200  # text shrinks to a fifth, tables to a twentieth; what shrinks more is made to explode
_HARMLESS = 10 << 20  # bytes up to which a member harms nobody, whatever its ratio
_UNREADABLE = (BadZipFile, zlib.error, LZMAError, struct.error, EOFError, OSError, RuntimeError, ValueError)
"""What zipfile raises for a torn, encrypted or exotic archive; a failing disk is a StorageError already."""


def install(
    path: Path, request: DownloadRequest, folder: Path, on_progress: Listener, *, name: str = ""
) -> dict[str, str]:
    """Put the corpus' files in ``path`` (a zip or one JSON file) into a folder; their sha256 by name.

    ``name`` is what the file was called where it came from. Raises CorruptDownload for whatever is not
    the published content, CorpusUnavailable when a required file is not in it.
    """
    name = name or path.name
    with path.open("rb") as file:
        head = file.read(512).lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(b"PK"):
        installed = _install_zip(path, name, request, folder, on_progress)
    elif head.startswith(b"{"):
        installed = _install_file(path, name, request, folder)
    else:
        kind = "a web page" if head.startswith(b"<") else "something else" if head else "an empty file"
        raise CorruptDownload(
            f"expected a zip archive or a JSON file in {name}, found {kind}",
            help=f"{request.fetch_command}, or --from with another copy",
        )
    missing = [required for required in request.required if required not in installed]
    if missing:
        raise CorpusUnavailable(
            f"expected {missing[0]} in {name}, found {', '.join(installed) or 'no file of the corpus'}",
            help=request.fetch_command,
        )
    return installed


def member_names(path: Path) -> set[str]:
    """The file names in a zip, none of another file; raises CorruptDownload for a damaged zip."""
    with path.open("rb") as file:
        if file.read(2) != b"PK":
            return set()
    with _opened(path, path.name) as archive:
        return {PurePosixPath(member.filename).name for member in archive.infolist()}


def read_members(path: Path, suffixes: Collection[str]) -> Iterator[tuple[str, bytes]]:
    """Names and content of the files of some kinds in a zip, by their names.

    Raises CorruptDownload for an archive that is damaged or made to do harm; nothing is written.
    """
    with _opened(path, path.name) as archive:
        members = sorted(archive.infolist(), key=lambda member: member.filename)
        for member in members:
            _refuse_harmful(member, path.name)
        for member in members:
            suffix = PurePosixPath(member.filename).suffix.casefold()
            if suffix in suffixes and not member.filename.startswith("__MACOSX/"):
                yield member.filename, archive.read(member)


@contextmanager
def _opened(path: Path, name: str, advice: str = "--from with another copy") -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as archive:
            # Members that share their bytes count each for itself.
            size = sum(member.file_size for member in archive.infolist())
            _refuse_explosive("it", size, path.stat().st_size, name)
            yield archive
    except _UNREADABLE as error:
        raise CorruptDownload(
            f"expected a whole zip archive in {name}, found it truncated or damaged: {error}", help=advice
        ) from error


def _install_zip(
    path: Path, name: str, request: DownloadRequest, folder: Path, on_progress: Listener
) -> dict[str, str]:
    installed: dict[str, str] = {}
    with _opened(path, name, f"{request.fetch_command}, or --from with another copy") as archive:
        members = archive.infolist()
        for member in members:
            _refuse_harmful(member, name)
        for target, pinned in request.published.items():
            if not (candidates := _candidates(members, target)):
                continue
            genuine, digest = _genuine(archive, candidates, pinned)
            if genuine is not None:
                require_space(folder, genuine.file_size)
                with archive.open(genuine) as packed, new_file(folder / target) as file:
                    shutil.copyfileobj(packed, file)
                installed[target] = digest
                continue
            size = candidates[-1].file_size
            problem = request.altered(f"{target} in {name}", target, pinned, digest, size)
            if target in request.required:
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
    name = f"its member {member.filename!r}"
    _refuse_explosive(name, member.file_size, member.compress_size, archive, most=LARGEST_MEMBER)


def _refuse_explosive(what: str, size: int, packed: int, archive: str, most: int = 0) -> None:
    if (size > _HARMLESS and size > LARGEST_RATIO * max(1, packed)) or (most and size > most):
        raise CorruptDownload(
            f"{archive} is refused: {what} would grow from {packed} to {size} bytes",
            help="--from with an archive that you trust",
        )


def _candidates(members: list[zipfile.ZipInfo], name: str) -> list[zipfile.ZipInfo]:
    """The members of that file name, wherever they sit, the least deep first."""
    namesakes = [
        member
        for member in members
        if PurePosixPath(member.filename).name == name
        and not member.is_dir()
        and not member.filename.startswith("__MACOSX/")
    ]
    return sorted(namesakes, key=lambda member: (member.filename.count("/"), member.filename))


def _genuine(
    archive: zipfile.ZipFile, members: list[zipfile.ZipInfo], pinned: Pinned
) -> tuple[zipfile.ZipInfo | None, str]:
    """The member that is the pinned content (or None) and the hash that was read last."""
    digest = ""
    for member in members:
        with archive.open(member) as packed:
            digest = hash_stream(packed)
        if pinned.sha256 in ("", digest):
            return member, digest
    return None, digest


def _install_file(path: Path, name: str, request: DownloadRequest, folder: Path) -> dict[str, str]:
    """Take one JSON file: known by its content, else by its name."""
    digest, size = hash_file(path), path.stat().st_size
    by_content = [target for target, pinned in request.published.items() if pinned.sha256 == digest]
    unpinned = name in request.published and not request.published[name].sha256
    targets = by_content + ([name] if unpinned else [])
    if not targets:
        required, pinned = next(iter(request.required.items()))
        raise request.altered(name, required, pinned, digest, size)
    require_space(folder, size)
    with path.open("rb") as source, new_file(folder / targets[0]) as file:
        shutil.copyfileobj(source, file)
    return {targets[0]: digest}
