"""Vectors on disk, keyed by the hash of their text, each verified by its own digest.

A file is a head (magic, dimension) and records of one size: the text's key, the vector in float32 and a
digest over the space, the key and the vector. Each process appends to a file of its own, so nobody waits and
nothing is overwritten: a torn end or an altered record costs that record alone. Everything that a vector
depends on besides its text (model, prompt, normalisation) is the ``space``, and in the file's name.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import struct
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ragharness.support.files import new_file

Vectors = NDArray[np.float32]

FORMAT = 1
"""Raised when a record changes its meaning."""

KEPT_FILES = 16
"""Files of one space; more are joined into one."""

KEPT_BYTES = 4 * 2**30
"""Bytes of all vector files in a folder; beyond them the longest unused files of other spaces go."""

_HEAD = struct.Struct("<12sI")
_MAGIC = b"rag-vectors\n"
_KEY = 32
_DIGEST = 16
_WIDEST = 1 << 16
"""No model has vectors of so many numbers: a head that says more is damaged."""

_BLOCK = 2048
"""Records that are read at once."""


def text_key(text: str) -> bytes:
    """Return the key of a text within a space."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_KEY).digest()


def space_name(*parts: object) -> str:
    """Return the name of the space of vectors that depend on ``parts``."""
    return hashlib.sha256(repr((FORMAT, *parts)).encode("utf-8", "surrogatepass")).hexdigest()[:24]


class VectorStore:
    """The vectors of one space; without a folder it remembers nothing. One thread at a time may write."""

    def __init__(self, folder: Path | None, space: str) -> None:
        self._folder = folder
        self._space = space
        self._own: tuple[int, Path] | None = None

    def read(self, keys: Sequence[bytes]) -> tuple[Vectors | None, list[int]]:
        """Return a matrix with a row for each of the (different) keys, and the rows that nobody has yet.

        The matrix is None where no vector at all is known: its width is the model's secret then.
        """
        places = {key: row for row, key in enumerate(keys)}
        matrix: Vectors | None = None
        for key, vector in self.records(frozenset(keys)):
            if matrix is None:
                matrix = np.zeros((len(keys), len(vector)), dtype=np.float32)
            if len(vector) == matrix.shape[1] and (row := places.pop(key, None)) is not None:
                matrix[row] = vector
        return matrix, sorted(places.values())

    def records(self, wanted: frozenset[bytes] | None = None) -> Iterator[tuple[bytes, Vectors]]:
        """Yield the sound records with one of the wanted keys (None: all), files in order of their names."""
        for path in self._files():
            # Another process may have joined the file to others: what is not found is embedded again.
            with suppress(OSError), path.open("rb") as file:
                yield from self._sound(file.read, wanted)
                # The time of the last use decides which files stay.
                os.utime(path)

    def append(self, keys: Sequence[bytes], vectors: Vectors) -> None:
        """Keep vectors; a folder that cannot be written is no error."""
        if self._folder is None or not keys:
            return
        rows = np.ascontiguousarray(vectors, dtype="<f4")
        data = b"".join(self._record(key, row.tobytes()) for key, row in zip(keys, rows, strict=True))
        with suppress(OSError):
            self._write(data, rows.shape[1])

    def tidy(self) -> None:
        """Join the files of this space when they are many, and hold the folder to its size."""
        if self._folder is None:
            return
        with suppress(OSError):
            if len(files := self._files()) > KEPT_FILES:
                self._join(files)
            _prune(self._folder, self._space)

    def _files(self) -> list[Path]:
        if self._folder is None:
            return []
        return sorted(self._folder.glob(f"vectors-{self._space}-*.bin"))

    def _sound(
        self, read: Callable[[int], bytes], wanted: frozenset[bytes] | None
    ) -> Iterator[tuple[bytes, Vectors]]:
        head = read(_HEAD.size)
        if len(head) < _HEAD.size:
            return
        magic, width = _HEAD.unpack(head)
        if magic != _MAGIC or not 0 < width < _WIDEST:
            return
        size = _KEY + 4 * width + _DIGEST
        while block := read(size * _BLOCK):
            for at in range(0, len(block) - size + 1, size):
                key, body = block[at : at + _KEY], block[at + _KEY : at + size - _DIGEST]
                if wanted is not None and key not in wanted:
                    continue
                if self._digest(key, body) == block[at + size - _DIGEST : at + size]:
                    yield key, np.frombuffer(body, dtype="<f4")

    def _record(self, key: bytes, body: bytes) -> bytes:
        return key + body + self._digest(key, body)

    def _digest(self, key: bytes, body: bytes) -> bytes:
        return hashlib.blake2b(self._space.encode() + key + body, digest_size=_DIGEST).digest()

    def _write(self, data: bytes, width: int) -> None:
        own = self._own
        # A forked child starts a file of its own; one that somebody joined or pruned away is begun anew.
        if own is None or own[0] != os.getpid() or not own[1].exists():
            own = os.getpid(), self._begin(width)
        self._own = None
        with own[1].open("r+b", buffering=0) as file:
            file.seek(0, os.SEEK_END)
            if file.write(data) == len(data):
                # Only a file without a torn record may grow: those behind it could not be read.
                self._own = own

    def _begin(self, width: int) -> Path:
        assert self._folder is not None
        self._folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f"vectors-{self._space}-", suffix=".bin", dir=self._folder)
        with os.fdopen(handle, "wb") as file:
            file.write(_HEAD.pack(_MAGIC, width))
        return Path(name)

    def _join(self, files: Iterable[Path]) -> None:
        assert self._folder is not None
        known: set[bytes] = set()
        width = 0
        target = self._folder / f"vectors-{self._space}-{secrets.token_hex(4)}.bin"
        with new_file(target, private=True) as file:
            for key, vector in self.records():
                if not known:
                    width = len(vector)
                    file.write(_HEAD.pack(_MAGIC, width))
                if key not in known and len(vector) == width:
                    known.add(key)
                    file.write(self._record(key, vector.tobytes()))
        for path in files:
            path.unlink(missing_ok=True)
        self._own = None


def _prune(folder: Path, space: str) -> None:
    sizes = {path: path.stat() for path in folder.glob("vectors-*.bin")}
    total = sum(each.st_size for each in sizes.values())
    for path in sorted(sizes, key=lambda path: sizes[path].st_mtime_ns):
        if total <= KEPT_BYTES:
            return
        if not path.name.startswith(f"vectors-{space}-"):
            path.unlink(missing_ok=True)
            total -= sizes[path].st_size
