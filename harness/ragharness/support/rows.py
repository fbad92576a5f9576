"""Objects of a JSON file (an array, one a line, or one after the other), and rows of a data set."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import msgspec

from ragharness.errors import MissingExtra, UsageError

PlacedRow = tuple[str, object, str]
"""Where a row stands ("test.jsonl:12"), the row, and what is wrong with it; empty: nothing."""

_BATCH = 32
"""Rows of Parquet that are in memory at once: one may have a megabyte."""


def json_rows(path: Path, what: str, *, holders: tuple[str, ...] = ("data",)) -> list[Any]:
    """Return the objects of a file; raises UsageError without any, ``what`` being what was expected.

    One object that has a list under one of ``holders`` stands for that list.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"expected {what} in {path}, found: {getattr(error, 'strerror', None) or error}"
        ) from error
    found = _whole(text)
    if found is None:
        try:
            found = [
                _line(line, number, path) for number, line in enumerate(text.split("\n"), 1) if line.strip()
            ]
        except UsageError:
            found = _one_after_the_other(text)
            if not found:
                raise
    if isinstance(found, dict):
        held = next((found[name] for name in holders if isinstance(found.get(name), list)), None)
        found = [found] if held is None else held
    if not isinstance(found, list) or not found:
        raise UsageError(f"expected {what} in {path}, found none")
    return found


def _whole(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None


def _one_after_the_other(text: str) -> list[Any]:
    """Return objects that each take several lines; nothing where one cannot be read."""
    decoder, found, at = json.JSONDecoder(), [], len(text) - len(text.lstrip())
    end = len(text.rstrip())
    while at < end:
        try:
            past = decoder.raw_decode(text, at)[1]
            found.append(msgspec.json.decode(text[at:past]))
        except (ValueError, RecursionError):
            return []
        at = past
        while at < end and text[at].isspace():
            at += 1
    return found


def _line(line: str, number: int, path: Path) -> Any:
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        raise UsageError(f"expected JSON in {path}, line {number}, found {line.strip()[:40]!r}") from None


def data_rows(file: IO[bytes], name: str) -> Iterator[PlacedRow]:
    """Yield the rows of a JSON, JSON Lines or Parquet file, by the end of its name; a lone object is one.

    What cannot be read is a row with a problem. Raises MissingExtra for Parquet without its reader.
    """
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


def _decoded(content: bytes, place: str) -> PlacedRow:
    try:
        return place, msgspec.json.decode(content.removeprefix(b"\xef\xbb\xbf")), ""
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        return place, None, f"it is no JSON ({error})"


def _of_parquet(file: IO[bytes], name: str) -> Iterator[PlacedRow]:
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
