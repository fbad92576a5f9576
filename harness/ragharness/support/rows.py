"""Rows of data files: objects of a JSON file (an array, one a line, or one after the other), and Parquet."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import msgspec

from ragharness.errors import MissingExtra, UsageError

LocatedRow = tuple[str, object, str]
"""The location of a row ("test.jsonl:12"), the row, and what is wrong with it; empty: nothing."""

_BATCH = 32
"""Rows of Parquet in memory at once: one may have a megabyte."""


def json_rows(path: Path, content: str, *, holders: tuple[str, ...] = ("data",)) -> list[Any]:
    """The objects of a file; raises UsageError without any, ``content`` being what it should hold.

    One object that has a list under one of ``holders`` stands for that list.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    rows = _whole_file(text)
    if rows is None:
        try:
            rows = [_line(line, n, path) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
        except UsageError:
            rows = _consecutive_objects(text)
            if not rows:
                raise
    if isinstance(rows, dict):
        rows = next((rows[name] for name in holders if isinstance(rows.get(name), list)), [rows])
    if not isinstance(rows, list) or not rows:
        raise UsageError(f"{path} holds no {content}")
    return rows


def _whole_file(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None


def _consecutive_objects(text: str) -> list[Any]:
    """Objects that each take several lines; nothing where one cannot be read."""
    decoder, rows, start = json.JSONDecoder(), [], len(text) - len(text.lstrip())
    end = len(text.rstrip())
    while start < end:
        try:
            stop = decoder.raw_decode(text, start)[1]
            rows.append(msgspec.json.decode(text[start:stop]))
        except (ValueError, RecursionError):
            return []
        start = stop
        while start < end and text[start].isspace():
            start += 1
    return rows


def _line(line: str, number: int, path: Path) -> Any:
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        raise UsageError(f"line {number} of {path} is not JSON: {line.strip()[:40]!r}") from None


def data_rows(file: IO[bytes], name: str) -> Iterator[LocatedRow]:
    """Yield the rows of a JSON, JSON Lines or Parquet file, by the end of its name; a lone object is one.

    An unreadable row comes with its problem. Raises MissingExtra for Parquet without its reader.
    """
    if name.casefold().endswith(".parquet"):
        yield from _parquet_rows(file, name)
    elif name.casefold().endswith(".jsonl"):
        for number, line in enumerate(file, 1):
            if line.strip():
                yield _decoded(line, f"{name}:{number}")
    else:
        _, content, problem = _decoded(file.read(), name)
        if isinstance(content, list):
            yield from ((f"{name}:{number}", row, "") for number, row in enumerate(content, 1))
        else:
            yield name, content, problem


def _decoded(content: bytes, location: str) -> LocatedRow:
    try:
        return location, msgspec.json.decode(content.removeprefix(b"\xef\xbb\xbf")), ""
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        return location, None, f"it is no JSON ({error})"


def _parquet_rows(file: IO[bytes], name: str) -> Iterator[LocatedRow]:
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise MissingExtra(f"reading {name}", "hub") from None
    number = 0
    try:
        for batch in parquet.ParquetFile(file).iter_batches(batch_size=_BATCH):
            for row in batch.to_pylist():
                number += 1
                yield f"{name}:{number}", row, ""
    except (ArrowException, ValueError) as error:
        yield name, None, f"it is no Parquet ({' '.join(str(error).split())[:120]})"
