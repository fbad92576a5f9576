"""Answers not graded yet, stored before grading so that a kill loses none."""

from __future__ import annotations

import os
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING

from ragharness.store.disk import disk
from ragharness.store.lines import line_of, open_to_append, write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from ragharness.records import Record
    from ragharness.store.lines import Key


class Awaiting:
    """A file of records without verdicts; it is emptied whenever all of them have got theirs."""

    def __init__(self, path: Path, left: Iterable[Key] = ()) -> None:
        self._path = path.absolute()
        self._left = set(left)
        self._lock = Lock()
        self._file = open_to_append(path)
        self._open = True

    def keep(self, record: Record) -> None:
        """Write an answer whose verdict will come later; raises StorageError when the disk refuses."""
        line = line_of(record)
        with self._lock:
            # Threads that are stuck or given up may come after the end, when the handle is another file's.
            if self._open:
                with disk(self._path):
                    write_whole(self._file, line)
                self._left.add((record.question, record.epoch))

    def settle(self, key: Key) -> None:
        """Forget an answer whose record is on disk; raises StorageError when the disk refuses."""
        with self._lock:
            if self._open and key in self._left:
                self._left.remove(key)
                if not self._left:
                    with disk(self._path):
                        os.ftruncate(self._file, 0)

    def close(self) -> None:
        """Finish writing; the file is removed unless an answer in it still waits."""
        with self._lock:
            if not self._open:
                return
            self._open = False
            os.close(self._file)
            if not self._left:
                # What is left over is harmless: its records are on disk.
                with suppress(OSError):
                    self._path.unlink(missing_ok=True)
