"""Where the files of a corpus are: a folder or an archive of the user's, the cache, or the network.

Whatever the way, a file is used only when its bytes are those that the manifest pins.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from ragharness.errors import CorpusUnavailable, CorruptDownload

if TYPE_CHECKING:
    from collections.abc import Mapping

Listener = Callable[[str, int, int], None]
"""Told (what, bytes done, bytes in all); 0 in all: unknown; both 0: a notice for people."""


class Pinned(Struct, frozen=True, kw_only=True):
    """A file by its content; an empty hash is recorded when the file is first fetched."""

    sha256: str = ""
    bytes: int = 0


@dataclass(frozen=True)
class Wish:
    """Files of a corpus that somebody wants to read, and where they are published."""

    corpus: str
    url: str
    wanted: Mapping[str, Pinned]
    """The files that must be there, by name."""
    welcome: Mapping[str, Pinned]
    """Further files of the corpus, kept too when they come in the same archive."""
    terms: str = ""
    space: int = 0


def source_variable(corpus: str) -> str:
    """Return the name of the environment variable that names a corpus' mirror."""
    return f"RAGHARNESS_{corpus.upper().replace('-', '_')}_FROM"


def obtain(wish: Wish, *, source: str = "", offline: bool = False, listener: Listener | None = None) -> Path:
    """Return a folder that holds the wanted files with the pinned content.

    ``source`` (or the corpus' environment variable) is a folder, a file, or a URL to use instead of the published one.
    """
    source = source or os.environ.get(source_variable(wish.corpus), "")
    path = Path(source).expanduser()
    if source and path.is_dir():
        return _in_place(wish, path)
    raise CorpusUnavailable("not yet")


def _in_place(wish: Wish, folder: Path) -> Path:
    homes = {_find(wish, folder, name).parent for name in wish.wanted}
    home = homes.pop()
    for name, pinned in wish.wanted.items():
        verify(home / name, name, pinned, wish.corpus)
    return home


def _find(wish: Wish, folder: Path, name: str) -> Path:
    if (folder / name).is_file():
        return folder / name
    found = sorted(folder.rglob(name))
    if len(found) == 1:
        return found[0]
    raise CorpusUnavailable(
        f"expected one file {name} in {folder}, found {len(found)}",
        help=f"ragharness corpus fetch {wish.corpus}",
    )


def verify(path: Path, name: str, pinned: Pinned, corpus: str) -> str:
    """Return the sha256 of a file; raises CorruptDownload when it is not the pinned content."""
    found = sha256(path.read_bytes()).hexdigest()
    if pinned.sha256 and found != pinned.sha256:
        raise CorruptDownload(
            f"{path} is not the published {name}: expected sha256 {pinned.sha256[:12]}... ({pinned.bytes} bytes),"
            f" found {found[:12]}... ({path.stat().st_size} bytes)",
            help=f"ragharness corpus fetch {corpus}",
        )
    return found
