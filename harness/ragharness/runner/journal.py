"""Append-only files of lines, whole even after a kill or on a full disk; the two that a run writes."""

from __future__ import annotations

import errno
import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, NamedTuple, TypeVar

import msgspec

from ragharness.errors import RunNotUsable, StorageError
from ragharness.records import Record
from ragharness.support.files import open_plain, to_json
from ragharness.support.messages import redact_bytes

T = TypeVar("T")
Key = tuple[str, int]  # a question's id and its epoch: there is at most one record of each
UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)  # of a line that is none
_BLOCK = 1 << 16
_MAKE_ROOM = "free some space, then repeat the command: it continues"
_GO_ELSEWHERE = "name a folder that may be written with --out FOLDER"
_ADVICE = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), _MAKE_ROOM),
    **dict.fromkeys((errno.EACCES, errno.EROFS, errno.EPERM), _GO_ELSEWHERE),
}


@contextmanager
def disk(path: Path, purpose: str = "write in") -> Iterator[None]:
    """Turn an OSError about a folder or file of a run into a StorageError."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        advice = _ADVICE.get(error.errno or 0, "name another folder with --out FOLDER")
        advice = f"ls -l {shlex.quote(str(path))}" if purpose == "read" else advice
        raise StorageError(f"expected to {purpose} {path}, found: {reason}", help=advice) from error


def line_of(value: msgspec.Struct) -> bytes:
    """Value as one line, without secrets: it goes to disk."""
    return redact_bytes(to_json(value)) + b"\n"


def open_to_append(path: Path) -> int:
    """Handle whose writes all go to the end of the file."""
    return open_plain(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)


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
        handle = open_plain(path, os.O_RDWR)
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


def read_lines(path: Path, decoder: msgspec.json.Decoder[T], help: str) -> Iterator[T]:  # noqa: A002
    """Yield the values of a file's lines, none without it; raises RunNotUsable with ``help``.

    A last line without its end is being written, or its writer did not survive: it is left out.
    """
    if not path.is_file():
        return
    with disk(path, "read"), path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                value = decoder.decode(line)
            except UNREADABLE as error:
                if not line.endswith(b"\n"):
                    return
                message = f"expected line {number} of {path} to be readable, found: {error}"
                raise RunNotUsable(message, help=help) from error
            yield value


def count_lines(path: Path) -> int:
    """How many lines a file has at most, none without it, the last one without its end too."""
    if not path.is_file():
        return 0
    with disk(path, "read"), path.open("rb") as file:
        return 1 + sum(block.count(b"\n") for block in iter(lambda: file.read(_BLOCK), b""))


def _unfinished_line(file: BinaryIO) -> bytes:
    """What follows the last newline, read from the end: the file may be large."""
    position, block = file.seek(0, os.SEEK_END), b""
    while position and b"\n" not in block:
        step = min(_BLOCK, position)
        position -= step
        file.seek(position)
        block = file.read(step) + block
    return block[block.rfind(b"\n") + 1 :]


class Journal:
    """A file of records while it is written: append only, one whole line at a time, each key once."""

    def __init__(self, path: Path, keys: set[Key], held: int | None = None) -> None:
        self.keys = keys  # of the records that are on disk, here or in the other file: none is written again
        self._held = len(keys) if held is None else held
        # A pipeline may change the folder that it works in.
        self._path = path.absolute()
        self._lock = Lock()
        self._file = open_to_append(path)
        self._inode = _identity(self._path.stat())
        self._size = os.fstat(self._file).st_size
        self._open = True

    def append(self, record: Record) -> bool:
        """Write one record; returns False when its key is on disk already or the journal is closed.

        Raises StorageError when the disk refuses (what was written before stays whole), and when the file was
        deleted: what is written into it then is lost without a word.
        """
        line = line_of(record)
        key = record.question, record.epoch
        with self._lock:
            if not self._open or key in self.keys:
                return False
            self._look(unstored=1)
            with disk(self._path):
                write_whole(self._file, line)
            self._size += len(line)
            self.keys.add(key)
            self._held += 1
        return True

    def check(self) -> None:
        """Raise StorageError when the file is no longer where it was."""
        with self._lock:
            self._look(unstored=0)
            with suppress(OSError):
                if _identity(self._path.stat()) == self._inode:
                    return
            loss = f"moved: it holds {self._held} {self._path.stem} where it is now"
            raise self._disturbed(loss, "put it back and repeat the command: it continues")

    def _look(self, unstored: int) -> None:
        """Raise StorageError when somebody deleted or cut what was written."""
        status = os.fstat(self._file)
        advice = f"leave {self._path.parent.name} alone and repeat the command: it asks"
        if status.st_nlink == 0:
            last = f" and {unstored} that could not be stored" if unstored else ""
            loss = f"deleted: the {self._held} {self._path.stem} in it{last} are lost"
            raise self._disturbed(loss, f"{advice} again what is missing")
        if status.st_size < self._size:
            loss = f"cut from {self._size} to {status.st_size} bytes"
            raise self._disturbed(loss, f"{advice} what is missing")

    def _disturbed(self, change: str, advice: str) -> StorageError:
        message = f"expected {self._path} to stay while the run was writing, found it {change}"
        return StorageError(message, help=advice)

    def close(self) -> None:
        """Finish writing; a record that comes later is dropped, never half-written."""
        with self._lock:
            if self._open:
                self._open = False
                os.close(self._file)


class Journals(NamedTuple):
    """The two files that a run writes: asking appends answers, grading appends records."""

    answers: Journal
    records: Journal
    recovered: bool  # whether a torn last line of the records was cut off


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino
