"""Files of lines that are only ever appended to, whole lines even after a kill or on a full disk."""

from __future__ import annotations

import os
from threading import Lock
from typing import TYPE_CHECKING, Any, BinaryIO

import msgspec

from ragharness.errors import StorageError
from ragharness.store.disk import disk

if TYPE_CHECKING:
    from pathlib import Path

    from ragharness.records import Record

Key = tuple[str, int]
"""A question's id and its epoch: there is at most one record of each."""

UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError)
"""What a line that is none raises when it is decoded."""

_BLOCK = 1 << 16


class Journal:
    """The records of a run while it is written: append only, one whole line at a time, each key once."""

    def __init__(self, path: Path, answered: set[Key], recovered: bool) -> None:
        self.answered = answered
        self.recovered = recovered
        """Whether a torn last line was cut off."""
        # A pipeline may change the folder that it works in.
        self._path = path.absolute()
        self._lock = Lock()
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o644)
        self._place = _place(self._path.stat())
        self._open = True

    def append(self, record: Record) -> bool:
        """Write one record; returns False when its key is on disk already or the journal is closed.

        Raises StorageError when the disk refuses (what was written before stays whole), and when the file was
        deleted: what is written into it then is lost without a word.
        """
        line = msgspec.json.encode(record) + b"\n"
        key = record.question, record.epoch
        with self._lock:
            if not self._open or key in self.answered:
                return False
            if os.fstat(self._file).st_nlink == 0:
                raise _deleted(self._path, len(self.answered), unstored=1)
            with disk(self._path):
                _write_whole(self._file, line)
            self.answered.add(key)
            return True

    def check(self) -> None:
        """Raise StorageError when the file is no longer where it was."""
        with self._lock:
            if os.fstat(self._file).st_nlink == 0:
                raise _deleted(self._path, len(self.answered), unstored=0)
            try:
                there = _place(self._path.stat()) == self._place
            except OSError:
                there = False
            if not there:
                raise _moved(self._path, len(self.answered))

    def close(self) -> None:
        """Finish writing; a record that comes later is dropped, never half-written."""
        with self._lock:
            if self._open:
                self._open = False
                os.close(self._file)


def _place(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino


def _deleted(path: Path, stored: int, unstored: int) -> StorageError:
    last = f" and {unstored} that could not be stored" if unstored else ""
    return StorageError(
        f"expected {path} to stay while the run was writing, found it deleted: the {stored} answers in it"
        f"{last} are lost",
        help=f"leave {path.parent.name} alone and give the same command again: it asks them anew",
    )


def _moved(path: Path, stored: int) -> StorageError:
    return StorageError(
        f"expected {path} to stay while the run was writing, found it moved: it holds {stored} answers"
        " where it is now",
        help="put it back and give the same command again: it continues",
    )


def append_line(path: Path, value: msgspec.Struct) -> None:
    """Write one line at the end of a file, whole or not at all."""
    with path.open("ab", buffering=0) as file:
        _write_whole(file.fileno(), msgspec.json.encode(value) + b"\n")


def _write_whole(file: int, line: bytes) -> None:
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
    if not path.is_file():
        return False
    with path.open("r+b") as file:
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
