"""``Journal``: appends records to a file of a run while it is in progress."""

from __future__ import annotations

import os
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from ragharness.errors import StorageError
from ragharness.store.disk import disk
from ragharness.store.lines import line_of, open_to_append, write_whole

if TYPE_CHECKING:
    from pathlib import Path

    from ragharness.records import Record
    from ragharness.store.lines import Key


class Journal:
    """A file of records while it is written: append only, one whole line at a time, each key once."""

    def __init__(self, path: Path, keys: set[Key], held: int | None = None) -> None:
        self.keys = keys
        """The records that are on disk, here or in the other file; one of them is not written again."""
        self._held = len(keys) if held is None else held
        # A pipeline may change the folder that it works in.
        self._path = path.absolute()
        self._lock = Lock()
        self._file = open_to_append(path)
        self._place = _place(self._path.stat())
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
            if os.fstat(self._file).st_nlink == 0:
                raise _deleted(self._path, self._held, unstored=1)
            with disk(self._path):
                write_whole(self._file, line)
            self.keys.add(key)
            self._held += 1
        return True

    def check(self) -> None:
        """Raise StorageError when the file is no longer where it was."""
        with self._lock:
            if os.fstat(self._file).st_nlink == 0:
                raise _deleted(self._path, self._held, unstored=0)
            try:
                there = _place(self._path.stat()) == self._place
            except OSError:
                there = False
            if not there:
                raise _moved(self._path, self._held)

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
    recovered: bool
    """Whether a torn last line of the records was cut off."""


def _place(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino


def _deleted(path: Path, stored: int, unstored: int) -> StorageError:
    last = f" and {unstored} that could not be stored" if unstored else ""
    return StorageError(
        f"expected {path} to stay while the run was writing, found it deleted: the {stored} {path.stem} in it"
        f"{last} are lost",
        help=f"leave {path.parent.name} alone and repeat the command: it asks again what is missing",
    )


def _moved(path: Path, stored: int) -> StorageError:
    return StorageError(
        f"expected {path} to stay while the run was writing, found it moved: it holds {stored} {path.stem}"
        " where it is now",
        help="put it back and repeat the command: it continues",
    )
