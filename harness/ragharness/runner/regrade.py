"""Regrades a run: the pipeline is not called, every answer gets a new verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ragharness.runner.failures import describe
from ragharness.runner.ground import named

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ragharness.records import Record
    from ragharness.runner.ground import Ground
    from ragharness.store import RunFolder


def regrade_folder(folder: RunFolder, ground: Ground) -> tuple[RunFolder, list[tuple[Record, Record]]]:
    """Replace all verdicts of a run; returns the run and what came out otherwise, before and after.

    Records whose questions were asked again have no answer to grade and stay where they are.

    Raises StorageError when the folder is in use or cannot be written.
    """
    changed = []

    def watched() -> Iterator[Record]:
        for before, after in regrade(ground, folder.history()):
            if came_out(before) != came_out(after):
                changed.append((before, after))
            yield after

    with folder.rewriting():
        folder.replace_records(watched())
        settings = replace(folder.run.settings, grader=named(ground.grader))
        folder = folder.with_run(replace(folder.run, settings=settings))
    return folder, changed


def regrade(ground: Ground, records: Iterable[Record]) -> Iterator[tuple[Record, Record]]:
    """Yield each record with its successor; one without an answer to grade stays as it is."""
    for record in records:
        asked = record.status != "timeout" and (record.answer is not None or record.failure is None)
        yield record, _again(ground, record) if asked else record


def came_out(record: Record) -> str:
    """Return a record's bucket, or its status without one."""
    return (record.verdict and record.verdict.bucket) or record.status


def _again(ground: Ground, record: Record) -> Record:
    question = ground.questions.by_id[record.question]
    try:
        verdict = ground.verdict(question, record.answer, ground.had(record))
    except Exception as error:  # noqa: BLE001 (one answer that the grader cannot take must not stop the rest)
        failure = describe(error, f"in the grader {named(ground.grader)}")
        return replace(record, status="error", verdict=None, failure=failure)
    return replace(record, status=verdict.status, verdict=verdict, failure=None)
