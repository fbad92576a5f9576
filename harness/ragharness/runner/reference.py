"""The reference that reads nothing, over what a run retrieved: what the question set alone gives away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.errors import RagharnessError
from ragharness.pipelines import Context, load_pipeline, read_answer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ragharness.records import Record
    from ragharness.runner.ground import Ground

_NAME = "blind"


def blind_count(ground: Ground, records: Iterable[Record]) -> tuple[int | None, str]:
    """Return how many answers of ``blind`` come out as wanted, or None and why it could not run."""
    questions = ground.questions.by_id
    count = 0
    try:
        pipeline = load_pipeline(_NAME, Context(ground.corpus, ground.questions, ground.passages))
        for record in records:
            question, passages = questions[record.question], ground.had(record)
            answer, _ = read_answer(pipeline.call(question.text, passages))
            count += ground.verdict(question, answer, passages).bucket == question.wanted
    except RagharnessError as error:
        return None, str(error)
    return count, ""
