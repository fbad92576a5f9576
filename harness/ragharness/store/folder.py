"""Reading and writing one run folder."""

from __future__ import annotations

import errno
import os
from contextlib import ExitStack, contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

import msgspec

from ragharness.errors import RunNotUsable, StorageError
from ragharness.records import Question, Record
from ragharness.store.layout import FORMAT, Run, Session
from ragharness.store.lock import exclusive

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

T = TypeVar("T")
Key = tuple[str, int]
"""A question's id and its epoch: there is at most one record of each."""

_HEAD = "run.json"
_BEGINNINGS = frozenset({"questions.jsonl", "lock", "questions.jsonl.new", "run.json.new"})
"""What a start that died before its run.json may leave behind."""


class _Format(msgspec.Struct):
    format: int


class _Place(msgspec.Struct):
    question: str
    epoch: int = 0


_RECORD = msgspec.json.Decoder(Record)
_PLACE = msgspec.json.Decoder(_Place)
_SESSION = msgspec.json.Decoder(Session)
_UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError)
_BLOCK = 1 << 16


class RunFolder:
    """One run on disk; open it for reading at any time, also while another process writes."""

    def __init__(self, path: Path, run: Run) -> None:
        self.path = path
        self.run = run

    @classmethod
    def create(cls, path: Path, run: Run, questions: Iterable[Question]) -> RunFolder:
        """Make a new run in an empty or missing folder; raises RunNotUsable or StorageError."""
        with _disk(path):
            if path.is_file():
                raise RunNotUsable(
                    f"expected a folder at {path}, found a file", help="name another folder with --out FOLDER"
                )
            path.mkdir(parents=True, exist_ok=True)
            foreign = sorted({entry.name for entry in path.iterdir()} - _BEGINNINGS)
        if foreign:
            raise RunNotUsable(
                f"expected an empty folder or a run at {path}, found {foreign[0]} and no run.json",
                help="name another folder with --out",
            )
        folder = cls(path, run)
        lines = b"".join(msgspec.json.encode(question) + b"\n" for question in questions)
        folder.write("questions.jsonl", lines)
        return folder.with_run(run)

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """Read a run's ``run.json``; raises RunNotUsable for none, a damaged one, or another version's."""
        if not (path / _HEAD).is_file():
            raise RunNotUsable(f"expected a run folder at {path}, found no run.json", help="ragharness run")
        with _disk(path, "read"):
            content = (path / _HEAD).read_bytes()
        try:
            version = msgspec.json.decode(content, type=_Format).format
            if version != FORMAT:
                raise RunNotUsable(
                    f"expected a run folder of format {FORMAT}, found format {version} in {path}",
                    help="use the version of ragharness that its run.json names, or run again",
                )
            return cls(path, msgspec.json.decode(content, type=Run))
        except msgspec.MsgspecError as error:
            raise RunNotUsable(f"expected a readable {path / _HEAD}, found: {error}") from error

    @property
    def name(self) -> str:
        """The folder's own name."""
        return self.path.resolve().name

    def questions(self) -> tuple[Question, ...]:
        """Return the questions in their order."""
        return tuple(self._lines("questions.jsonl", msgspec.json.Decoder(Question)))

    def sessions(self) -> tuple[Session, ...]:
        """Return every start and continuation, the first one first."""
        return tuple(self._lines("sessions.jsonl", msgspec.json.Decoder(Session)))

    def records(self) -> Iterator[Record]:
        """Yield the records in the order of their writing, one at a time, each question and epoch once."""
        seen: set[Key] = set()
        for record in self._lines("records.jsonl", _RECORD):
            key = record.question, record.epoch
            if key not in seen:
                seen.add(key)
                yield record

    def answered(self) -> set[Key]:
        """Return which questions have a record, without reading the records themselves."""
        return {(place.question, place.epoch) for place in self._lines("records.jsonl", _PLACE)}

    @property
    def finished(self) -> bool:
        """Whether every question has a record."""
        return len(self.answered()) >= self.run.settings.questions

    @contextmanager
    def writing(self, session: Session) -> Iterator[Journal]:
        """Hold the folder and append to it; raises StorageError when it is in use or cannot be written."""
        with ExitStack() as held:
            with _disk(self.path):
                held.enter_context(exclusive(self.path / "lock"))
                recovered = _mend(self.path / "records.jsonl", _RECORD)
                journal = Journal(self.path / "records.jsonl", self.answered(), recovered)
                held.callback(journal.close)
                _mend(self.path / "sessions.jsonl", _SESSION)
                _append(
                    self.path / "sessions.jsonl",
                    msgspec.structs.replace(session, answered=len(journal.answered)),
                )
            yield journal

    @contextmanager
    def rewriting(self) -> Iterator[None]:
        """Hold the folder while its records are replaced as a whole."""
        with ExitStack() as held:
            with _disk(self.path):
                held.enter_context(exclusive(self.path / "lock"))
                _mend(self.path / "records.jsonl", _RECORD)
            yield

    def replace_records(self, records: Iterable[Record]) -> None:
        """Put other records in the place of all, in one step; hold the folder with ``rewriting``."""
        fresh = self.path / "records.jsonl.new"
        with _disk(self.path):
            with fresh.open("wb") as file:
                file.writelines(msgspec.json.encode(record) + b"\n" for record in records)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(self.path / "records.jsonl")

    def with_run(self, run: Run) -> RunFolder:
        """Put another ``run.json`` in the place of this one; hold the folder with ``rewriting``."""
        self.write(_HEAD, msgspec.json.format(msgspec.json.encode(run)) + b"\n")
        return RunFolder(self.path, run)

    def write(self, name: str, content: bytes) -> None:
        """Write a file of the folder so that it is there whole or not at all; raises StorageError."""
        fresh = self.path / f"{name}.new"
        with _disk(self.path):
            try:
                fresh.write_bytes(content)
                fresh.replace(self.path / name)
            except OSError:
                fresh.unlink(missing_ok=True)
                raise

    def _lines(self, name: str, decoder: msgspec.json.Decoder[T]) -> Iterator[T]:
        path = self.path / name
        if not path.is_file():
            return
        with _disk(path, "read"), path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                try:
                    value = decoder.decode(line)
                except _UNREADABLE as error:
                    if not line.endswith(b"\n"):
                        # The line that is being written, or that its writer did not survive.
                        return
                    raise RunNotUsable(
                        f"expected line {number} of {path} to be readable, found: {error}",
                        help="remove that line; the command that made the run then asks that question again",
                    ) from error
                yield value


