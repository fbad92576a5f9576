"""What is wanted of a corpus: files pinned by their SHA-256, and from where."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import IO

from msgspec import Struct

from ragharness.errors import CorruptDownload

_URL = re.compile(r"(?!https?://)[a-z][a-z0-9+.-]*://.", re.IGNORECASE)

HUB = "hub:"
"""Before the name of a data set on the hub."""

Listener = Callable[[str, int, int], None]
"""Told (what, bytes done, bytes in all); 0 in all: unknown; both 0: a notice for people."""


class Pinned(Struct, frozen=True, kw_only=True):
    """A file by its content; an empty hash is recorded when the file is first fetched."""

    sha256: str = ""
    bytes: int = 0
    cik: str = ""
    """Of a filing at the SEC: the number of who filed it."""
    accession: str = ""
    """The number of the filing; empty: looked up by form and period."""
    document: str = ""
    """The file name of the filing's main document; empty: looked up."""
    form: str = ""
    period: str = ""
    """The last day of the period that a filing reports on, ISO."""
    rows: int = 0
    """Of a data set on the hub: how many the file must have; 0: not known."""
    parquet: str = ""
    """Where the hub keeps the rows: a pattern of paths at the revision of the data set."""
    url: str = ""
    """The data set on the hub that has the rows, where it is another one than the corpus' own."""
    columns: tuple[str, ...] = ()
    """Of its rows, what is kept; none: everything."""
    optional: bool = False
    """The corpus can be read without it: it is fetched along, and a failure is said and no error."""


@dataclass(frozen=True)
class DownloadRequest:
    """Files of a corpus that somebody wants to read, and where they are published."""

    corpus: str
    url: str
    wanted: Mapping[str, Pinned]
    """The files that must be there, by name."""
    welcome: Mapping[str, Pinned]
    """All files of the corpus: kept too when they come in the same archive."""
    terms: str = ""
    space: int = 0
    """Bytes that the unpacked files need, roughly."""
    publisher: str = ""
    """By whose rules they are fetched: "sec", "hub"; empty: one archive at ``url``."""
    pages: bool = False
    """Any folder of web pages will do: what it holds is read, published or not."""
    suffixes: tuple[str, ...] = ()
    """Any folder with files of these kinds will do (".jsonl"): what it holds is read, published or not."""
    besides: Mapping[str, Pinned] = field(default_factory=dict)
    """Files that are fetched along where they can be, by name; the corpus can be read without them."""
    place: str = ""
    """The folder of the cache that keeps them, where it is not the corpus' own."""
    part: str = ""
    """The folder of a data set on the hub that is read where its name tells none."""

    @property
    def fetch_command(self) -> str:
        """The command that fetches the corpus afresh."""
        return f"ragharness corpus fetch {self.corpus}"


def source_variable(corpus: str) -> str:
    """Return the name of the environment variable that names a corpus' mirror."""
    return f"RAGHARNESS_{corpus.upper().replace('-', '_')}_FROM"


def named_source(corpus: str, source: str) -> str:
    """Return where the user wants a corpus read from: the named place, else that of the environment."""
    return source or os.environ.get(source_variable(corpus), "")


def is_on_hub(source: str) -> bool:
    """Whether a source is the name of a data set on the hub."""
    return source.startswith(HUB)


def is_remote(name: str) -> bool:
    """Whether a name is a URL of fsspec; web addresses are fetched otherwise."""
    return _URL.match(name) is not None


def is_offline(*others: str) -> bool:
    """Whether the environment, or a variable of ``others``, says that no other machine may be spoken to."""
    values = (os.environ.get(name, "").strip().lower() for name in ("RAGHARNESS_OFFLINE", *others))
    return any(value not in ("", "0", "false", "no", "off") for value in values)


def hash_file(path: Path) -> str:
    """Return the sha256 of a file's bytes."""
    with path.open("rb") as file:
        return hash_stream(file)


def hash_stream(stream: IO[bytes]) -> str:
    """Return the sha256 of what remains in a stream."""
    digest = sha256()
    while block := stream.read(1 << 20):
        digest.update(block)
    return digest.hexdigest()


def altered(
    where: str, name: str, pinned: Pinned, found: str, size: int, request: DownloadRequest
) -> CorruptDownload:
    """Return the error for a file that is not the published one."""
    return CorruptDownload(
        f"{where} is not the published {name}: expected sha256 {pinned.sha256[:12]} ({pinned.bytes} bytes),"
        f" found {found[:12]} ({size} bytes)",
        help=f"{request.fetch_command}, or --from with an unaltered copy",
    )
