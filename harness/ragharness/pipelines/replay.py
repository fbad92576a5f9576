"""A pipeline that answers from a file: a run's records, or answers that were made elsewhere.

``replay:`` takes a run folder, its ``records.jsonl``, or a JSON list or JSON lines of objects with ``id`` or
``question`` (which question), and a text; every other key of an answer is read too. If the file says what any
of its answers had before it (``retrieved`` ids of a run, or ``passages``), all are graded with what they had,
else with what the harness retrieves now. A failure that was recorded fails again; a question without an
answer raises UnusableReply.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from ragharness.errors import UnusableReply, UsageError
from ragharness.pipelines import BuiltPipeline, Context
from ragharness.records import Answer, Failure, Passage, Question, Record

Entry = dict[str, Any]

_HELP = (
    "name a run folder, or a file with a JSON list, or one object a line,"
    ' like {"id": "q001", "text": "Yes. [doc#1]"}'
)


def build(context: Context, argument: str) -> BuiltPipeline:
    """Return the pipeline that looks its answers up in ``argument``; raises UsageError."""
    if not argument:
        raise UsageError("a pipeline of recorded answers needs a file: replay:records.jsonl", help=_HELP)
    path = Path(argument)
    path = path / "records.jsonl" if path.is_dir() else path
    content = _content(path)
    epoch = context.options.whole("epoch", 0)
    answers = Recorded(path, context)
    for number, entry in enumerate(_entries(path, content), start=1):
        if entry.get("epoch", 0) == epoch:
            answers.add(entry, number)
    takes = _recorded_takes(path, context) if answers.know_passages else ""
    return BuiltPipeline(
        answers.with_its_own if answers.know_passages else answers.to,
        settings={"epoch": epoch, **({"recorded_takes": takes} if takes else {})},
        source=content,
    )


class Recorded:
    """Recorded answers by the text of their question."""

    def __init__(self, path: Path, context: Context) -> None:
        self.entries: dict[str, Entry | Answer | Failure | None] = {}
        """What came of a question: what to return, or how it failed."""
        self._path = path
        self._texts = {question.id: question.text for question in context.questions.questions}
        # Another set may give the same id to another question: a run's folder says what it asked.
        self._texts |= _asked(path.with_name("questions.jsonl")) if path.name == "records.jsonl" else {}
        self._places: dict[str, int] = {}

    def add(self, entry: Entry, number: int) -> None:
        """Add an entry of the file; raises UsageError for a second answer to a question."""
        name = str(entry.get("id", entry.get("question", "")))
        came: Entry | Answer | Failure | None
        if is_record(entry):
            question, came = self._texts.get(name, ""), came_of(_record(entry, self._path, number))
        else:
            question, came = str(entry.get("question") or self._texts.get(name, "")), entry
        known = self.entries.get(question)
        if not question or (is_answer(known) and (came == known or not is_answer(came))):
            return
        if is_answer(known):
            raise UsageError(
                f"expected one answer to a question in {self._path}, found two to {name!r}: entries"
                f" {self._places[question]} and {number}",
                help='give each its "epoch", and choose one with --pipeline-option epoch=N',
            )
        self.entries[question] = came
        self._places[question] = number

    @property
    def know_passages(self) -> bool:
        """Whether the file says of any answer what its pipeline had before it."""
        return any(
            entry.passages is not None if isinstance(entry, Answer) else "passages" in entry
            for entry in self.entries.values()
            if isinstance(entry, (Answer, dict))
        )

    def to(self, question: str, passages: Sequence[Passage]) -> Entry | Answer | None:  # noqa: ARG002
        """Return the recorded answer, to be graded with what is retrieved now."""
        return self.with_its_own(question)

    def with_its_own(self, question: str) -> Entry | Answer | None:
        """Return the recorded answer with the passages that it had; raises UnusableReply for none."""
        if question not in self.entries:
            raise UnusableReply(f'{self._path} holds no answer to "{question}"')
        entry = self.entries[question]
        if isinstance(entry, Failure):
            raise UnusableReply(f"recorded as failed, {entry.type}: {entry.message}")
        return entry


class _Settings(msgspec.Struct):
    corpus_hash: str
    pipeline_settings: dict[str, Any] = {}


class _Run(msgspec.Struct):
    """What ``run.json`` says that matters here."""

    takes: str
    settings: _Settings


def _recorded_takes(path: Path, context: Context) -> str:
    """Return how the pipeline of a recorded run of these questions, all or some, got its passages; or "".

    Where it was the harness that retrieved, what it withheld and emptied then holds for the replay too.
    """
    try:
        run = msgspec.json.decode(path.with_name("run.json").read_bytes(), type=_Run)
        lines = path.with_name("questions.jsonl").read_bytes().splitlines()
        asked = [msgspec.json.decode(line, type=Question) for line in lines]
    except (OSError, msgspec.MsgspecError):
        return ""
    settings, ours = run.settings, {question.id: question for question in context.questions.questions}
    same = settings.corpus_hash == context.corpus.hash and all(ours.get(each.id) == each for each in asked)
    return str(settings.pipeline_settings.get("recorded_takes", run.takes)) if same else ""


def is_record(entry: Entry) -> bool:
    """Whether an entry is a record of a run rather than an answer."""
    return {"question", "row", "wanted", "status"} <= entry.keys()


def is_answer(came: Entry | Answer | Failure | None) -> bool:
    """Whether what came of a question is something to grade."""
    return came is not None and not isinstance(came, Failure)


def came_of(record: Record) -> Answer | Failure | None:
    """Return the answer of a run's record with the passages that its pipeline had, or its failure, or None.

    Passages are named by id: the harness knows its own by theirs, and those that the pipeline brought are
    recorded with their texts.
    """
    if record.answer is None:
        return record.failure
    brought = {passage.id: passage for passage in record.answer.passages or ()}
    had = [brought.get(hit.id) or Passage(hit.id, "", "", 0, 0, "") for hit in record.retrieved]
    usage = record.answer.usage and msgspec.structs.replace(record.answer.usage, from_cache=True)
    return msgspec.structs.replace(record.answer, passages=tuple(had), usage=usage)


def _record(entry: Entry, path: Path, number: int) -> Record:
    try:
        return msgspec.convert(entry, Record)
    except msgspec.ValidationError as error:
        raise UsageError(
            f"expected entry {number} of {path} to be a record of a run, found: {error}", help=_HELP
        ) from error


def _asked(path: Path) -> dict[str, str]:
    if not path.is_file():
        return {}
    return {str(each.get("id")): str(each.get("text")) for each in _entries(path, _content(path))}


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        reason = error.strerror
        raise UsageError(f"expected a file of answers at {path}, found: {reason}", help=_HELP) from error


def _entries(path: Path, content: bytes) -> list[Entry]:
    try:
        entries = msgspec.convert(_decoded(content), list[Entry])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(
            f"expected answers as JSON objects in {path}, found otherwise: {error}", help=_HELP
        ) from error
    if not entries:
        raise UsageError(f"expected answers as JSON objects in {path}, found none", help=_HELP)
    return entries


def _decoded(content: bytes) -> Any:
    if content.lstrip()[:1] == b"[":
        return msgspec.json.decode(content)
    return [msgspec.json.decode(line) for line in content.splitlines() if line.strip()]
