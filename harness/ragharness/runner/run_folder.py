"""One run folder: what describes a run, and ``RunFolder``, which reads and writes it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import IO, Annotated, NamedTuple, TypeVar

import msgspec
from msgspec import Meta, Struct, to_builtins

from ragharness.corpus.download.remote import send_back
from ragharness.errors import RunNotUsable
from ragharness.records import MOST_EPOCHS, ROWS, Citations, Question, Record
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
from ragharness.support.files import atomic_file, exclusive_lock, make_private_folder, to_json
from ragharness.support.messages import redact_bytes

T = TypeVar("T")
FORMAT = 1  # the version of the folder's layout; a folder of another one is refused


class Settings(Struct, frozen=True, kw_only=True):
    """What makes two runs the same: a run is continued only under equal settings.

    How it is asked (concurrency, timeout, retries, limits, isolation) is not among them.
    """

    corpus: str
    split: str
    corpus_hash: str
    question_set: str  # the hash of the question set
    questions: int
    retriever: str
    retriever_settings: dict[str, str | int | float]
    k: int
    passage_words: int
    pipeline: str  # as it was given: ``pkg.mod:attr``, a file, or the name of a reference generator
    pipeline_fingerprint: str
    pipeline_settings: dict[str, str | int | float] = {}
    grader: str  # name and version
    citations: Citations = "auto"  # what must support an answer
    epochs: Annotated[int, Meta(ge=1, le=MOST_EPOCHS)] = 1  # how often each question is asked

    @property
    def records(self) -> int:
        """How many records a finished run has."""
        return self.questions * self.epochs


class Run(Struct, frozen=True, kw_only=True):
    """``run.json``: written before the first question is asked, anew only when all is graded again."""

    format: int
    ragharness: str
    python: str
    platform: str
    created: str
    command: tuple[str, ...]
    settings: Settings
    pipeline_name: str
    takes: str  # how the pipeline gets passages: ``passages``, ``retrieve`` or ``own``
    tags: tuple[str, ...] = ()  # what the user calls it, for finding it again
    notes: tuple[str, ...] = ()  # what the reader of a report must know about the question set
    shortfall: str = ""  # why its question set can carry no result, and what to do; empty: it can
    source: str = ""  # where the corpus was read from (``--from``); empty: from where it always is
    uncited: bool = False  # whether no answer cites, so that all are measured by what was retrieved

    @property
    def citations(self) -> Citations:
        """What must support its answers."""
        return "retrieved" if self.uncited else self.settings.citations


class Session(Struct, frozen=True, kw_only=True):
    """One line of ``sessions.jsonl``: a start or a continuation."""

    started: str
    command: tuple[str, ...]
    concurrency: int
    timeout: float
    answered: int  # records that were on disk before and stand
    asked_again: int = 0  # failed records among those on disk before whose questions were asked again


class Call(NamedTuple):
    """When the pipeline was called, and how long that took in seconds."""

    started: str
    seconds: float


def moment(written: str) -> datetime | None:
    """Time that stands in a run folder; None where somebody wrote another thing there."""
    try:
        time = datetime.fromisoformat(written)
        return (time if time.tzinfo else time.replace(tzinfo=timezone.utc)).astimezone(timezone.utc)
    except (ValueError, OverflowError):
        return None


def differences(ours: Settings, theirs: Settings) -> list[str]:
    """One phrase for each setting that differs: its name, ours, theirs."""
    values, their_values = to_builtins(ours), to_builtins(theirs)
    return [
        f"{name.replace('_', ' ')} {_short(value)} instead of {_short(their_values[name])}"
        for name, value in values.items()
        if value != their_values[name]
    ]


def _short(value: object) -> str:
    text = str(value)
    return text[:8] if re.fullmatch("[0-9a-f]{32,}", text) else text or "(none)"


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
_DAMAGED = {  # what to do about a file that somebody changed
    "records.jsonl": "remove that line; the command that made the run then asks that question again",
    "answers.jsonl": "remove that line; its question is then asked again",
    "sessions.jsonl": "remove that line; it says only when the run was started",
    "questions.jsonl": "this run cannot be read without its questions: run again into another folder",
}


class RunFolder:
    """One run on disk; open it for reading at any time, also while another process writes."""

    def __init__(self, path: Path, run: Run) -> None:
        self.path = path  # as it was named, for people
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
                message = f"expected a folder at {path}, found a file"
                raise RunNotUsable(message, help="name another folder with --out FOLDER")
            make_private_folder(path)
            foreign = sorted({entry.name for entry in path.iterdir()} - _BEGINNINGS)
        if foreign and not (path / _HEAD).is_file():
            message = f"expected an empty folder or a run at {path}, found {foreign[0]} and no run.json"
            raise RunNotUsable(message, help="name another folder with --out")
        with ExitStack() as held:
            with disk(path):
                held.enter_context(exclusive_lock(path.absolute() / "lock", _WAIT))
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
            message = f"expected a readable {path / _HEAD}, found: {error}"
            raise RunNotUsable(message, help="run again into another folder") from error

    @property
    def name(self) -> str:
        """The folder's own name."""
        return self._place.resolve().name

    def questions(self) -> tuple[Question, ...]:
        """Questions in their order; raises RunNotUsable when they are not those of the run."""
        return tuple(self.checked_questions())

    def checked_questions(self) -> Iterator[Question]:
        """Yield the questions in their order, one at a time; raises as ``questions`` does, at the end."""
        strange, ids = "", Counter[str]()
        for question in self.each_question():
            if question.row not in ROWS:
                strange = strange or f"one of the row {question.row}"
            ids[question.id] += 1
            yield question
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
        """Every start and continuation, the first one first."""
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
        last: dict[Key, int] = {}
        lines = 0
        for lines, place in enumerate(self._lines("records.jsonl", _PLACE), start=1):
            last[place.question, place.epoch] = lines - 1
        return set(range(lines)).difference(last.values()) if len(last) < lines else set()

    def history(self) -> Iterator[Record]:
        """Yield every record that was ever written, those too whose questions were asked again."""
        return self._lines("records.jsonl", _RECORD)

    def kept(self) -> set[Key]:
        """Which questions have an answer on disk, graded or not."""
        return self.answered() | self._waiting().keys()

    def answered(self) -> set[Key]:
        """Which questions have a record, without reading the records themselves."""
        return {(place.question, place.epoch) for place in self._lines("records.jsonl", _PLACE)}

    def failed(self) -> set[Key]:
        """Which questions have a record without an answer: an error of the pipeline or a time-out."""
        standing = {place.key: place.failed for place in self._lines("records.jsonl", _PLACE)}
        return {key for key, failed in standing.items() if failed}

    def waiting(self) -> Iterator[Record]:
        """Yield the answers on disk that are not graded yet, one at a time."""
        lines = set(self._waiting().values())
        answers = enumerate(self._lines("answers.jsonl", _RECORD)) if lines else ()
        return (record for number, record in answers if number in lines)

    def _waiting(self) -> dict[Key, int]:
        """Line of each answer that is not graded yet."""
        answers = enumerate(self._lines("answers.jsonl", _PLACE))
        waiting = {answer.key: (number, answer.started) for number, answer in answers}
        # Only a failure is asked again: whatever else has a record was graded.
        for record in self._lines("records.jsonl", _PLACE) if waiting else ():
            if record.key in waiting and (not record.failed or record.started == waiting[record.key][1]):
                del waiting[record.key]
        return {key: number for key, (number, _) in waiting.items()}

    @property
    def finished(self) -> bool:
        """Whether every question has a record, and no answer waits to become one."""
        records = self.run.settings.records
        if count_lines(self._place / "records.jsonl") < records:
            return False
        return len(self.answered()) >= records and not self._waiting()

    @contextmanager
    def writing(self, session: Session, *, again: bool = False) -> Iterator[Journals]:
        """Hold the folder and append to it; ``again``: failed records are no answers. Raises StorageError."""
        with ExitStack() as held:
            with disk(self.path):
                held.enter_context(exclusive_lock(self._place / "lock", _WAIT))
                held.callback(send_back, self._place)
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
                session = msgspec.structs.replace(session, answered=len(graded), asked_again=len(failed))
                append_line(self._place / "sessions.jsonl", session)
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
                held.enter_context(exclusive_lock(self._place / "lock", _WAIT))
                mend(self._place / "records.jsonl", _RECORD)
                mend(self._place / "answers.jsonl", _RECORD)
            yield
            if not self._waiting():
                self._remove_answers()
            send_back(self._place)

    def replace_records(self, records: Iterable[Record]) -> None:
        """Put other records in the place of all, in one step; hold the folder with ``rewriting``."""
        with disk(self.path), self._fresh("records.jsonl", durable=True) as file:
            file.writelines(line_of(record) for record in records)

    def with_run(self, run: Run) -> RunFolder:
        """Put another ``run.json`` in the place of this one; hold the folder with ``rewriting``."""
        written = to_json(run)
        self.write(_HEAD, msgspec.json.format(written) + b"\n")
        self.run = msgspec.json.decode(written, type=Run)
        return self

    def write(self, name: str, content: bytes) -> None:
        """Write a file of the folder so that it is there whole or not at all; raises StorageError."""
        with disk(self.path), self._fresh(name) as file:
            file.write(redact_bytes(content))
        send_back(self._place)

    def _fresh(self, name: str, *, durable: bool = False) -> AbstractContextManager[IO[bytes]]:
        # Who writes holds the folder, so that what a killed one left is overwritten.
        return atomic_file(self._place / name, name=f"{name}.new", durable=durable)

    def _lines(self, name: str, decoder: msgspec.json.Decoder[T]) -> Iterator[T]:
        return read_lines(self._place / name, decoder, _DAMAGED[name])