class Journal:
    """The records of a run while it is written: append only, one whole line at a time, each key once."""

    def __init__(self, path: Path, answered: set[Key], recovered: bool) -> None:
        self.answered = answered
        self.recovered = recovered
        """Whether a torn last line was cut off."""
        self._path = path
        self._lock = Lock()
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o644)
        self._open = True

    def append(self, record: Record) -> bool:
        """Write one record; returns False when its key is on disk already or the journal is closed.

        Raises StorageError when the disk refuses; what was written before stays whole.
        """
        line = msgspec.json.encode(record) + b"\n"
        key = record.question, record.epoch
        with self._lock:
            if not self._open or key in self.answered:
                return False
            with _disk(self._path):
                _write_whole(self._file, line)
            self.answered.add(key)
            return True

    def close(self) -> None:
        """Finish writing; a record that comes later is dropped, never half-written."""
        with self._lock:
            if self._open:
                self._open = False
                os.close(self._file)


def _append(path: Path, value: msgspec.Struct) -> None:
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


def _mend(path: Path, decoder: msgspec.json.Decoder[Any]) -> bool:
    """Make the file end with a whole line; returns whether a torn one was cut off."""
    if not path.is_file():
        return False
    with path.open("r+b") as file:
        tail = _unfinished_line(file)
        if not tail:
            return False
        try:
            decoder.decode(tail)
        except _UNREADABLE:
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


@contextmanager
def _disk(path: Path, purpose: str = "write in") -> Iterator[None]:
    """Turn what the operating system says about a folder into a sentence."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        advice = _ADVICE.get(error.errno or 0, "name another folder with --out FOLDER")
        raise StorageError(f"expected to {purpose} {path}, found: {reason}", help=advice) from error


_MAKE_ROOM = "make room, then give the same command again: it continues"
_GO_ELSEWHERE = "name a folder that may be written with --out FOLDER"
_ADVICE = {
    errno.ENOSPC: _MAKE_ROOM,
    errno.EDQUOT: _MAKE_ROOM,
    errno.EFBIG: _MAKE_ROOM,
    errno.EACCES: _GO_ELSEWHERE,
    errno.EROFS: _GO_ELSEWHERE,
    errno.EPERM: _GO_ELSEWHERE,
}
