"""Files of a corpus pinned by their SHA-256, and the cache folder that holds them.

Free space is checked first, one process writes at a time, files are complete or absent.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import IO, Literal

from msgspec import Struct

from ragharness.errors import CorruptDownload, StorageError
from ragharness.support.files import atomic_file, make_private_folder, try_lock

HUB = "hub:"  # before the name of a data set on the hub
HASHES = "hashes.json"  # record of the files in a cache folder; never one of them
_FSSPEC_URL = re.compile(r"(?!https?://)[a-z][a-z0-9+.-]*://.", re.IGNORECASE)
_OTHER_FOLDER = "RAGHARNESS_CACHE=FOLDER names another place for the cache"
_LOCK_WAIT = 0.2  # seconds between two looks at a lock
Listener = Callable[[str, int, int], None]
"""Told (what, bytes done, bytes in all); 0 in all: unknown; both 0: a notice for people."""


class Pinned(Struct, frozen=True, kw_only=True):
    """A file by its content; an empty hash is recorded when the file is first fetched."""

    sha256: str = ""
    bytes: int = 0
    cik: str = ""  # of a filing at the SEC: the number of who filed it
    accession: str = ""  # the number of the filing; empty: looked up by form and period
    document: str = ""  # the file name of the filing's main document; empty: looked up
    form: str = ""
    period: str = ""  # the last day of the period that a filing reports on, ISO
    rows: int = 0  # of a data set on the hub: how many the file must have; 0: not known
    parquet: str = ""  # where the hub keeps the rows: a pattern of paths at the revision of the data set
    url: str = ""  # the data set on the hub that has the rows, where it is another one than the corpus' own
    columns: tuple[str, ...] = ()  # columns of its rows that are kept; none: all
    optional: bool = False  # the corpus can be read without it: fetched along, and a failure is a notice


@dataclass(frozen=True)
class DownloadRequest:
    """Files of a corpus that somebody wants to read, and where they are published."""

    corpus: str
    url: str
    required: Mapping[str, Pinned]  # files that must be there, by name
    published: Mapping[str, Pinned]  # all files of the corpus: kept too when they come in the same archive
    terms: str = ""
    space: int = 0  # bytes that the unpacked files need, roughly
    publisher: str = ""  # by whose rules they are fetched: "sec", "hub"; empty: one archive at ``url``
    pages: bool = False  # any folder of web pages will do: what it holds is read, published or not
    suffixes: tuple[str, ...] = ()  # any folder with files of these kinds (".jsonl") will do, likewise
    optional: Mapping[str, Pinned] = field(default_factory=dict)  # the corpus can be read without them
    cache_name: str = ""  # their folder in the cache, where it is not the corpus' own
    part: str = ""  # the folder of a data set on the hub that is read where its name tells none

    @property
    def fetch_command(self) -> str:
        """The command that fetches the corpus afresh."""
        return f"ragharness corpus fetch {self.corpus}"

    def altered(self, path: str, name: str, pinned: Pinned, digest: str, size: int) -> CorruptDownload:
        """Error for a file that is not the published one."""
        return CorruptDownload(
            f"{path} is not the published {name}: expected sha256 {pinned.sha256[:12]} ({pinned.bytes}"
            f" bytes), found {digest[:12]} ({size} bytes)",
            help=f"{self.fetch_command}, or --from with an unaltered copy",
        )


def source_variable(corpus: str) -> str:
    """Name of the environment variable that names a corpus' mirror."""
    return f"RAGHARNESS_{corpus.upper().replace('-', '_')}_FROM"


def named_source(corpus: str, source: str) -> str:
    """Where the user wants a corpus read from: the source, else that of the environment."""
    return source or os.environ.get(source_variable(corpus), "")


def is_on_hub(source: str) -> bool:
    """Whether a source is the name of a data set on the hub."""
    return source.startswith(HUB)


def is_remote(name: str) -> bool:
    """Whether a name is a URL of fsspec; web addresses are fetched otherwise."""
    return _FSSPEC_URL.match(name) is not None


