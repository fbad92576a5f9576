"""The blind baseline over the retrieved passages of a run: what the question set alone gives away."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ragharness.errors import RagharnessError
from ragharness.pipelines import Context, load_pipeline, read_answer
from ragharness.runner.grading import named
from ragharness.support.files import prune, write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ragharness.records import Record
    from ragharness.runner.grading import GradingContext

_NAME = "blind"
_KEPT = 200
"""Counts kept in the cache folder; the oldest go first."""


def blind_count(
    grading: GradingContext, records: Callable[[], Iterable[Record]], cache: Path | None = None
) -> tuple[int | None, str]:
    """Return how many answers of ``blind`` are as desired, or None and why it could not run.

    The count follows from what was retrieved and from the code that grades; ``cache`` is a folder that keeps
    it, so that a run of the same retrieval does not pay for it again. ``records`` is read once or twice.
    """
    path = None
    if cache is not None:
        path = cache / f"blind-{_key(grading, records())}.count"
        with suppress(OSError, ValueError):
            return int(path.read_text("ascii")), ""
    try:
        count = _count(grading, records())
    except RagharnessError as error:
        return None, str(error)
    if path is not None:
        _keep(path, count)
    return count, ""


def _count(grading: GradingContext, records: Iterable[Record]) -> int:
    questions = grading.questions.by_id
    pipeline = load_pipeline(_NAME, Context(grading.corpus, grading.questions, grading.passages))
    count = 0
    for record in records:
        question, passages = questions[record.question], grading.passages_of(record)
        answer, _ = read_answer(pipeline.call(question.text, passages))
        count += grading.verdict(question, answer, passages).bucket == question.wanted
    return count


def _key(grading: GradingContext, records: Iterable[Record]) -> str:
    """Return a name for all that the count follows from, whatever the order of the records."""
    package = Path(__file__).parents[1]
    code = [
        (path.name, status.st_size, status.st_mtime_ns)
        for room in ("", "language", "graders", "graders/reading", "pipelines")
        for path in sorted((package / room).glob("*.py"))
        for status in (path.stat(),)
    ]
    asked = 0
    for record in records:
        brought = (record.answer and record.answer.passages) or ()
        had = repr((record.question, [hit.id for hit in record.retrieved], brought)).encode()
        asked += int.from_bytes(hashlib.sha256(had).digest(), "big")
    parts = (
        code,
        grading.corpus.hash,
        grading.questions.hash,
        grading.passages.words,
        named(grading.grader),
        asked,
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]


def _keep(path: Path, count: int) -> None:
    """Write the count; a cache that cannot be written is no error."""
    with suppress(OSError):
        write_whole(path, str(count).encode())
        prune(path.parent, _KEPT, "blind-*.count")
