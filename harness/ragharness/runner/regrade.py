"""Grading a run again: the pipeline is not called, every answer gets the verdict of today's grader."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ragharness.records import Failure, Passage, Record
from ragharness.runner.failures import describe

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ragharness.records import Question
    from ragharness.runner.examiner import Examiner


def regrade(
    examiner: Examiner, questions: Mapping[str, Question], records: Iterable[Record]
) -> Iterator[Record]:
    """Yield each record with a fresh verdict; those without an answer to grade stay as they are."""
    for record in records:
        if record.status == "timeout" or (record.answer is None and record.failure is not None):
            yield record
        else:
            yield _again(examiner, questions[record.question], record)


def _again(examiner: Examiner, question: Question, record: Record) -> Record:
    try:
        verdict = examiner.verdict(question, record.answer, _passages(examiner, record))
    except Exception as error:  # noqa: BLE001 (one answer that the grader cannot take must not stop the rest)
        failure: Failure = describe(error, f"in the grader {examiner.grader.name} {examiner.grader.version}")
        return replace(record, status="error", verdict=None, failure=failure)
    return replace(record, status=verdict.status, verdict=verdict, failure=None)


def _passages(examiner: Examiner, record: Record) -> list[Passage]:
    own = {passage.id: passage for passage in (record.answer and record.answer.passages) or ()}
    known = examiner.passages.by_id
    return [
        known.get(hit.id) or own.get(hit.id) or Passage(hit.id, "", "", 0, 0, "") for hit in record.retrieved
    ]
