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
Outcome = Entry | Answer | Failure | None
_HELP = """name a run folder, or a file with a JSON list, or one object a line, like \
{"id": "q001", "text": "Yes. [doc#1]"}"""


def build(context: Context, argument: str) -> BuiltPipeline:
    """The pipeline that looks its answers up in ``argument``; raises UsageError."""
    if not argument:
        raise UsageError("a pipeline of recorded answers needs a file: replay:records.jsonl", help=_HELP)
    path = Path(argument)
    path = path / "records.jsonl" if path.is_dir() else path
    content = _content(path)
    entries = _entries(path, content)
    if not entries:
        raise UsageError(f"{path} holds no answers", help=_HELP)
    epoch = context.options.whole("epoch", 0)
    answers = Recorded(path, context)
    for number, entry in enumerate(entries, start=1):
        if entry.get("epoch", 0) == epoch:
            answers.add(entry, number)
    takes = _recorded_takes(path, context) if answers.know_passages else ""
    return BuiltPipeline(
        answers.with_recorded_passages if answers.know_passages else answers.with_present_passages,
        settings={"epoch": epoch, **({"recorded_takes": takes} if takes else {})},
        source=content,
    )


class Recorded:
    """Recorded answers by the text of their question."""

    def __init__(self, path: Path, context: Context) -> None:
        self.outcomes: dict[str, Outcome] = {}  # answers and failures by the text of the question
        self._path = path
        self._texts = {question.id: question.text for question in context.questions.questions}
        # Another set may give the same id to another question: a run's folder says what it asked.
        if path.name == "records.jsonl" and (questions_path := path.with_name("questions.jsonl")).is_file():
            questions = _entries(questions_path, _content(questions_path))
            self._texts |= {str(question.get("id")): str(question.get("text")) for question in questions}
        self._numbers: dict[str, int] = {}

    def add(self, entry: Entry, number: int) -> None:
        """Add an entry of the file; raises UsageError for a second answer to a question."""
        name = str(entry.get("id", entry.get("question", "")))
        question = self._texts.get(name, "")
        outcome: Outcome = entry
        if {"question", "row", "wanted", "status"} <= entry.keys():
            try:
                outcome = _recorded_outcome(msgspec.convert(entry, Record))
            except msgspec.ValidationError as error:
                problem = f"entry {number} of {self._path} is no record of a run: {error}"
                raise UsageError(problem, help=_HELP) from error
        else:
            question = str(entry.get("question") or question)
        earlier = self.outcomes.get(question)
        if not question or (_is_answer(earlier) and (outcome == earlier or not _is_answer(outcome))):
            return
        if _is_answer(earlier):
            raise UsageError(
                f"{self._path} answers {name!r} twice: entries {self._numbers[question]} and {number}",
                help='give each its "epoch", and choose one with --pipeline-option epoch=N',
            )
        self.outcomes[question] = outcome
        self._numbers[question] = number

    @property
    def know_passages(self) -> bool:
        """Whether the file says of any answer which passages its pipeline had."""
        return any(
            outcome.passages is not None if isinstance(outcome, Answer) else "passages" in outcome
            for outcome in self.outcomes.values()
            if isinstance(outcome, (Answer, dict))
        )

    def with_present_passages(self, question: str, passages: Sequence[Passage]) -> Entry | Answer | None:  # noqa: ARG002
        """The recorded answer, to be graded with what is retrieved now."""
        return self.with_recorded_passages(question)

    def with_recorded_passages(self, question: str) -> Entry | Answer | None:
        """The recorded answer with the passages that it had; raises UnusableReply for none."""
        if question not in self.outcomes:
            raise UnusableReply(f'{self._path} holds no answer to "{question}"')
        outcome = self.outcomes[question]
        if isinstance(outcome, Failure):
            raise UnusableReply(f"recorded as failed, {outcome.type}: {outcome.message}")
        return outcome


def _recorded_takes(path: Path, context: Context) -> str:
    """How the pipeline of a recorded run of these questions, all or some, got its passages; or "".

    Where it was the harness that retrieved, what it withheld and emptied then holds for the replay too.
    """
    try:
        run = msgspec.json.decode(path.with_name("run.json").read_bytes())
        lines = path.with_name("questions.jsonl").read_bytes().splitlines()
        recorded = [msgspec.json.decode(line, type=Question) for line in lines]
        settings, takes = run["settings"], run["takes"]
        takes = settings.get("pipeline_settings", {}).get("recorded_takes", takes)
        corpus_hash = settings["corpus_hash"]
    except (OSError, msgspec.MsgspecError, LookupError, TypeError, AttributeError):
        return ""
    present = {question.id: question for question in context.questions.questions}
    same = all(present.get(question.id) == question for question in recorded)
    return str(takes) if same and corpus_hash == context.corpus.hash else ""


def _is_answer(outcome: Outcome) -> bool:
    return outcome is not None and not isinstance(outcome, Failure)


def _recorded_outcome(record: Record) -> Answer | Failure | None:
    """The answer of a run's record with the passages that its pipeline had, or its failure, or None."""
    if record.answer is None:
        return record.failure
    # The harness knows its own passages by their ids; those that the pipeline brought are recorded whole.
    brought = {passage.id: passage for passage in record.answer.passages or ()}
    passages = tuple(brought.get(hit.id) or Passage(hit.id, "", "", 0, 0, "") for hit in record.retrieved)
    usage = record.answer.usage and msgspec.structs.replace(record.answer.usage, from_cache=True)
    return msgspec.structs.replace(record.answer, passages=passages, usage=usage)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read answers from {path}: {error.strerror}", help=_HELP) from error


def _entries(path: Path, content: bytes) -> list[Entry]:
    try:
        if content.lstrip()[:1] == b"[":
            return msgspec.json.decode(content, type=list[Entry])
        return [msgspec.json.decode(line, type=Entry) for line in content.splitlines() if line.strip()]
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{path} holds no answers as JSON objects: {error}", help=_HELP) from error
