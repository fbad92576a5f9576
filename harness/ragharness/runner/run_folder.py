"""``RunFolder``: reads and writes one run folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, TypeVar

import msgspec

from ragharness.corpus.download.remote import send
from ragharness.errors import RunNotUsable
from ragharness.records import ROWS, Question, Record
from ragharness.runner.journal import (
    UNREADABLE,
    Journal,
    Journals,
    Key,
    append_line,
    count_lines,
    disk,
    line_of,
    mend,
    read_lines,
)
from ragharness.runner.run_schema import FORMAT, Call, Run, Session
from ragharness.support.files import exclusive, json_of, new_file, private_folder
from ragharness.support.messages import scrubbed

T = TypeVar("T")
_HEAD = "run.json"
_WAIT = "wait for it, or start a separate run with --fresh or --out FOLDER"
_BEGINNINGS = frozenset({"questions.jsonl", "lock", "questions.jsonl.new", "run.json.new"})
"""What a start that died before its run.json may leave behind."""


class _Format(msgspec.Struct):
    format: int


class _Place(msgspec.Struct):
    question: str
    epoch: int = 0
    status: str = ""
    started: str = ""
    seconds: float = 0.0
    answer: msgspec.Raw = msgspec.Raw()

    @property
    def key(self) -> Key:
        return self.question, self.epoch

    @property
    def failed(self) -> bool:
        # With an answer it was the grader that failed: grading again mends that without asking.
        return self.status in {"error", "timeout"} and not bytes(self.answer)


_RECORD = msgspec.json.Decoder(Record)
_PLACE = msgspec.json.Decoder(_Place)
_SESSION = msgspec.json.Decoder(Session)
_DAMAGED = {
    "records.jsonl": "remove that line; the command that made the run then asks that question again",
    "answers.jsonl": "remove that line; its question is then asked again",
    "sessions.jsonl": "remove that line; it says only when the run was started",
    "questions.jsonl": "this run cannot be read without its questions: run again into another folder",
}
"""What to do about a file that somebody changed."""


class RunFolder:
    """One run on disk; open it for reading at any time, also while another process writes."""

    def __init__(self, path: Path, run: Run) -> None:
        self.path = path
        """As it was named, for people."""
        self.run = run
        # A pipeline may change the folder that it works in.
        self._place = path.absolute()

    @classmethod
    def create(cls, path: Path, run: Run, questions: Iterable[Question]) -> RunFolder:
        """Make a new run in an empty or missing folder, or open the one that was made there meanwhile.

        Raises RunNotUsable, and StorageError for a folder that is in use or cannot be written.
        """
        with disk(path):
            if path.is_file():
                raise RunNotUsable(
                    f"expected a folder at {path}, found a file", help="name another folder with --out FOLDER"
                )
            private_folder(path)
            foreign = sorted({entry.name for entry in path.iterdir()} - _BEGINNINGS)
        if foreign and not (path / _HEAD).is_file():
            raise RunNotUsable(
                f"expected an empty folder or a run at {path}, found {foreign[0]} and no run.json",
                help="name another folder with --out",
            )
        with ExitStack() as held:
            with disk(path):
                held.enter_context(exclusive(path.absolute() / "lock", _WAIT))
            if (path / _HEAD).is_file():
                return cls.open(path)
            folder = cls(path, run)
            lines = b"".join(msgspec.json.encode(question) + b"\n" for question in questions)
            folder.write("questions.jsonl", lines)
            return folder.with_run(run)

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """Read a run's ``run.json``; raises RunNotUsable for none, a damaged one, or another version's."""
        if not (path / _HEAD).is_file():
            raise RunNotUsable(f"expected a run folder at {path}, found no run.json", help="ragharness run")
        with disk(path, "read"):
            content = (path / _HEAD).read_bytes()
        try:
            version = msgspec.json.decode(content, type=_Format).format
            if version != FORMAT:
                raise RunNotUsable(
                    f"expected a run folder of format {FORMAT}, found format {version} in {path}",
                    help="use the version of ragharness named in its run.json, or run again",
                )
            return cls(path, msgspec.json.decode(content, type=Run))
        except UNREADABLE as error:
            raise RunNotUsable(
                f"expected a readable {path / _HEAD}, found: {error}", help="run again into another folder"
            ) from error

    @property
    def name(self) -> str:
        """The folder's own name."""
        return self._place.resolve().name

    def questions(self) -> tuple[Question, ...]:
        """Return the questions in their order; raises RunNotUsable when they are not those of the run."""
        return tuple(self.checked_questions())

    def checked_questions(self) -> Iterator[Question]:
        """Yield the questions in their order, one at a time; raises as ``questions`` does, at the end."""
        strange, ids = "", Counter[str]()
        for each in self.each_question():
            if each.row not in ROWS:
                strange = strange or f"one of the row {each.row}"
            ids[each.id] += 1
            yield each
        double = next((f"{name} {times} times" for name, times in ids.items() if times > 1), "")
        if strange or double or len(ids) != self.run.settings.questions:
            raise RunNotUsable(
                f"expected {self.run.settings.questions} questions in {self.path / 'questions.jsonl'},"
                f" found {strange or double or len(ids)}",
                help=_DAMAGED["questions.jsonl"],
            )

    def each_question(self) -> Iterator[Question]:
        """Yield the questions in their order, one at a time and unchecked."""
        return self._lines("questions.jsonl", msgspec.json.Decoder(Question))

    def sessions(self) -> tuple[Session, ...]:
        """Return every start and continuation, the first one first."""
        return tuple(self._lines("sessions.jsonl", msgspec.json.Decoder(Session)))

    def records(self, superseded: list[Call] | None = None) -> Iterator[Record]:
        """Yield the records in the order of their writing, one at a time, each question and epoch once.

        Of several records of one question and epoch the last one stands: it was asked again after a failure.
        ``superseded`` is a list that gets when the calls of the others were.
        """
        lines = self._superseded()
        for number, record in enumerate(self.history()):
            if number not in lines:
                yield record
            elif superseded is not None:
                superseded.append(Call(record.started, record.seconds))

    def _superseded(self) -> set[int]:
        """Return the lines of the records that were replaced by later ones."""
        last: dict[Key, int] = {}
        lines = 0
        for lines, place in enumerate(self._lines("records.jsonl", _PLACE), start=1):
            last[place.question, place.epoch] = lines - 1
        return set(range(lines)).difference(last.values()) if len(last) < lines else set()

    def history(self) -> Iterator[Record]:
        """Yield every record that was ever written, those too whose questions were asked again."""
        return self._lines("records.jsonl", _RECORD)

    def kept(self) -> set[Key]:
        """Return which questions have an answer on disk, graded or not."""
        return self.answered() | self._waiting().keys()

    def answered(self) -> set[Key]:
        """Return which questions have a record, without reading the records themselves."""
        return {(place.question, place.epoch) for place in self._lines("records.jsonl", _PLACE)}

    def failed(self) -> set[Key]:
        """Return which questions have a record without an answer: an error of the pipeline or a time-out."""
        standing = {place.key: place.failed for place in self._lines("records.jsonl", _PLACE)}
        return {key for key, failed in standing.items() if failed}

    def waiting(self) -> Iterator[Record]:
        """Yield the answers on disk that are not graded yet, one at a time."""
        lines = set(self._waiting().values())
        found = enumerate(self._lines("answers.jsonl", _RECORD)) if lines else ()
        return (record for number, record in found if number in lines)

    def _waiting(self) -> dict[Key, int]:
        """Return the line of each answer that is not graded yet."""
        found = {
            place.key: (number, place.started)
            for number, place in enumerate(self._lines("answers.jsonl", _PLACE))
        }
        # Only a failure is asked again: whatever else has a record was graded.
        for place in self._lines("records.jsonl", _PLACE) if found else ():
            if place.key in found and (not place.failed or place.started == found[place.key][1]):
                del found[place.key]
        return {key: number for key, (number, _) in found.items()}

    @property
    def finished(self) -> bool:
        """Whether every question has a record, and no answer waits to become one."""
        wanted = self.run.settings.records
        if count_lines(self._place / "records.jsonl") < wanted:
            return False
        return len(self.answered()) >= wanted and not self._waiting()

    @contextmanager
    def writing(self, session: Session, *, again: bool = False) -> Iterator[Journals]:
        """Hold the folder and append to it; ``again``: failed records do not count as answers.

        Raises StorageError when it is in use or cannot be written.
        """
        with ExitStack() as held:
            with disk(self.path):
                held.enter_context(exclusive(self._place / "lock", _WAIT))
                held.callback(send, self._place)
                recovered = mend(self._place / "records.jsonl", _RECORD)
                failed = self.failed() if again else set()
                mend(self._place / "answers.jsonl", _RECORD)
                waiting = self._waiting().keys()
                graded = self.answered() - failed - waiting
                records = Journal(self._place / "records.jsonl", graded)
                held.callback(records.close)
                answers = Journal(self._place / "answers.jsonl", graded | waiting, held=len(waiting))
                held.callback(self._close, answers, records)
                mend(self._place / "sessions.jsonl", _SESSION)
                append_line(
                    self._place / "sessions.jsonl",
                    msgspec.structs.replace(session, answered=len(graded), asked_again=len(failed)),
                )
            yield Journals(answers, records, recovered)

    def _close(self, answers: Journal, records: Journal) -> None:
        """Finish writing answers; their file goes once all of them are graded."""
        answers.close()
        if answers.keys <= records.keys:
            self._remove_answers()

    def _remove_answers(self) -> None:
        # If the file stays it is harmless: the records are on disk.
        with suppress(OSError):
            (self._place / "answers.jsonl").unlink(missing_ok=True)

    def follow(self) -> Iterator[Record | None]:
        """Yield the answers that wait for grading and those that are still written; None: none so far."""
        path = self._place / "answers.jsonl"
        with disk(self.path, "read"):
            return self._follow(path, path.stat().st_size, self.waiting())

    def _follow(self, path: Path, size: int, waiting: Iterator[Record]) -> Iterator[Record | None]:
        yield from waiting
        with disk(self.path, "read"), path.open("rb") as file:
            file.seek(size)
            line = b""
            while True:
                line += file.readline()
                if line.endswith(b"\n"):
                    yield _RECORD.decode(line)
                    line = b""
                else:
                    yield None

    @contextmanager
    def rewriting(self) -> Iterator[None]:
        """Hold the folder while its records are replaced as a whole."""
        with ExitStack() as held:
            with disk(self.path):
                held.enter_context(exclusive(self._place / "lock", _WAIT))
                mend(self._place / "records.jsonl", _RECORD)
                mend(self._place / "answers.jsonl", _RECORD)
            yield
            if not self._waiting():
                self._remove_answers()
            send(self._place)

    def replace_records(self, records: Iterable[Record]) -> None:
        """Put other records in the place of all, in one step; hold the folder with ``rewriting``."""
        with disk(self.path), self._fresh("records.jsonl", durable=True) as file:
            file.writelines(line_of(record) for record in records)

    def with_run(self, run: Run) -> RunFolder:
        """Put another ``run.json`` in the place of this one; hold the folder with ``rewriting``."""
        written = json_of(run)
        self.write(_HEAD, msgspec.json.format(written) + b"\n")
        return RunFolder(self.path, msgspec.json.decode(written, type=Run))

    def write(self, name: str, content: bytes) -> None:
        """Write a file of the folder so that it is there whole or not at all; raises StorageError."""
        with disk(self.path), self._fresh(name) as file:
            file.write(scrubbed(content))
        send(self._place)

    def _fresh(self, name: str, *, durable: bool = False) -> AbstractContextManager[IO[bytes]]:
        # Who writes holds the folder, so that what a killed one left is overwritten.
        return new_file(self._place / name, name=f"{name}.new", durable=durable)

    def _lines(self, name: str, decoder: msgspec.json.Decoder[T]) -> Iterator[T]:
        return read_lines(self._place / name, decoder, _DAMAGED[name])
