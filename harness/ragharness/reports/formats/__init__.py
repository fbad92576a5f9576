"""Report formats: one file each, or an entry point of ``ragharness.formats``, found by its name.

A format's module has ``render(scores, *, run, width, colour, reference, detail)``, which returns the whole
report: a text that ends with a line break, bytes, or for a folder its files by name. A format declares those
that it uses and takes the others as ``**_``. ``run`` is the run on disk, for whatever tells of single
questions; ``width`` and ``colour`` are what a terminal can show, ``reference`` names the run in the commands
that the report offers (empty: it is the newest), ``detail`` asks for all there is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ragharness.analysis.scores import RunOnDisk
from ragharness.errors import UnknownName
from ragharness.records import Question, Record
from ragharness.support import plugins

WIDTH = 80


def format_names() -> list[str]:
    """Names of all report formats, in alphabetical order."""
    return plugins.names("formats", __name__)


def load_format(name: str) -> Callable[..., Any]:
    """Function that writes a report; raises UnknownName with the nearest names."""
    if name not in format_names():
        raise UnknownName("report format", name, format_names())
    render: Callable[..., Any] = plugins.load("formats", __name__, name, "render").render
    return render


def answered(run: RunOnDisk) -> Iterator[tuple[Question, Record | None]]:
    """Yield each question and epoch with its record, in the order of the questions; None: not asked yet."""
    records: dict[tuple[str, int], Record] = {
        (record.question, record.epoch): record for record in (*run.folder.waiting(), *run.folder.records())
    }
    for question in run.folder.questions():
        for epoch in range(run.folder.run.settings.epochs):
            yield question, records.get((question.id, epoch))


def outcome(record: Record | None) -> str:
    """Bucket of a record, or why it has none."""
    if record is None:
        return "not_asked"
    return (record.verdict and record.verdict.bucket) or record.status


def _of(part: str, name: str) -> Callable[[Question, Record], Any]:
    """What reads a field of the answer or verdict; None where there is none."""
    return lambda _, record: getattr(getattr(record, part), name, None)


def _used(name: str) -> Callable[[Question, Record], Any]:
    return lambda _, record: getattr(record.answer and record.answer.usage, name, None)


_VALUES: dict[str, tuple[Any, Callable[[Question, Record], Any]]] = {
    "question": (str, lambda question, _: question.id),
    "epoch": (int, lambda _, record: record.epoch),
    "row": (str, lambda question, _: question.row),
    "kind": (str, lambda question, _: question.kind),
    "wanted": (str, lambda question, _: question.wanted),
    "text": (str, lambda question, _: question.text),
    "gold": (list[str], lambda question, _: list(question.answers)),
    "status": (str, lambda _, record: record.status),
    "bucket": (str, _of("verdict", "bucket")),
    "reason": (str, _of("verdict", "reason")),
    "why": (str, _of("verdict", "why")),
    "answer": (str, _of("answer", "text")),
    "citations": (list[str], lambda _, record: sorted(record.cited)),
    "retrieved": (list[str], lambda _, record: [hit.id for hit in record.retrieved]),
    "evidence_ranks": (list[int], lambda _, record: list(record.evidence_ranks)),
    "citation_exists": (str, _of("verdict", "citation_exists")),
    "citation_supports": (str, _of("verdict", "citation_supports")),
    "extra_claim_count": (int, _of("verdict", "extra_claim_count")),
    "refusal_quality": (int, _of("verdict", "refusal_quality")),
    "flags": (list[str], lambda _, record: list(record.verdict.flags) if record.verdict else []),
    "confidence": (float, _of("answer", "confidence")),
    "failure": (str, lambda _, record: record.failure and f"{record.failure.type}: {record.failure.message}"),
    "seconds": (float, lambda _, record: record.seconds),
    "prompt_tokens": (int, _used("prompt_tokens")),
    "completion_tokens": (int, _used("completion_tokens")),
    "cost": (float, _used("cost")),
}
COLUMNS: dict[str, Any] = {name: kind for name, (kind, _) in _VALUES.items()}  # of a table of records


def flat_records(run: RunOnDisk) -> list[dict[str, Any]]:
    """Records as rows beside their questions, in their order; None is unknown, or does not apply."""
    pairs = ((question, record) for question, record in answered(run) if record is not None)
    return [{name: value(*pair) for name, (_, value) in _VALUES.items()} for pair in pairs]
