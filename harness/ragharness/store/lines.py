"""Append-only files of lines, with whole lines even after a kill or on a full disk."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, BinaryIO

import msgspec

from ragharness.privacy import scrubbed
from ragharness.support.files import open_own

if TYPE_CHECKING:
    from pathlib import Path

Key = tuple[str, int]
"""A question's id and its epoch: there is at most one record of each."""

UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError)
"""What a line that is none raises when it is decoded."""

_BLOCK = 1 << 16


def line_of(value: msgspec.Struct) -> bytes:
    """Return a value as one line, without secrets: it goes to disk."""
    return scrubbed(msgspec.json.encode(value)) + b"\n"


def open_to_append(path: Path) -> int:
    """Return a handle whose writes all go to the end of the file."""
    return open_own(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)


def append_line(path: Path, value: msgspec.Struct) -> None:
    """Write one line at the end of a file, whole or not at all."""
    file = open_to_append(path)
    try:
        write_whole(file, line_of(value))
    finally:
        os.close(file)


def write_whole(file: int, line: bytes) -> None:
    """Write a line or nothing: on a full disk the part that fitted is taken back."""
    written = 0
    try:
        while written < len(line):
            written += os.write(file, line[written:])
    except OSError:
        if written:
            os.ftruncate(file, os.fstat(file).st_size - written)
        raise


def mend(path: Path, decoder: msgspec.json.Decoder[Any]) -> bool:
    """Make the file end with a whole line; returns whether a torn one was cut off."""
    try:
        handle = open_own(path, os.O_RDWR)
    except FileNotFoundError:
        return False
    with os.fdopen(handle, "r+b") as file:
        tail = _unfinished_line(file)
        if not tail:
            return False
        try:
            decoder.decode(tail)
        except UNREADABLE:
            file.truncate(path.stat().st_size - len(tail))
            return True
        # Only its newline is missing.
        file.seek(0, os.SEEK_END)
        file.write(b"\n")
        return False


def _unfinished_line(file: BinaryIO) -> bytes:
    """Return what follows the last newline, read from the end: the file may be large."""
    position, block = file.seek(0, os.SEEK_END), b""
    while position and b"\n" not in block:
        step = min(_BLOCK, position)
        position -= step
        file.seek(position)
        block = file.read(step) + block
    return block[block.rfind(b"\n") + 1 :]