def is_offline(*variables: str) -> bool:
    """Whether the environment, or one of these variables, says that no other machine may be spoken to."""
    values = (os.environ.get(name, "").strip().lower() for name in ("RAGHARNESS_OFFLINE", *variables))
    return any(value not in ("", "0", "false", "no", "off") for value in values)


def hash_file(path: Path) -> str:
    """The sha256 of a file's bytes."""
    with path.open("rb") as file:
        return hash_stream(file)


def hash_stream(stream: IO[bytes]) -> str:
    """The sha256 of what remains in a stream."""
    digest = sha256()
    while block := stream.read(1 << 20):
        digest.update(block)
    return digest.hexdigest()


@contextmanager
def storage_errors(folder: Path) -> Iterator[None]:
    """Turn a failure of the disk into a StorageError that says what to do."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            message = f"the disk that holds {folder} is full"
        elif error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
            message = f"cannot write in {folder}: it is read-only or closed ({error.strerror})"
        else:
            message = f"cannot use {folder}: {error.strerror or error}"
        raise StorageError(message, help=_OTHER_FOLDER) from error


def require_space(folder: Path, needed: int) -> None:
    """Raise StorageError when the disk of a folder (that may not exist yet) has fewer free bytes."""
    existing = next(path for path in (folder, *folder.parents) if path.exists() or path == path.parent)
    free = shutil.disk_usage(existing).free
    if free < needed:
        raise StorageError(
            f"expected {needed / 1e6:.0f} MB free for {folder}, found {free / 1e6:.0f} MB", help=_OTHER_FOLDER
        )


@contextmanager
def locked(folder: Path, on_progress: Listener) -> Iterator[None]:
    """Hold the folder for this process; another one's fetch is waited for, and a notice says so."""
    with storage_errors(folder):
        make_private_folder(folder)
        file = (folder / ".lock").open("ab")
    with file:
        waiting = False
        while not _try_lock(file.fileno()):
            if not waiting:
                on_progress(f"another process is writing in {folder}; waiting for it", 0, 0)
                waiting = True
            time.sleep(_LOCK_WAIT)
        # Closing the file gives the lock back, also when the process dies.
        yield


def _try_lock(handle: int) -> bool:
    try:
        return try_lock(handle)
    except OSError:
        # A file system without locks: temporary names are unique, so the worst is a fetch done twice.
        return True


@contextmanager
def new_file(target: Path) -> Iterator[IO[bytes]]:
    """Open a file that takes its name once it is whole; raises StorageError."""
    with storage_errors(target.parent), atomic_file(target) as file:
        yield file


def cached_hashes(folder: Path) -> dict[str, dict[str, str]]:
    """Record of the files in a cache folder: ``sha256`` and ``source`` by name."""
    try:
        hashes = json.loads((folder / HASHES).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return hashes if isinstance(hashes, dict) else {}


def cached_state(
    folder: Path, name: str, pinned: Pinned, source: str = ""
) -> Literal["whole", "altered", "absent"]:
    """Whether a cache folder holds a file as it was published, or first recorded; raises StorageError.

    One that came from another place than ``source``, if that is named, or that is not recorded is absent.
    """
    row = cached_hashes(folder).get(name, {})
    expected = pinned.sha256 or row.get("sha256", "")
    with storage_errors(folder):
        digest = hash_file(folder / name) if (folder / name).is_file() else ""
    if not expected or not digest or (source and row.get("source") != source):
        return "absent"
    return "whole" if digest == expected else "altered"


def record_hashes(folder: Path, hashes: Mapping[str, str], source: str) -> None:
    """Add files with their hashes and where they came from to the record of a cache folder."""
    added = {name: {"sha256": digest, "source": source} for name, digest in hashes.items()}
    with new_file(folder / HASHES) as file:
        file.write(json.dumps(cached_hashes(folder) | added, indent=1, sort_keys=True).encode())
