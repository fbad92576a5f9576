"""The reference that reads nothing, over what the run retrieved: what the question set alone gives away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.errors import RagharnessError
from ragharness.pipelines import Context, load_pipeline, read_answer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ragharness.records import Passage, Question, Record
    from ragharness.runner.bench import Bench

_NAME = "blind"


def blind_count(bench: Bench, records: Iterable[Record]) -> tuple[int | None, str]:
    """Return how many answers of ``blind`` come out as wanted, or None and why it could not run."""
    examiner = bench.examiner
    retrieved = {record.question: [hit.id for hit in record.retrieved] for record in records}
    forced = examiner.pipeline.takes == "passages"
    try:
        pipeline = load_pipeline(_NAME, Context(bench.corpus, bench.questions, examiner.passages))
        count = 0
        for question in bench.questions.questions:
            ids = retrieved.get(question.id) if forced else None
            passages = _passages(bench, question, ids, examiner.passages.by_id)
            answer, _ = read_answer(pipeline.call(question.text, passages))
            count += examiner.verdict(question, answer, passages).bucket == question.wanted
    except RagharnessError as error:
        return None, str(error)
    return count, ""


def _passages(
    bench: Bench, question: Question, ids: list[str] | None, by_id: Mapping[str, Passage]
) -> list[Passage]:
    """Return what the run handed over, or, where the pipeline retrieved for itself, what it would have."""
    if ids is not None:
        return [by_id[name] for name in ids]
    if question.stratum == "null_retrieval":
        return []
    hits = bench.examiner.retriever.retrieve(question.text, bench.examiner.k, question)
    return [hit.passage for hit in hits]
