"""A run on disk as formats see it, and its records as flat rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragharness.records import Question, Record
    from ragharness.runner import GradingContext
    from ragharness.scores import Scores
    from ragharness.store import RunFolder


class RunOnDisk(Protocol):
    """What a format that tells of single questions is given."""

    @property
    def folder(self) -> RunFolder:
        """Settings, questions and records."""

    @property
    def scores(self) -> Scores:
        """Every number of the report."""

    @property
    def grading(self) -> GradingContext | None:
        """The corpus and its passages; None if it is not on this machine or has changed since."""


def answered(run: RunOnDisk) -> Iterator[tuple[Question, Record | None]]:
    """Yield each question and epoch with its record, in the order of the questions; None: not asked yet."""
    found: dict[tuple[str, int], Record] = {
        (each.question, each.epoch): each for each in (*run.folder.waiting(), *run.folder.records())
    }
    for question in run.folder.questions():
        for epoch in range(run.folder.run.settings.epochs):
            yield question, found.get((question.id, epoch))


def outcome(record: Record | None) -> str:
    """Return the bucket of a record, or why it has none."""
    if record is None:
        return "not_asked"
    return (record.verdict and record.verdict.bucket) or record.status


COLUMNS: dict[str, Any] = {
    "question": str,
    "epoch": int,
    "row": str,
    "kind": str,
    "wanted": str,
    "text": str,
    "gold": list[str],
    "status": str,
    "bucket": str,
    "reason": str,
    "why": str,
    "answer": str,
    "citations": list[str],
    "retrieved": list[str],
    "evidence_ranks": list[int],
    "citation_exists": str,
    "citation_supports": str,
    "extra_claim_count": int,
    "refusal_quality": int,
    "flags": list[str],
    "confidence": float,
    "failure": str,
    "seconds": float,
    "prompt_tokens": int,
    "completion_tokens": int,
    "cost": float,
}
"""The columns of a table of records, with their types."""


def flat(question: Question, record: Record) -> dict[str, Any]:
    """Return a record beside its question as one row; None is unknown, or does not apply."""
    verdict, answer, failure = record.verdict, record.answer, record.failure
    usage = answer.usage if answer else None
    return {
        "question": question.id,
        "epoch": record.epoch,
        "row": question.row,
        "kind": question.kind,
        "wanted": question.wanted,
        "text": question.text,
        "gold": list(question.answers),
        "status": record.status,
        "bucket": verdict.bucket if verdict else None,
        "reason": verdict.reason if verdict else None,
        "why": verdict.why if verdict else None,
        "answer": answer.text if answer else None,
        "citations": sorted(record.cited),
        "retrieved": [hit.id for hit in record.retrieved],
        "evidence_ranks": list(record.evidence_ranks),
        "citation_exists": verdict.citation_exists if verdict else None,
        "citation_supports": verdict.citation_supports if verdict else None,
        "extra_claim_count": verdict.extra_claim_count if verdict else None,
        "refusal_quality": verdict.refusal_quality if verdict else None,
        "flags": list(verdict.flags) if verdict else [],
        "confidence": answer.confidence if answer else None,
        "failure": f"{failure.type}: {failure.message}" if failure else None,
        "seconds": record.seconds,
        "prompt_tokens": usage.prompt_tokens if usage else None,
        "completion_tokens": usage.completion_tokens if usage else None,
        "cost": usage.cost if usage else None,
    }


def flat_records(run: RunOnDisk) -> list[dict[str, Any]]:
    """Return the records of a run as rows, in the order of the questions; those not asked have none."""
    return [flat(question, record) for question, record in answered(run) if record is not None]
