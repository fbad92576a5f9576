"""Rows of JSON, JSON lines and Parquet in a folder or a zip: a filing each, split into items."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ragharness.download import files_in
from ragharness.errors import CorruptDownload, MissingExtra

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import IO

PLAIN = frozenset({".json", ".jsonl", ".parquet"})
SUFFIXES = PLAIN | {".zip"}

_LARGEST = 4_000_000_000
"""Bytes of a file above which it is none of these."""

_BATCH = 32
"""Rows of Parquet that are in memory at once: a filing may have a megabyte."""


class Row(NamedTuple):
    """A row, and where it stands: "10-K.zip/10-K/one.json", "test.jsonl:12"."""

    file: str
    place: str
    content: dict[str, object]
    """Empty for what is no row at all."""
    problem: str = ""


def rows_in(folder: Path, split: str) -> Iterator[Row]:
    """Yield every row in a folder, or in one file, in the order of the names; of a split only its files.

    A file that cannot be read is a row with a problem.
    """
    for path in files_in(folder, SUFFIXES):
        name = path.name if path == folder else path.relative_to(folder).as_posix()
        if split and path.stem != split:
            continue
        try:
            for place, content, problem in _of_path(path, name):
                yield Row(name, place, content if isinstance(content, dict) else {}, problem)
        except OSError as error:
            yield Row(name, name, {}, f"it cannot be read ({error.strerror or error})")
        except CorruptDownload as error:
            yield Row(name, name, {}, str(error))


_Found = tuple[str, object, str]
"""A place, a row, and what is wrong with it."""


def _of_path(path: Path, name: str) -> Iterator[_Found]:
    if (size := path.stat().st_size) > _LARGEST:
        yield name, None, f"expected at most {_LARGEST} bytes, found {size}"
    elif path.suffix.casefold() == ".zip":
        from ragharness.download.archives import read_members

        for member, content in read_members(path, PLAIN):
            yield from _of_file(io.BytesIO(content), f"{name}/{member}")
    else:
        with path.open("rb") as file:
            yield from _of_file(file, name)


def _of_file(file: IO[bytes], name: str) -> Iterator[_Found]:
    if name.casefold().endswith(".parquet"):
        yield from _of_parquet(file, name)
    elif name.casefold().endswith(".jsonl"):
        for number, line in enumerate(file, 1):
            if line.strip():
                yield _decoded(line, f"{name}:{number}")
    else:
        _, content, problem = _decoded(file.read(), name)
        if isinstance(content, list):
            yield from ((f"{name}:{number}", each, "") for number, each in enumerate(content, 1))
        else:
            yield name, content, problem


def _decoded(content: bytes, place: str) -> _Found:
    try:
        return place, msgspec.json.decode(content.removeprefix(b"\xef\xbb\xbf")), ""
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        return place, None, f"it is no JSON ({error})"


def _of_parquet(file: IO[bytes], name: str) -> Iterator[_Found]:
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        yield name, None, str(MissingExtra("reading it", "hub"))
        return
    number = 0
    try:
        for batch in parquet.ParquetFile(file).iter_batches(batch_size=_BATCH):
            for row in batch.to_pylist():
                number += 1
                yield f"{name}:{number}", row, ""
    except (ArrowException, ValueError) as error:
        yield name, None, f"it is no Parquet ({' '.join(str(error).split())[:120]})"
